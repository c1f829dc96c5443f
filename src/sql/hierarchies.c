/*
 * hierarchies.c
 *	  SQL: functions that build and extend hierarchies, and check_hierarchy.
 */
#include "base/compat.h"

#include "build/hierarchy_build.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "sql/call.h"

/* A value, or 0 for a null. */
static Datum
if_given(FunctionCallInfo fcinfo, const char *name, Oid type)
{
	return is_given(fcinfo, name) ? get_argument(fcinfo, name, type) : 0;
}

/* Builds by numbers, between low and high. */
static Datum
build_by_numbers(FunctionCallInfo fcinfo, HierarchyRule rule, const char *numbers)
{
	rule.low = get_argument(fcinfo, "low", NUMERICOID);
	rule.high = get_argument(fcinfo, "high", NUMERICOID);
	rule.numbers = get_argument(fcinfo, numbers, NUMERICARRAYOID);
	PG_RETURN_OID(hierarchy_table_build(name_argument(fcinfo, "hierarchy"), &rule));
}

/* Builds from a column. */
static Datum
build_by_column(FunctionCallInfo fcinfo, HierarchyRule rule)
{
	rule.relation = relation_argument(fcinfo, "relation");
	rule.column = name_argument(fcinfo, "column_name");
	PG_RETURN_OID(hierarchy_table_build(name_argument(fcinfo, "hierarchy"), &rule));
}

OWN_FUNCTION(anonopt_create_interval_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_INTERVALS};

	return build_by_numbers(fcinfo, rule, "widths");
}

OWN_FUNCTION(anonopt_create_range_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_RANGES,.step = get_argument(fcinfo, "step", NUMERICOID)};

	return build_by_numbers(fcinfo, rule, "widths");
}

/* Without a step, leaves are integers; without top or bottom, that end is open. */
OWN_FUNCTION(anonopt_create_top_coded_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_CODED};

	rule.top = if_given(fcinfo, "top", NUMERICOID);
	rule.bottom = if_given(fcinfo, "bottom", NUMERICOID);
	rule.step = if_given(fcinfo, "step", NUMERICOID);
	return build_by_numbers(fcinfo, rule, "widths");
}

OWN_FUNCTION(anonopt_create_rounding_hierarchy)
{
	HierarchyRule rule = {.builder = boolean_argument(fcinfo, "continuous") ? BUILDER_ROUNDED_RANGES : BUILDER_ROUNDED};

	return build_by_numbers(fcinfo, rule, "steps");
}

OWN_FUNCTION(anonopt_create_date_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_DATES};

	rule.low = day_bound(DatumGetInt32(get_argument(fcinfo, "low", DATEOID)));
	rule.high = day_bound(DatumGetInt32(get_argument(fcinfo, "high", DATEOID)));
	rule.units = get_argument(fcinfo, "units", TEXTARRAYOID);
	PG_RETURN_OID(hierarchy_table_build(name_argument(fcinfo, "hierarchy"), &rule));
}

OWN_FUNCTION(anonopt_create_mask_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_MASKS,.word = name_argument(fcinfo, "mask")};

	return build_by_column(fcinfo, rule);
}

OWN_FUNCTION(anonopt_create_quantile_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_QUANTILES,.lengths = get_argument(fcinfo, "buckets", INT4ARRAYOID)};

	return build_by_column(fcinfo, rule);
}

OWN_FUNCTION(anonopt_create_frequency_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_FREQUENCIES,.minimum = get_argument(fcinfo, "minimum", INT8OID)};

	rule.word = name_argument(fcinfo, "other");
	return build_by_column(fcinfo, rule);
}

OWN_FUNCTION(anonopt_create_prefix_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_PREFIXES,.lengths = if_given(fcinfo, "lengths", INT4ARRAYOID)};

	rule.word = name_if_given(fcinfo, "separator");
	return build_by_column(fcinfo, rule);
}

OWN_FUNCTION(anonopt_create_tree_hierarchy)
{
	HierarchyRule rule = {.builder = BUILDER_TREE,.relation = relation_argument(fcinfo, "edges")};

	PG_RETURN_OID(hierarchy_table_build(name_argument(fcinfo, "hierarchy"), &rule));
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
