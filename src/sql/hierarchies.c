/*
 * hierarchies.c
 *	  SQL: functions that build and extend hierarchies, and check_hierarchy.
 */
#include "base/compat.h"

#include "build/hierarchy_build.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "sql/call.h"

static BuildTarget
table_argument(FunctionCallInfo fcinfo)
{
	return new_table(name_argument(fcinfo, "hierarchy"));
}

static Datum
numeric_argument(FunctionCallInfo fcinfo, const char *name)
{
	return get_argument(fcinfo, name, NUMERICOID);
}

/* A number, or 0 for a null. */
static Datum
numeric_if_given(FunctionCallInfo fcinfo, const char *name)
{
	return is_given(fcinfo, name) ? numeric_argument(fcinfo, name) : 0;
}

static Datum
numerics_argument(FunctionCallInfo fcinfo, const char *name)
{
	return get_argument(fcinfo, name, NUMERICARRAYOID);
}

OWN_FUNCTION(anonopt_create_interval_hierarchy)
{
	PG_RETURN_OID(build_numbers(table_argument(fcinfo), numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"),
								0, numerics_argument(fcinfo, "widths"), false));
}

OWN_FUNCTION(anonopt_create_range_hierarchy)
{
	PG_RETURN_OID(build_numbers(table_argument(fcinfo), numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"),
								numeric_argument(fcinfo, "step"), numerics_argument(fcinfo, "widths"), false));
}

OWN_FUNCTION(anonopt_create_date_hierarchy)
{
	PG_RETURN_OID(build_dates(table_argument(fcinfo), get_argument(fcinfo, "low", DATEOID),
							  get_argument(fcinfo, "high", DATEOID), get_argument(fcinfo, "units", TEXTARRAYOID), DATES_PLAIN, false));
}

/* Without a step, leaves are integers; without top or bottom, that end is open. */
OWN_FUNCTION(anonopt_create_top_coded_hierarchy)
{
	PG_RETURN_OID(build_coded(table_argument(fcinfo), numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"),
							  numeric_if_given(fcinfo, "top"), numeric_if_given(fcinfo, "bottom"),
							  numerics_argument(fcinfo, "widths"), numeric_if_given(fcinfo, "step")));
}

OWN_FUNCTION(anonopt_create_rounding_hierarchy)
{
	PG_RETURN_OID(build_rounded(table_argument(fcinfo), numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"),
								numerics_argument(fcinfo, "steps"), boolean_argument(fcinfo, "continuous")));
}

OWN_FUNCTION(anonopt_create_mask_hierarchy)
{
	PG_RETURN_OID(build_masks(table_argument(fcinfo), relation_argument(fcinfo, "relation"),
							  name_argument(fcinfo, "column_name"), name_argument(fcinfo, "mask")));
}

OWN_FUNCTION(anonopt_create_quantile_hierarchy)
{
	PG_RETURN_OID(build_quantiles(table_argument(fcinfo), relation_argument(fcinfo, "relation"),
								  name_argument(fcinfo, "column_name"), array_argument(fcinfo, "buckets", INT4ARRAYOID)));
}

OWN_FUNCTION(anonopt_create_frequency_hierarchy)
{
	PG_RETURN_OID(build_frequencies(table_argument(fcinfo), relation_argument(fcinfo, "relation"),
									name_argument(fcinfo, "column_name"), DatumGetInt64(get_argument(fcinfo, "minimum", INT8OID)),
									name_argument(fcinfo, "other")));
}

OWN_FUNCTION(anonopt_create_prefix_hierarchy)
{
	BuildTarget target = table_argument(fcinfo);
	Oid			relation = relation_argument(fcinfo, "relation");

	PG_RETURN_OID(build_prefixes(target, relation, name_argument(fcinfo, "column_name"),
								 is_given(fcinfo, "lengths") ? array_argument(fcinfo, "lengths", INT4ARRAYOID) : NULL,
								 name_if_given(fcinfo, "separator")));
}

OWN_FUNCTION(anonopt_create_tree_hierarchy)
{
	PG_RETURN_OID(build_tree(table_argument(fcinfo), relation_argument(fcinfo, "edges")));
}

SQL_FUNCTION(anonopt_create_csv_hierarchy)
{
	text	   *csv = DatumGetTextPP(get_argument(fcinfo, "csv", TEXTOID));

	PG_RETURN_OID(build_csv(name_argument(fcinfo, "hierarchy"), VARDATA_ANY(csv), VARSIZE_ANY_EXHDR(csv),
							name_argument(fcinfo, "delimiter"), DatumGetObjectId(get_argument(fcinfo, "type", REGTYPEOID))));
}

OWN_FUNCTION(anonopt_extend_hierarchy)
{
	Oid			hierarchy = relation_argument(fcinfo, "hierarchy");

	PreventCommandIfReadOnly("extend_hierarchy()");
	PG_RETURN_INT64(hierarchy_extend_all(hierarchy));
}

/* -------------------------------------------------------------- check_hierarchy */

SQL_FUNCTION(anonopt_check_hierarchy)
{
	ResultRow  *row = result_begin(fcinfo);
	Oid			hierarchy = relation_argument(fcinfo, "hierarchy");
	HierarchyRows *rows = hierarchy_read_rows(hierarchy, InvalidOid, "");
	ListCell   *cell;

	foreach(cell, rows->faults)
	{
		HierarchyFault *fault = lfirst(cell);
		int			nlabels = list_length(fault->labels);
		const char **labels = palloc(sizeof(char *) * (nlabels + 1));

		for (int i = 0; i < nlabels; i++)
			labels[i] = list_nth(fault->labels, i);
		put_string(row, "problem", fault->problem);
		put_count(row, "level", fault->level);
		put_datum(row, "labels", TEXTARRAYOID, texts_datum(labels, nlabels));
		row_add(row);
	}
	return (Datum) 0;
}
