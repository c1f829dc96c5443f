/*
 * statement_lookup.c
 *	  Finds a row's label number without a join.
 *
 * The sorted bounds of all leaves divide the values into segments, and a second
 * array holds each segment's label number, or 0 for a gap.  A value finds its
 * segment by a binary search.  If leaves are integers, days or ranges of these,
 * and not far apart, then a third array has the number of every single value
 * from the least one on, and the search is left to the values beyond it: a row
 * then costs half as much as by a join.
 */
#include "release/statement_parts.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/type_match.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * Values for which single numbers are stored.  The array is built at every
 * reading, so it must not be much larger than the hierarchy.
 */
#define MAX_OFFSETS 16384
#define MAX_OFFSETS_A_LEAF 8

/* How an attribute's numbers are looked up. */
struct Lookup
{
	bool		ranges;			/* leaves are ranges, otherwise single values */
	bool		offsets;		/* numbers of single values are stored */
	Oid			type;			/* of bounds */
};

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

static bool
is_discrete(Oid type)
{
	return type == INT4OID || type == INT8OID || type == DATEOID;
}

/* The type in which leaves that are single values are looked up, if any. */
static Oid
single_value_type(const Specification *spec, const Joined *joined)
{
	Oid			data_type = column_type(spec->dataset->relation, joined->declared->column);
	Oid			leaf_type = hierarchy_leaf_type(joined->declared->hierarchy);

	if (data_type == DATEOID && leaf_type == DATEOID)
		return DATEOID;
	if (!type_is_integer(data_type) || !type_is_integer(leaf_type))
		return InvalidOid;
	return data_type == INT8OID || leaf_type == INT8OID ? INT8OID : INT4OID;
}

/*
 * The distance between the least and the greatest bound, which is not infinite;
 * -1 if there is none.
 */
static double
bounds_span(const Joined *joined, const Lookup *lookup)
{
	const char *rows = relation_sql_name(joined->declared->hierarchy);
	const char *bounds = !lookup->ranges ? psprintf("SELECT f.%s FROM ONLY %s f", joined->leaf, rows) :
	psprintf("SELECT lower(f.%s) FROM ONLY %s f UNION ALL SELECT upper(f.%s) FROM ONLY %s f", joined->leaf, rows, joined->leaf, rows);
	double		span;
	bool		isnull;

	(void) sql_read_over(psprintf(lookup->type == DATEOID ?
								  "SELECT (max(b.bound) - min(b.bound))::float8 FROM (%s) b (bound) WHERE isfinite(b.bound)" :
								  "SELECT (max(b.bound)::numeric - min(b.bound)::numeric)::float8 FROM (%s) b (bound)", bounds),
						 list_make1_oid(joined->declared->hierarchy), NULL, 0, NULL, NULL);
	span = DatumGetFloat8(sql_value(1, FLOAT8OID, &isnull));
	return isnull ? -1 : span;
}

static Lookup *
choose_lookup(const Specification *spec, const Joined *joined)
{
	Lookup	   *lookup = palloc0(sizeof(Lookup));
	double		span;

	lookup->ranges = joined->places;
	lookup->type = lookup->ranges ? get_range_subtype(hierarchy_leaf_type(joined->declared->hierarchy)) : single_value_type(spec, joined);
	if (!OidIsValid(lookup->type) || (lookup->ranges && !has_segments(lookup->type, joined->attr->hierarchy)))
		return NULL;
	if (is_discrete(lookup->type))
	{
		span = bounds_span(joined, lookup);
		lookup->offsets = span >= 0 && span < MAX_OFFSETS &&
			(lookup->ranges || span < MAX_OFFSETS_A_LEAF * (double) joined->attr->hierarchy->nleaves);
	}
	/* a search takes no less time than a join */
	return lookup->ranges || lookup->offsets ? lookup : NULL;
}

