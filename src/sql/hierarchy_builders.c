/*
 * hierarchy_builders.c
 *	  SQL: hierarchies from a description: intervals, ranges, dates.
 *
 * A builder runs one INSERT … SELECT with an expression per level.  It sets
 * search_path to pg_catalog to keep the statements readable; names given by
 * users are resolved before that and are written qualified and quoted.
 */
#include "sql/hierarchy_builders.h"

#include "access/htup_details.h"
#include "base/names.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(anonopt_create_interval_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_range_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_date_hierarchy);

NewHierarchy *
hierarchy_table_begin(const char *name)
{
	NewHierarchy *table = palloc0(sizeof(NewHierarchy));
	NewRelation new = new_relation(name, "Drop it, or choose another name for the hierarchy.");

	table->schema = new.schema;
	table->relname = new.name;
	table->sql_name = new.sql_name;
	table->names_level = sql_use_catalog_names();
	sql_connect();
	return table;
}

void
hierarchy_table_create(NewHierarchy *table, const char *leaf_type, int height)
{
	StringInfoData sql;

	if (height > MOST_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy would have too many levels"),
				 errdetail("It would have %d levels.", height)));
	table->height = height;
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s (value %s", table->sql_name, leaf_type);
	for (int level = 1; level <= height; level++)
		appendStringInfo(&sql, ", level%d text NOT NULL", level);
	appendStringInfoChar(&sql, ')');
	sql_write(sql.data, 0, NULL, NULL, NULL);
}

Oid
hierarchy_table_finish(NewHierarchy *table, bool ranges, bool from_data)
{
	const char *key = table->has_null_leaf ? "UNIQUE (value)" : "PRIMARY KEY (value)";

	if (ranges)
		key = "EXCLUDE USING gist (value WITH &&)";

	sql_write(psprintf("ALTER TABLE %s ADD %s", table->sql_name, key), 0, NULL, NULL, NULL);
	if (from_data)
		keep_to_owner(made_relation(table->schema, table->relname));
	sql_finish();
	sql_restore_names(table->names_level);
	return made_relation(table->schema, table->relname);
}

void
refuse_description(const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errhint("%s", hint)));
}

int
count_elements(Datum datum, const char *name)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a one-dimensional array without nulls", name)));
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

Datum
array_from_one(Datum datum)
{
	ArrayType  *array = DatumGetArrayTypePCopy(datum);

	if (ARR_NDIM(array) == 1)
		ARR_LBOUND(array)[0] = 1;
	return PointerGetDatum(array);
}

bool
holds(const char *condition, int nargs, Oid *types, Datum *values)
{
	bool		isnull;
	Datum		result;

	sql_read(psprintf("SELECT %s", condition), nargs, types, values);
	result = sql_value(1, BOOLOID, &isnull);
	return !isnull && DatumGetBool(result);
}

/* The condition that the first width is a multiple of unit $4. */
void
check_widths(Oid *types, Datum *values)
{
	if (!holds("coalesce(bool_and(w > 0 AND w < 'Infinity' AND mod(w, nullif(u, 0)) = 0), true) FROM"
			   " (SELECT w, lag(w, 1, $4) OVER (ORDER BY i) AS u FROM"
			   " unnest($3) WITH ORDINALITY AS a (w, i)) s", 4, types, values))
		refuse_description("each width must be a positive multiple of the one before",
						   "For example {5,10,20}; the first must be a multiple of the leaves' own width.");
}

void
check_bounds(Oid *types, Datum *values)
{
	if (!holds("$1 <= $2 AND abs($1) < 'Infinity' AND abs($2) < 'Infinity'", 2, types, values))
		refuse_description("low must be a finite number not above high", "Give the smallest and the largest possible value.");
	if (!holds(psprintf("($2 - $1) / $4 < %d", MAX_LEAVES), 4, types, values))
		refuse_description("hierarchy would have too many leaves", "Use a larger step, or closer bounds.");
}

