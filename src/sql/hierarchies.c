/*
 * hierarchies.c
 *	  SQL: functions that build hierarchies.
 */
#include "base/compat.h"

#include "build/hierarchy_build.h"
#include "sql/call.h"

PG_FUNCTION_INFO_V1(anonopt_create_interval_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_range_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_date_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_top_coded_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_rounding_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_mask_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_quantile_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_frequency_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_prefix_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_tree_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_csv_hierarchy);

/* A number, or 0 for a null. */
static Datum
numeric_argument(FunctionCallInfo fcinfo, const char *name)
{
	return is_given(fcinfo, name) ? get_argument(fcinfo, name, NUMERICOID) : 0;
}

static Datum
numerics_argument(FunctionCallInfo fcinfo, const char *name)
{
	return get_argument(fcinfo, name, NUMERICARRAYOID);
}

Datum
anonopt_create_interval_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_intervals(name_argument(fcinfo, "hierarchy"), numeric_argument(fcinfo, "low"),
								  numeric_argument(fcinfo, "high"), numerics_argument(fcinfo, "widths"), false));
}

Datum
anonopt_create_range_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_ranges(name_argument(fcinfo, "hierarchy"), numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"),
							   numeric_argument(fcinfo, "step"), numerics_argument(fcinfo, "widths"), false));
}

Datum
anonopt_create_date_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_dates(name_argument(fcinfo, "hierarchy"), get_argument(fcinfo, "low", DATEOID),
							  get_argument(fcinfo, "high", DATEOID), get_argument(fcinfo, "units", TEXTARRAYOID), DATES_PLAIN, false));
}

/* Without a step, leaves are integers; without top or bottom, that end is open. */
Datum
anonopt_create_top_coded_hierarchy(PG_FUNCTION_ARGS)
{
	char	   *name = name_argument(fcinfo, "hierarchy");

	require_argument(fcinfo, "low");
	require_argument(fcinfo, "high");
	PG_RETURN_OID(build_coded(name, numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"), numeric_argument(fcinfo, "top"),
							  numeric_argument(fcinfo, "bottom"), numerics_argument(fcinfo, "widths"), numeric_argument(fcinfo, "step")));
}

Datum
anonopt_create_rounding_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_rounded(name_argument(fcinfo, "hierarchy"), numeric_argument(fcinfo, "low"), numeric_argument(fcinfo, "high"),
								numerics_argument(fcinfo, "steps"), boolean_argument(fcinfo, "continuous")));
}

Datum
anonopt_create_mask_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_masks(name_argument(fcinfo, "hierarchy"), relation_argument(fcinfo, "relation"),
							  name_argument(fcinfo, "column_name"), name_argument(fcinfo, "mask")));
}

Datum
anonopt_create_quantile_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_quantiles(name_argument(fcinfo, "hierarchy"), relation_argument(fcinfo, "relation"),
								  name_argument(fcinfo, "column_name"), array_argument(fcinfo, "buckets", INT4ARRAYOID)));
}

Datum
anonopt_create_frequency_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_frequencies(name_argument(fcinfo, "hierarchy"), relation_argument(fcinfo, "relation"),
									name_argument(fcinfo, "column_name"), DatumGetInt64(get_argument(fcinfo, "minimum", INT8OID)),
									name_argument(fcinfo, "other")));
}

Datum
anonopt_create_prefix_hierarchy(PG_FUNCTION_ARGS)
{
	char	   *name = name_argument(fcinfo, "hierarchy");
	Oid			relation = relation_argument(fcinfo, "relation");

	PG_RETURN_OID(build_prefixes(name, relation, name_argument(fcinfo, "column_name"),
								 is_given(fcinfo, "lengths") ? array_argument(fcinfo, "lengths", INT4ARRAYOID) : NULL,
								 name_if_given(fcinfo, "separator")));
}

Datum
anonopt_create_tree_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_tree(name_argument(fcinfo, "hierarchy"), relation_argument(fcinfo, "edges")));
}

Datum
anonopt_create_csv_hierarchy(PG_FUNCTION_ARGS)
{
	text	   *csv = DatumGetTextPP(get_argument(fcinfo, "csv", TEXTOID));

	PG_RETURN_OID(build_csv(name_argument(fcinfo, "hierarchy"), VARDATA_ANY(csv), VARSIZE_ANY_EXHDR(csv),
							name_argument(fcinfo, "delimiter"), DatumGetObjectId(get_argument(fcinfo, "type", REGTYPEOID))));
}