Lookup **
choose_lookups(const Specification *spec)
{
	Lookup	  **lookups = palloc0(sizeof(Lookup *) * (spec->population->nattrs + 1));

	for (int a = 0; a < spec->population->nattrs; a++)
	{
		Joined		joined = prepare_join(spec, a);

		if (joined.radix > 0)
			lookups[a] = choose_lookup(spec, &joined);
	}
	return lookups;
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

	if (joined->lookup->type != NUMERICOID)
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

/* The value after a leaf. */
static const char *
next_value(Oid type, const char *leaf)
{
	if (type == DATEOID)
		return psprintf("CASE WHEN %s OPERATOR(pg_catalog.=) '-infinity' THEN '4714-11-24 BC'::pg_catalog.date"
						" WHEN %s OPERATOR(pg_catalog.<) '5874897-12-31' THEN %s OPERATOR(pg_catalog.+) 1 ELSE 'infinity' END", leaf, leaf, leaf);
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.<) %s THEN %s OPERATOR(pg_catalog.+) 1 END", leaf,
					type == INT8OID ? "9223372036854775807" : "2147483647", leaf);
}

/* The bounds of all leaves, each with the number of the leaf that begins there, or 0. */
static void
append_bounds(StringInfo sql, const Joined *joined)
{
	int			n = joined->number;
	const char *leaf = psprintf("v.leaf::%s", format_type_be_qualified(joined->lookup->type));

	appendStringInfo(sql, "anonopt_bounds%d (bound, number) AS MATERIALIZED (\n"
					 "\tSELECT %s, CASE WHEN v.number OPERATOR(pg_catalog.<=) %u THEN v.number ELSE 0 END FROM anonopt_leaves%d v\n"
					 "\t\tWHERE %s\n"
					 "\tUNION ALL SELECT %s, 0 FROM anonopt_leaves%d v WHERE %s IS NOT NULL\n"
					 "\tUNION ALL SELECT NULL, 0),\n",
					 n, joined->lookup->ranges ? "pg_catalog.lower(v.leaf)" : leaf, joined->radix - 2, n,
					 !joined->lookup->ranges ? "v.leaf IS NOT NULL" :
					 "(pg_catalog.lower_inc(v.leaf) OR pg_catalog.lower_inf(v.leaf)) AND NOT pg_catalog.upper_inc(v.leaf)",
					 joined->lookup->ranges ? "pg_catalog.upper(v.leaf)" : next_value(joined->lookup->type, leaf), n,
					 joined->lookup->ranges ? "pg_catalog.upper(v.leaf)" : "v.leaf");
}

/* A bound's distance from the least one, or MAX_OFFSETS if it is larger. */
static const char *
bound_offset(Oid type, const char *bound)
{
	if (type == DATEOID)
		return psprintf("LEAST(%s OPERATOR(pg_catalog.-) w.least, %d)", bound, MAX_OFFSETS);
	return psprintf("LEAST(%s::pg_catalog.numeric OPERATOR(pg_catalog.-) w.least::pg_catalog.numeric, %d)::pg_catalog.int4", bound, MAX_OFFSETS);
}

/* The numbers of single values, from the least bound on. */
static void
append_offsets(StringInfo sql, const Joined *joined)
{
	Oid			type = joined->lookup->type;

	appendStringInfo(sql, ",\nanonopt_offsets%d (least, most, numbers) AS MATERIALIZED (\n"
					 "\tSELECT pg_catalog.min(o.least), pg_catalog.min(o.least) OPERATOR(pg_catalog.+) (pg_catalog.count(*)::pg_catalog.int4 OPERATOR(pg_catalog.-) 1),\n"
					 "\t\tpg_catalog.array_agg(o.number ORDER BY o.place) FROM (\n"
					 "\t\tSELECT w.least, w.number, pg_catalog.generate_series(%s, %s OPERATOR(pg_catalog.-) 1) AS place FROM (\n"
					 "\t\t\tSELECT g.bound, g.number, pg_catalog.min(g.bound) OVER () AS least, pg_catalog.lead(g.bound) OVER (ORDER BY g.bound) AS until\n"
					 "\t\t\tFROM anonopt_segments%d g WHERE %s) w WHERE w.until IS NOT NULL) o)",
					 joined->number, bound_offset(type, "w.bound"), bound_offset(type, "w.until"), joined->number,
					 type == DATEOID ? "pg_catalog.isfinite(g.bound)" : "g.bound IS NOT NULL");
}

/*
 * Leaves that exclude their lower bound, include the upper, or begin beyond the
 * numbers that are looked up are not found; there were none when the statement
 * was built.
 */