Oid
build_intervals(const char *name, Datum low, Datum high, Datum widths, bool from_data)
{
	Oid			types[4] = {NUMERICOID, NUMERICOID, NUMERICARRAYOID, NUMERICOID};
	Datum		values[4] = {low, high, array_from_one(widths), DirectFunctionCall1(int4_numeric, Int32GetDatum(1))};
	int			nwidths = count_elements(widths, "widths");
	NewHierarchy *table = hierarchy_table_begin(name);
	StringInfoData sql;
	bool		fits;

	if (!holds("$1 = trunc($1) AND $2 = trunc($2) AND abs($1) < 9e18 AND abs($2) < 9e18", 2, types, values))
		refuse_description("low and high must be integers", "Use anonopt.create_range_hierarchy for other numbers.");
	check_bounds(types, values);
	check_widths(types, values);
	fits = holds("abs($1) < 2147483648 AND abs($2) < 2147483648", 2, types, values);

	hierarchy_table_create(table, fits ? "integer" : "bigint", nwidths + 1);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT v", table->sql_name);
	for (int i = 1; i <= nwidths; i++)
		appendStringInfo(&sql, ", format('[%%s, %%s)',"
						 " trim_scale($1 + floor((v - $1) / $3[%d]) * $3[%d]),"
						 " trim_scale($1 + floor((v - $1) / $3[%d]) * $3[%d] + $3[%d]))", i, i, i, i, i);
	appendStringInfoString(&sql, ", '*' FROM generate_series($1, $2) v");
	sql_write(sql.data, 4, types, values, NULL);
	return hierarchy_table_finish(table, false, from_data);
}

Oid
build_ranges(const char *name, Datum low, Datum high, Datum step, Datum widths, bool from_data)
{
	Oid			types[4] = {NUMERICOID, NUMERICOID, NUMERICARRAYOID, NUMERICOID};
	Datum		values[4] = {low, high, array_from_one(widths), step};
	int			nwidths = count_elements(widths, "widths");
	NewHierarchy *table = hierarchy_table_begin(name);
	StringInfoData sql;

	if (!holds("$4 > 0 AND $4 < 'Infinity' AND $1 < $2", 4, types, values))
		refuse_description("step must be positive and low below high", "For example 0, 100 and step 5.");
	check_bounds(types, values);
	check_widths(types, values);

	hierarchy_table_create(table, "numrange", nwidths + 1);
	initStringInfo(&sql);
	/* the last range is closed, so that high itself has a leaf */
	appendStringInfo(&sql, "INSERT INTO %s SELECT numrange(v, least(v + $4, $2),"
					 " CASE WHEN v + $4 < $2 THEN '[)' ELSE '[]' END)", table->sql_name);
	for (int i = 1; i <= nwidths; i++)
		appendStringInfo(&sql, ", (SELECT format('[%%s, %%s%%s', trim_scale(l),"
						 " trim_scale(least(l + $3[%d], $2)), CASE WHEN l + $3[%d] < $2 THEN ')' ELSE ']' END)"
						 " FROM (VALUES ($1 + floor((v - $1) / $3[%d]) * $3[%d])) AS s (l))", i, i, i, i);
	appendStringInfoString(&sql, ", '*' FROM (SELECT $1 + i * $4 AS v FROM"
						   " generate_series(0, ceil(($2 - $1) / $4) - 1) AS i) AS steps");
	sql_write(sql.data, 4, types, values, NULL);
	return hierarchy_table_finish(table, true, from_data);
}

/* Units of time, and the label of the unit that contains day or time d. */
static const char *const unit_names[] = {"hour", "day", "weekday", "week", "month", "quarter", "year", "decade", "century"};
static const char *const unit_labels[] = {
	"to_char(d, 'YYYY-MM-DD HH24:00')",
	"to_char(d, 'YYYY-MM-DD')",
	"to_char(d, 'FMDay')",
	"to_char(d, 'IYYY-\"W\"IW')",
	"to_char(d, 'YYYY-MM')",
	"to_char(d, 'YYYY-\"Q\"Q')",
	"to_char(d, 'YYYY')",
	"floor(extract(year FROM d) / 10) * 10 || 's'",
	"to_char(d, 'FMCCth \"century\"')"
};

enum
{
	UNIT_HOUR, UNIT_DAY, UNIT_WEEKDAY, UNIT_WEEK
};

/*
 * The indexes of units, which must nest; weeks and weekdays do not nest in
 * months or years.
 */
