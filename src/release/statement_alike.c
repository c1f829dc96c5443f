/*
 * statement_alike.c
 *	  Lets live views count rows that look alike instead of sorting all rows.
 *
 * A hash table of the rows shown is far smaller than the relation, so classes
 * are counted and sorted there.  This is allowed if equal values are equal to
 * the last byte, so that it does not matter which one is shown. Labels are
 * joined last, by their numbers.
 *
 * A range is found without a join: the sorted bounds of all leaves divide the
 * values into segments, and a second array holds each segment's label number,
 * or 0 for a gap.
 */
#include "release/statement_parts.h"

#include <ctype.h>

#include "access/nbtree.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/defrem.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Whether equal values of a column have equal bytes. */
static bool
equal_is_same(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);
	Oid			type;
	int32		typmod;
	Oid			collation;
	Oid			opclass;
	Oid			input;
	Oid			proc;

	if (number == InvalidAttrNumber)
		relation_has_changed(relation);
	get_atttypetypmodcoll(relation, number, &type, &typmod, &collation);
	type = getBaseType(type);
	if (type == BPCHAROID && typmod < 0)
		return false;
	opclass = type_is_enum(type) || type < FirstNormalObjectId ? GetDefaultOpClass(type, BTREE_AM_OID) : InvalidOid;
	if (!OidIsValid(opclass))
		return false;
	input = get_opclass_input_type(opclass);
	proc = get_opfamily_proc(get_opclass_family(opclass), input, input, BTEQUALIMAGE_PROC);
	return OidIsValid(proc) && DatumGetBool(OidFunctionCall1Coll(proc, collation, ObjectIdGetDatum(input)));
}

/* Whether a column is shown only unchanged. */
static bool
is_shown(const Specification *spec, const char *column)
{
	for (int i = 0; i < spec->ncolumns; i++)
		if (strcmp(spec->columns[i].name, column) == 0)
			return spec->columns[i].attr < 0;
	return false;
}

bool
can_count_alike(const Specification *spec)
{
	if (spec->snapshot || spec->star || spec->recoded != NULL || spec->dataset->person != NULL || by_shares(spec) ||
		asks_outside(spec) || has_limits(spec))
		return false;
	for (int j = 0; j < spec->population->nsensitive && spec->promise.has_l; j++)
		if (!is_shown(spec, spec->population->columns[j]->name))
			return false;
	for (int i = 0; i < spec->ncolumns; i++)
		if (spec->columns[i].attr < 0 && !equal_is_same(spec->dataset->relation, spec->columns[i].name))
			return false;
	return true;
}

/* Numbers with more digits are not looked up as integers. */
#define MAX_DIGITS 18
#define MAX_INTEGER "9000000000000000000"

/*
 * Counts the digits before and after the decimal point of every number in a
 * range's text; returns false if one is infinite.
 */
static bool
count_digits(const char *range, int *most_before, int *most_after)
{
	bool		after = false;
	int			digits = 0;

	for (const char *c = range;; c++)
	{
		if (isdigit((unsigned char) *c))
			digits++;
		else if (isalpha((unsigned char) *c))
			return false;
		else if (digits > 0)
		{
			int		   *most = after ? most_after : most_before;

			*most = Max(*most, digits);
			digits = 0;
		}
		if (*c == '\0')
			return true;
		after = *c == '.' || (after && digits > 0);
	}
}

/*
 * Whether all leaves of a hierarchy include their lower bounds and exclude the
 * upper ones, and numbers can be looked up.
 */
static bool
has_segments(Oid subtype, const Hierarchy *tree)
{
	int			before = 0;
	int			after = 0;

	for (uint32 leaf = 0; leaf < tree->nleaves; leaf++)
	{
		const char *range = tree->labels[0][leaf];

		if (range == NULL)
			continue;
		if (range[0] != '\0' && range[strlen(range) - 1] == ']')
			return false;
		if (subtype == NUMERICOID && !count_digits(range, &before, &after))
			return false;
	}
	return before + after <= MAX_DIGITS;
}

bool
found_by_segments(const Specification *spec, const Joined *joined)
{
	return spec->alike && joined->places && joined->radix > 0 &&
		has_segments(get_range_subtype(hierarchy_leaf_type(joined->declared->hierarchy)), joined->attr->hierarchy);
}

/*
 * A value or a bound in the form in which it is looked up.  Numbers are
 * converted to units in which every bound is an integer: a value is at least a
 * bound if and only if its integer part in these units is.
 */
static const char *
lookup_form(const Joined *joined, const char *value)
{
	int			n = joined->number;

	if (get_range_subtype(hierarchy_leaf_type(joined->declared->hierarchy)) != NUMERICOID)
		return value;
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.>) (SELECT i.most FROM anonopt_unit%d i) THEN " MAX_INTEGER
					" WHEN %s OPERATOR(pg_catalog.<) (SELECT OPERATOR(pg_catalog.-) i.most FROM anonopt_unit%d i) THEN -" MAX_INTEGER
					" ELSE pg_catalog.floor(%s OPERATOR(pg_catalog.*) (SELECT i.units FROM anonopt_unit%d i))::pg_catalog.int8 END",
					value, n, value, n, value, n);
}

