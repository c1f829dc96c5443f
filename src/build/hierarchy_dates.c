/*
 * hierarchy_dates.c
 *	  Builds hierarchies of dates and times.
 */
#include "build/hierarchy_table.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"

/* Units of time, and the label of the unit that contains day or time d. */
static const char *const unit_names[] = {"hour", "day", "weekday", "week", "month", "quarter", "year", "decade", "20 years", "40 years", "century"};
static const char *const unit_labels[] = {
	"to_char(d, 'YYYY-MM-DD HH24:00')",
	"to_char(d, 'YYYY-MM-DD')",
	"to_char(d, 'FMDay')",
	"to_char(d, 'IYYY-\"W\"IW')",
	"to_char(d, 'YYYY-MM')",
	"to_char(d, 'YYYY-\"Q\"Q')",
	"to_char(d, 'YYYY')",
	"floor(extract(year FROM d) / 10) * 10 || 's'",
	"floor(extract(year FROM d) / 20) * 20 || '-' || floor(extract(year FROM d) / 20) * 20 + 19",
	"floor(extract(year FROM d) / 40) * 40 || '-' || floor(extract(year FROM d) / 40) * 40 + 39",
	/* of whole decades: 2000 belongs to the 21st */
	"to_char(floor(extract(year FROM d) / 100) + 1, 'FM999th \"century\"')"
};

enum
{
	UNIT_HOUR, UNIT_DAY, UNIT_WEEKDAY, UNIT_WEEK, UNIT_MONTH, UNIT_QUARTER, UNIT_YEAR, UNIT_FORTY_YEARS = 9
};

/*
 * The indexes of units, which must nest; weeks and weekdays do not nest in
 * months or years, nor forty years in a century.
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

		units[i] = require_choice("unit", name, "Units", unit_names, lengthof(unit_names), " and ");
		if (i > 0 && (units[i] <= units[i - 1] || units[i - 1] == UNIT_WEEK || units[i - 1] == UNIT_WEEKDAY || units[i - 1] == UNIT_FORTY_YEARS))
			refuse_description(psprintf("a unit of \"%s\" does not lie within one of \"%s\"", unit_names[units[i - 1]], name),
							   "Give hour, day, month, quarter, year, decade, 20 years and century in this order; week, weekday or 40 years may be the last.");
	}
	return units;
}

char *
unit_end(Datum units, const char *day, bool last)
{
	static const int years[] = {1, 10, 20, 40, 100};
	int			n;
	const int  *unit = units_by_name(units, &n);
	int			widest = n == 0 ? UNIT_DAY : unit[n - 1];
	const char *name = widest == UNIT_MONTH ? "month" : widest == UNIT_QUARTER ? "quarter" : "week";
	char	   *first;

	if (widest <= UNIT_DAY)
		return pstrdup(day);
	if (widest >= UNIT_YEAR)
	{
		int			width = years[widest - UNIT_YEAR];

		return psprintf("make_date(greatest(1, extract(year FROM %s)::int / %d * %d + %d), 1, 1) - %d", day, width, width, last ? width : 0, last);
	}
	first = psprintf("date_trunc('%s', (%s)::timestamp)", name, day);
	return last ? psprintf("(%s + interval '%s')::date - 1", first, widest == UNIT_MONTH ? "1 month" : widest == UNIT_QUARTER ? "3 months" : "7 days") :
		psprintf("%s::date", first);
}

/* The rows of all days before low, or of all after high. */
static void
append_open_end(StringInfo from, const char *leaf, const char *label, int nlabels)
{
	appendStringInfo(from, " UNION ALL SELECT %s", leaf);
	for (int i = 0; i < nlabels; i++)
		appendStringInfo(from, ", %s", label);
	appendStringInfoString(from, ", '*'");
}

Datum
day_bound(int32 day)
{
	return DirectFunctionCall1(int4_numeric, Int32GetDatum(day));
}

int32
bound_day(Datum bound)
{
	return DatumGetInt32(DirectFunctionCall1(numeric_int4, bound));
}

void
build_dates(NewHierarchy *table)
{
	int			nunits;
	int		   *units = units_by_name(table->rule.units, &nunits);
	bool		hours = nunits > 0 && units[0] == UNIT_HOUR;
	bool		open = table->rule.builder == BUILDER_DATES_OPEN;

	/* the first unit may be the size of leaves instead of a level */
	int			first = nunits > 0 && units[0] <= UNIT_DAY ? 1 : 0;
	StringInfoData from;

	table->params = add_value(NULL, DATEOID, DateADTGetDatum(bound_day(table->rule.low)), false);
	table->params = add_value(table->params, DATEOID, DateADTGetDatum(bound_day(table->rule.high)), false);
	require_description(table, "$1 <= $2 AND $1 >= date '0001-01-01' AND isfinite($2)",
						"low must be a date not above high", "Give the first and the last possible day.");
	require_description(table, psprintf("($2 - $1)::int8 < %d", MAX_LEAVES / (hours ? 24 : 1)),
						"hierarchy would have too many leaves", "Use closer bounds.");
	for (int i = first; i < nunits; i++)
		hierarchy_add_level(table, unit_labels[units[i]]);
	hierarchy_add_level(table, "'*'");
	initStringInfo(&from);
	/* each leaf begins at d */
	appendStringInfoString(&from, hours ?
						   "(SELECT $1::timestamp + i * interval '1 hour' AS d"
						   " FROM generate_series(0, ($2 - $1 + 1) * 24 - 1) i) hours" :
						   "(SELECT $1 + i AS d FROM generate_series(0, $2 - $1) i) days");
	if (open)
	{
		append_open_end(&from, "daterange(NULL, $1)", "'< ' || to_char($1, 'YYYY-MM-DD')", nunits - first);
		append_open_end(&from, "daterange($2 + 1, NULL)", "'>= ' || to_char($2 + 1, 'YYYY-MM-DD')", nunits - first);
	}
	table->has_ranges = first == 1 || table->rule.builder != BUILDER_DATES;
	if (hours)
		hierarchy_table_fill(table, "tsrange", "tsrange(d, d + interval '1 hour')", from.data);
	else if (table->has_ranges)
		hierarchy_table_fill(table, "daterange", "daterange(d, d + 1)", from.data);
	else
		hierarchy_table_fill(table, "date", "d", from.data);
}