static int *
units_by_name(Datum datum, int *nunits)
{
	Datum	   *names;
	int		   *units;

	*nunits = count_elements(datum, "units");
	deconstruct_array(DatumGetArrayTypeP(datum), TEXTOID, -1, false, TYPALIGN_INT, &names, NULL, nunits);
	units = palloc(sizeof(int) * (*nunits + 1));
	for (int i = 0; i < *nunits; i++)
	{
		char	   *name = TextDatumGetCString(names[i]);

		units[i] = find_name(name, unit_names, lengthof(unit_names));
		if (units[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown unit \"%s\"", name),
					 errhint("Units are hour, day, weekday, week, month, quarter, year, decade and century.")));
		if (i > 0 && (units[i] <= units[i - 1] || units[i - 1] == UNIT_WEEK || units[i - 1] == UNIT_WEEKDAY))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a %s does not lie within one %s", unit_names[units[i - 1]], name),
					 errhint("Give hour, day, month, quarter, year, decade and century in this order; week or weekday may be the last.")));
	}
	return units;
}

/*
 * The leaves of a hierarchy of dates; the first unit may be the size of leaves
 * instead of a level.
 */
typedef struct DateLeaves
{
	const char *type;
	const char *leaf;			/* of d, the start of a leaf */
	const char *steps;			/* gives d */
	int			a_day;
	bool		are_first_unit;
	bool		are_ranges;
} DateLeaves;

static DateLeaves
date_leaves(const int *units, int nunits, int kind)
{
	DateLeaves	days = {"date", "d", "(SELECT $1 + i AS d FROM generate_series(0, $2 - $1) i) days", 1, false, false};
	DateLeaves	ranges = {"daterange", "daterange(d, d + 1)", days.steps, 1, false, true};
	DateLeaves	hours = {"tsrange", "tsrange(d, d + interval '1 hour')",
		"(SELECT $1::timestamp + i * interval '1 hour' AS d FROM generate_series(0, ($2 - $1 + 1) * 24 - 1) i) hours",
	24, true, true};

	ranges.are_first_unit = nunits > 0 && units[0] == UNIT_DAY;
	if (nunits > 0 && units[0] == UNIT_HOUR)
		return hours;
	return ranges.are_first_unit || kind != DATES_PLAIN ? ranges : days;
}

Oid
build_dates(const char *name, Datum low, Datum high, Datum wanted, DateKind kind, bool from_data)
{
	Oid			types[2] = {DATEOID, DATEOID};
	Datum		values[2] = {low, high};
	int			nunits;
	int		   *units = units_by_name(wanted, &nunits);
	DateLeaves	leaves = date_leaves(units, nunits, kind);
	int			first = leaves.are_first_unit ? 1 : 0;
	NewHierarchy *table = hierarchy_table_begin(name);
	StringInfoData sql;

	if (!holds("$1 <= $2 AND $1 >= date '0001-01-01' AND isfinite($2)", 2, types, values))
		refuse_description("low must be a date not above high", "Give the first and the last possible day.");
	if (!holds(psprintf("($2 - $1)::int8 < %d", MAX_LEAVES / leaves.a_day), 2, types, values))
		refuse_description("hierarchy would have too many leaves", "Use closer bounds.");

	hierarchy_table_create(table, leaves.type, nunits - first + 1);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT %s", table->sql_name, leaves.leaf);
	for (int i = first; i < nunits; i++)
		appendStringInfo(&sql, ", %s", unit_labels[units[i]]);
	appendStringInfo(&sql, ", '*' FROM %s", leaves.steps);
	if (kind == DATES_OPEN)
		for (int end = 0; end < 2; end++)
		{
			appendStringInfo(&sql, " UNION ALL SELECT %s", end == 0 ? "daterange(NULL, $1)" : "daterange($2 + 1, NULL)");
			for (int i = first; i < nunits; i++)
				appendStringInfoString(&sql, end == 0 ? ", '< ' || to_char($1, 'YYYY-MM-DD')" : ", '>= ' || to_char($2 + 1, 'YYYY-MM-DD')");
			appendStringInfoString(&sql, ", '*'");
		}
	sql_write(sql.data, 2, types, values, NULL);
	return hierarchy_table_finish(table, leaves.are_ranges, from_data);
}

Datum
anonopt_create_interval_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_intervals(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_DATUM(1),
								  PG_GETARG_DATUM(2), PG_GETARG_DATUM(3), false));
}

Datum
anonopt_create_range_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_ranges(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_DATUM(1),
							   PG_GETARG_DATUM(2), PG_GETARG_DATUM(3), PG_GETARG_DATUM(4), false));
}

Datum
anonopt_create_date_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_dates(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_DATUM(1),
							  PG_GETARG_DATUM(2), PG_GETARG_DATUM(3), DATES_PLAIN, false));
}