/* The number of units in 1, and the largest number that is looked up. */
static void
append_unit(StringInfo sql, int n)
{
	appendStringInfo(sql, "anonopt_unit%d (units, most) AS MATERIALIZED (\n"
					 "\tSELECT i.units, pg_catalog.div(" MAX_INTEGER ", i.units) FROM (SELECT pg_catalog.power(10::pg_catalog.numeric,"
					 " COALESCE(pg_catalog.max(pg_catalog.min_scale(u.bound)), 0)::pg_catalog.numeric) FROM anonopt_bounds%d u) i (units)),\n",
					 n, n);
}

/*
 * Common table expressions for each attribute that is looked up like this: its
 * bounds, each with the number of the leaf that begins there, and its
 * segments.  Leaves that exclude their lower bound, include the upper, or
 * begin beyond the numbers that are looked up are not found; there were none
 * when the statement was built.
 */
void
append_segment_tables(StringInfo sql, const Specification *spec)
{
	const char *separator = "WITH ";

	for (int a = 0; a < spec->population->nattrs; a++)
	{
		Joined		joined = prepare_join(spec, a);
		int			n = joined.number;
		Oid			hierarchy = joined.declared->hierarchy;
		const char *number = "u.number";
		const char *label = label_sql("f", hierarchy, joined.level);

		if (!found_by_segments(spec, &joined))
			continue;
		appendStringInfo(sql, "%sanonopt_leaves%d (leaf, number) AS (SELECT f.%s, pg_catalog.dense_rank() OVER (ORDER BY %s) FROM ONLY %s f),\n"
						 "anonopt_bounds%d (bound, number) AS MATERIALIZED (\n"
						 "\tSELECT pg_catalog.lower(v.leaf), CASE WHEN v.number OPERATOR(pg_catalog.<=) %u THEN v.number ELSE 0 END FROM anonopt_leaves%d v\n"
						 "\t\tWHERE (pg_catalog.lower_inc(v.leaf) OR pg_catalog.lower_inf(v.leaf)) AND NOT pg_catalog.upper_inc(v.leaf)\n"
						 "\tUNION ALL SELECT pg_catalog.upper(v.leaf), 0 FROM anonopt_leaves%d v WHERE pg_catalog.upper(v.leaf) IS NOT NULL\n"
						 "\tUNION ALL SELECT NULL, 0),\n",
						 separator, n, joined.leaf, label, relation_sql_name(hierarchy), n, joined.radix - 2, n, n);
		if (get_range_subtype(hierarchy_leaf_type(hierarchy)) == NUMERICOID)
		{
			append_unit(sql, n);
			number = psprintf("CASE WHEN pg_catalog.abs(u.bound) OPERATOR(pg_catalog.>) (SELECT i.most FROM anonopt_unit%d i)"
							  " THEN 0 ELSE u.number END", n);
		}
		appendStringInfo(sql, "anonopt_segments%d (bound, number) AS MATERIALIZED (\n"
						 "\tSELECT %s, pg_catalog.max(%s) FROM anonopt_bounds%d u GROUP BY 1)", n, lookup_form(&joined, "u.bound"), number, n);
		separator = ",\n";
	}
	if (*separator == ',')
		appendStringInfoChar(sql, '\n');
}

void
append_segment_number(StringInfo sql, const Specification *spec, const Joined *joined)
{
	const char *column = psprintf("r.%s", joined->column);
	StringInfoData value;

	initStringInfo(&value);
	append_held_value(&value, spec, joined->declared->column, joined->declared->hierarchy);
	appendStringInfo(sql, "NULLIF((SELECT pg_catalog.array_agg(g.number ORDER BY g.bound NULLS FIRST) FROM anonopt_segments%d g)"
					 "[1 OPERATOR(pg_catalog.+) pg_catalog.width_bucket(%s,"
					 " COALESCE((SELECT pg_catalog.array_agg(g.bound ORDER BY g.bound) FROM anonopt_segments%d g WHERE g.bound IS NOT NULL), '{}'))], 0)",
					 joined->number, lookup_form(joined, value.data), joined->number);
	if (joined->nullable)
	{
		char	   *number = pstrdup(sql->data);

		resetStringInfo(sql);
		appendStringInfo(sql, "COALESCE(%s, CASE WHEN %s IS NULL THEN %u END)", number, column, joined->radix - 1);
	}
}

/* The labels of a quasi-identifier, by their number in the packed labels. */
void
append_label_joins(StringInfo sql, const Specification *spec, const char *packed)
{
	uint64		divisor = 1;

	for (int i = spec->ncolumns - 1; i >= 0; i--)
	{
		Joined		joined;
		char	   *label;

		if (spec->columns[i].attr < 0 || packed_radix(spec, spec->columns[i].attr) == 0)
			continue;
		joined = prepare_join(spec, spec->columns[i].attr);
		label = label_sql("f", joined.declared->hierarchy, joined.level);
		appendStringInfo(sql, "\nLEFT JOIN (SELECT DISTINCT %s, pg_catalog.dense_rank() OVER (ORDER BY %s) FROM ONLY %s f) l%d (label, number)"
						 " ON l%d.number OPERATOR(pg_catalog.=) ((%s OPERATOR(pg_catalog./) " UINT64_FORMAT ") OPERATOR(pg_catalog.%%) %u)",
						 label, label, relation_sql_name(joined.declared->hierarchy), joined.number, joined.number, packed, divisor,
						 joined.radix);
		divisor *= joined.radix;
	}
}