void
append_lookup_tables(StringInfo sql, const Specification *spec)
{
	const char *separator = "WITH ";

	for (int a = 0; a < spec->population->nattrs; a++)
	{
		Joined		joined = prepare_join(spec, a);
		int			n = joined.number;
		Oid			hierarchy = joined.declared->hierarchy;
		const char *number = "u.number";
		const char *label = label_sql("f", hierarchy, joined.level);

		if (joined.lookup == NULL)
			continue;
		appendStringInfo(sql, "%sanonopt_leaves%d (leaf, label, number) AS MATERIALIZED (SELECT f.%s, %s, pg_catalog.dense_rank() OVER (ORDER BY %s) FROM ONLY %s f),\n",
						 separator, n, joined.leaf, label, label, relation_sql_name(hierarchy));
		append_bounds(sql, &joined);
		if (joined.lookup->type == NUMERICOID)
		{
			append_unit(sql, n);
			number = psprintf("CASE WHEN pg_catalog.abs(u.bound) OPERATOR(pg_catalog.>) (SELECT i.most FROM anonopt_unit%d i)"
							  " THEN 0 ELSE u.number END", n);
		}
		appendStringInfo(sql, "anonopt_segments%d (bound, number) AS MATERIALIZED (\n"
						 "\tSELECT %s, pg_catalog.max(%s) FROM anonopt_bounds%d u GROUP BY 1)", n, lookup_form(&joined, "u.bound"), number, n);
		if (joined.lookup->offsets)
			append_offsets(sql, &joined);
		separator = ",\n";
	}
	if (*separator == ',')
		appendStringInfoChar(sql, '\n');
}

/* A row's value in the type of bounds. */
static const char *
looked_up_value(const Specification *spec, const Joined *joined)
{
	StringInfoData value;

	if (!joined->lookup->ranges)
		return psprintf("r.%s::%s", joined->column, format_type_be_qualified(joined->lookup->type));
	initStringInfo(&value);
	append_held_value(&value, spec, joined->declared->column, joined->declared->hierarchy);
	return value.data;
}

/* The number of a value that is not far from the least bound; otherwise NULL. */
static const char *
number_by_offset(const Joined *joined, const char *value)
{
	int			n = joined->number;
	const char *number = psprintf("(SELECT o.numbers FROM anonopt_offsets%d o)[1 OPERATOR(pg_catalog.+)"
								  " (%s OPERATOR(pg_catalog.-) (SELECT o.least FROM anonopt_offsets%d o))::pg_catalog.int4]", n, value, n);

	/* neither an infinite date nor a large difference may end the reading */
	if (joined->lookup->type == DATEOID)
		return psprintf("CASE WHEN pg_catalog.isfinite(r.%s) THEN %s END", joined->column, number);
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.>=) (SELECT o.least FROM anonopt_offsets%d o)"
					" AND %s OPERATOR(pg_catalog.<=) (SELECT o.most FROM anonopt_offsets%d o) THEN %s END", value, n, value, n, number);
}

/* The number of a value's segment. */
static const char *
number_by_segment(const Joined *joined, const char *value)
{
	return psprintf("(SELECT pg_catalog.array_agg(g.number ORDER BY g.bound NULLS FIRST) FROM anonopt_segments%d g)"
					"[1 OPERATOR(pg_catalog.+) pg_catalog.width_bucket(%s,"
					" COALESCE((SELECT pg_catalog.array_agg(g.bound ORDER BY g.bound) FROM anonopt_segments%d g WHERE g.bound IS NOT NULL), '{}'))]",
					joined->number, lookup_form(joined, value), joined->number);
}

void
append_looked_up_number(StringInfo sql, const Specification *spec, const Joined *joined)
{
	const char *value = looked_up_value(spec, joined);
	const char *number = number_by_segment(joined, value);

	if (joined->lookup->offsets)
		number = psprintf("COALESCE(%s, %s)", number_by_offset(joined, value), number);
	if (joined->nullable)
		appendStringInfo(sql, "COALESCE(NULLIF(%s, 0), CASE WHEN r.%s IS NULL THEN %u END)", number, joined->column, joined->radix - 1);
	else
		appendStringInfo(sql, "NULLIF(%s, 0)", number);
}
