/*
 * statement_alike.c
 *	  Lets live views count rows that look alike instead of sorting all rows.
 *
 * A hash table of the rows shown is far smaller than the relation, so classes
 * are counted and sorted there.  This is allowed if equal values are equal to
 * the last byte, so that it does not matter which one is shown. Labels are
 * joined last, by their numbers.
 */
#include "release/statement_parts.h"

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

/* The labels of a quasi-identifier, by their number in the packed labels. */
void
append_label_joins(StringInfo sql, const Specification *spec, const char *packed)
{
	uint64		divisor = 1;

	for (int i = spec->ncolumns - 1; i >= 0; i--)
	{
		Joined		joined;
		char	   *label;
		char	   *labels;

		if (spec->columns[i].attr < 0 || packed_radix(spec, spec->columns[i].attr) == 0)
			continue;
		joined = prepare_join(spec, spec->columns[i].attr);
		label = label_sql("f", joined.declared->hierarchy, joined.level);
		labels = joined.lookup != NULL ? psprintf("v.label, v.number FROM anonopt_leaves%d v", joined.number) :
			psprintf("%s, pg_catalog.dense_rank() OVER (ORDER BY %s) FROM ONLY %s f", label, label,
					 relation_sql_name(joined.declared->hierarchy));
		appendStringInfo(sql, "\nLEFT JOIN (SELECT DISTINCT %s) l%d (label, number)"
						 " ON l%d.number OPERATOR(pg_catalog.=) ((%s OPERATOR(pg_catalog./) " UINT64_FORMAT ") OPERATOR(pg_catalog.%%) %u)",
						 labels, joined.number, joined.number, packed, divisor, joined.radix);
		divisor *= joined.radix;
	}
}
