/*
 * column_plan.c
 *	  Plans the role of a column, and its hierarchy.
 *
 * The type says what is possible; then the column is grouped once, and its
 * values decide the rest.  Numbers become intervals or ranges, in widths of 1,
 * 2 or 5 times a power of ten; or, if a few values are far from all others,
 * bins by logarithms or quantiles with open ends, since equal widths would put
 * nearly everybody into one.  Dates become weeks, or months to decades and more;
 * codes are masked or, if people write them in different ways, cut to their first
 * characters; rare values of other texts share a label.
 */
#include "build/column_plan.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/column_meaning.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "catalog/relations.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* Up to this many values are categories, whatever their type. */
#define FEW_VALUES 12

/* A column whose integers span at most this many keeps each as a leaf. */
#define MANY_INTEGERS 1000

/* A range hierarchy of real numbers has about this many leaves. */
#define RANGE_LEAVES 100

/* The longest codes; a column is one of codes if this share of its values are. */
#define CODE_LENGTH 12
#define CODE_SHARE 0.9

/* Longer texts are not looked at closely. */
#define SHORT_TEXT 48

#define MAX_WIDTHS 16

/* Values of fewer people than RARE_PEOPLE, or than one in this many, are rare. */
#define RARE_SHARE 1000

/*
 * There are outliers if all values span this many times the range of the
 * middle 98 %.
 */
#define OUTLYING_SPAN 3

/* Positive numbers that span this many times the least are binned by logarithms. */
#define LOGARITHMIC_SPAN 100

/* Days within which everybody alive was born, generously. */
#define LONG_DAYS (200 * 366)

/* Years added for future dates. */
#define YEARS_AHEAD 10

/* A column identifies people if one in this many is alone with a value. */
#define NAMING_SHARE 0.9
#define NAMING_PEOPLE 20

/*
 * Unique integers that span at most this many times the number of people may
 * be serial numbers; others are measurements.
 */
#define DENSE_SPAN 10

/* ------------------------------------------------------------------ types */

static void
refuse_column(ColumnPlan *plan, const char *role, const char *refusal, const char *hint)
{
	plan->role = role;
	plan->refusal = plan->reason = plan->form = refusal;
	plan->hint = hint;
}

static void
choose_hierarchy(ColumnPlan *plan, Builder builder, int levels, const char *form)
{
	plan->rule.builder = builder;
	plan->levels = levels;
	plan->form = form;
}

static void
suggest_role(ColumnPlan *plan, const char *role, const char *reason)
{
	plan->role = role;
	plan->reason = reason;
}

ColumnPlan *
column_plan_by_type(Oid relation, const char *column)
{
	ColumnPlan *plan = palloc0(sizeof(ColumnPlan));
	Oid			type = column_type(relation, column);
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC | TYPECACHE_HASH_PROC);
	char		kind = get_typtype(type);

	plan->column = pstrdup(column);
	plan->type = type;
	plan->rule.from_data = true;
	plan->rule.relation = relation;
	plan->rule.column = plan->column;
	plan->role = "quasi_identifier";
	if (type == UUIDOID)
		refuse_column(plan, "identifier", "it is a uuid, which identifies people and cannot be generalized",
					  "Declare it with anonopt.set_identifier.");
	else if (OidIsValid(get_element_type(type)))
		refuse_column(plan, "drop", psprintf("it is an array, %s, which has no order for generalization", format_type_be(type)),
					  "Make each element that matters a column of a view.");
	else if (kind == TYPTYPE_RANGE || kind == TYPTYPE_MULTIRANGE)
		refuse_column(plan, "drop", psprintf("it is a range, %s", format_type_be(type)),
					  "Make its bounds columns of a view.");
	else if (kind == TYPTYPE_COMPOSITE)
		refuse_column(plan, "drop", psprintf("it is a row, %s", format_type_be(type)),
					  "Make its fields columns of a view.");
	else if (type == JSONOID || type == JSONBOID || type == XMLOID)
		refuse_column(plan, "drop", psprintf("it is a document, %s", format_type_be(type)),
					  "Make each part that matters a column of a view.");
	else if (type == BYTEAOID || !OidIsValid(cache->cmp_proc) || !OidIsValid(cache->hash_proc))
		refuse_column(plan, "drop", psprintf("values of type %s cannot be generalized", format_type_be(type)),
					  "Convert it to another type in a view.");
	return plan;
}

/* ---------------------------------------------------------------- profile */

/* The day of a moment, in SQL. */
static char *
day_of(Oid type, const char *value)
{
	return psprintf(type == TIMESTAMPTZOID ? "(%s AT TIME ZONE 'UTC')::date" : "%s::date", value);
}

/*
 * What is asked of the texts s of a column, which c people have, in SQL.  Those
 * of more than a few words are neither codes nor addresses.
 */
static char *
text_figures(void)
{
	const char *alike = "min(length(s)) = max(length(s)) AND bool_and(s !~ '[[:lower:]]')";
	const char *coded = psprintf("s ~ '[0-9]' AND length(code) - length(country) <= %d", CODE_LENGTH);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "max(length(s)), bool_and(s ~ '[0-9]') OR (%s), (%s) OR bool_and(s = code)", alike, alike);
	appendStringInfo(&sql, ", count(*) FILTER (WHERE %s) >= %g * count(s) OR sum(c) FILTER (WHERE %s) >= %g * sum(c) FILTER (WHERE s IS NOT NULL)",
					 coded, CODE_SHARE, coded, CODE_SHARE);
	appendStringInfo(&sql, ", 2 * count(*) FILTER (WHERE country <> '') >= count(s), max(length(code) - length(country)) FILTER (WHERE %s)"
					 ", max(length(code)) FILTER (WHERE %s)", coded, coded);
	appendStringInfo(&sql, ", count(*) FILTER (WHERE length(s) <= %d AND %s) >= %g * count(s)", SHORT_TEXT, text_is_address("s"), CODE_SHARE);
	appendStringInfoString(&sql, ", bool_and(s ~ '^[^@[:space:]]+@[^@[:space:]]+$'), avg(length(s)) > 40 AND bool_or(s ~ ' .* .* .* ')");
	return sql.data;
}

/* The statement that examines a column of a type, from groups of its values if a statement makes these. */
static char *
profile_statement(Oid relation, const char *column, Oid type, const char *groups)
{
	const char *value = groups != NULL ? "r.value" : psprintf("r.%s", quote_identifier(column));
	const char *number = "NULL::numeric";
	const char *text = "NULL";
	const char *code = "NULL::text AS code, NULL::text AS country";
	const char *frequent = psprintf("c >= greatest(%d, t / %d)", RARE_PEOPLE, RARE_SHARE);

	if (type_is_number(type))
		number = psprintf("%s::numeric", value);
	else if (type_is_moment(type))
	{
		/* a number for infinity, which has no distance from a day */
		value = day_of(type, value);
		number = psprintf("CASE WHEN isfinite(%s) THEN (%s - date '2000-01-01')::numeric ELSE 'NaN' END", value, value);
	}
	else if (type_is_text(type))
	{
		text = psprintf("%s COLLATE \"C\"", column_text(relation, type, value));

		code = psprintf("CASE WHEN length(s) <= %d THEN %s END AS code, CASE WHEN length(s) <= %d THEN %s END AS country",
						SHORT_TEXT, code_of_text("s"), SHORT_TEXT, country_of_text("s"));
	}

	/*
	 * people are added up one level higher, since PostgreSQL 18 cannot if a
	 * foreign server groups by a constant
	 */
	return psprintf("SELECT count(v), coalesce(sum(c) FILTER (WHERE v IS NOT NULL), 0)::int8, coalesce(sum(c) FILTER (WHERE v IS NULL), 0)::int8,"
					" count(*) FILTER (WHERE c = 1 AND v IS NOT NULL), count(*) FILTER (WHERE v IS NOT NULL AND %s),"
					" coalesce(sum(c) FILTER (WHERE v IS NOT NULL AND NOT %s), 0)::int8, count(*) FILTER (WHERE NOT abs(n) < 'Infinity'),"
					" min(n) FILTER (WHERE abs(n) < 'Infinity')::float8, max(n) FILTER (WHERE abs(n) < 'Infinity')::float8, %s"
					" FROM (SELECT v, n, s, c, %s, (sum(c) OVER ())::int8 AS t FROM (SELECT v, n, s, %s AS c"
					" FROM (SELECT %s AS v, (%s) AS n, (%s)::text AS s%s) p GROUP BY v, n, s) q) g",
					frequent, frequent, type_is_text(type) ? text_figures() : "NULL::int4, false, false, false, false, NULL::int4, NULL::int4, false, false, false",
					code, groups != NULL ? "sum(rows)::int8" : "count(*)", value, number, text,
					groups != NULL ? psprintf(", rows FROM (%s) r (value, rows)", groups) : psprintf(" FROM %s r", relation_sql_name(relation)));
}

/* Examines a column. */
static Profile
profile_column(Oid relation, const char *column, Oid type)
{
	static const Oid types[] = {INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, FLOAT8OID, FLOAT8OID,
	INT4OID, BOOLOID, BOOLOID, BOOLOID, BOOLOID, INT4OID, INT4OID, BOOLOID, BOOLOID, BOOLOID};
	int			level = sql_use_catalog_names();
	List	   *relations;
	const char *groups = grouped_elsewhere(relation, list_make1(unconstify(char *, column)), &relations);
	Datum		values[lengthof(types)];
	bool		nulls[lengthof(types)];
	QueryRows  *rows;
	Profile		profile;

	/*
	 * values are 0 where they are null; another server may hold texts equal
	 * that differ, but not all of them unnoticed
	 */
	for (;; groups = NULL)
	{
		rows = rows_of_query(profile_statement(relation, column, type, groups),
							 groups == NULL ? list_make1_oid(relation) : relations, NULL, NULL, lengthof(types), types);
		heap_deform_tuple(linitial(rows->tuples), rows->desc, values, nulls);
		if (groups == NULL || !type_is_text(type) || DatumGetInt64(values[0]) > 1)
			break;
	}
	profile.values = DatumGetInt64(values[0]);
	profile.people = DatumGetInt64(values[1]);
	profile.nulls = DatumGetInt64(values[2]);
	profile.singles = DatumGetInt64(values[3]);
	profile.frequent = DatumGetInt64(values[4]);
	profile.rare_people = DatumGetInt64(values[5]);
	profile.infinite = DatumGetInt64(values[6]);
	profile.low = nulls[8] ? 0 : DatumGetFloat8(values[7]);
	profile.high = nulls[8] ? 0 : DatumGetFloat8(values[8]);
	profile.longest = DatumGetInt32(values[9]);
	profile.codes = DatumGetBool(values[10]) && profile.longest <= CODE_LENGTH;
	profile.uniform = DatumGetBool(values[11]);
	profile.mostly_codes = DatumGetBool(values[12]);
	profile.countries = DatumGetBool(values[13]);
	profile.code_length = Min(DatumGetInt32(values[profile.countries ? 14 : 15]), CODE_LENGTH);
	profile.addresses = DatumGetBool(values[16]);
	profile.mails = DatumGetBool(values[17]);
	profile.prose = DatumGetBool(values[18]);
	sql_restore_names(level);
	return profile;
}

/* ---------------------------------------------------------------- numbers */

/* A width of 1, 2 or 5 times a power of ten. */
typedef struct Width
{
	int			digit;
	int			exponent;
} Width;

static Width
make_width(int digit, int exponent)
{
	Width		width = {digit, exponent};

	return width;
}

static double
width_value(Width width)
{
	return width.digit * pow(10, width.exponent);
}

static Datum
numeric_text(const char *number)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(number), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static Datum
width_numeric(Width width)
{
	return numeric_text(psprintf("%de%d", width.digit, width.exponent));
}

/* The smallest such width that is at least a value. */
static Width
round_width(double value)
{
	Width		width = {1, (int) floor(log10(value))};
	static const int digits[] = {1, 2, 5};

	for (int i = 0; i < lengthof(digits); i++)
	{
		width.digit = digits[i];
		if (width_value(width) >= value * (1 - 1e-9))
			return width;
	}
	return make_width(1, width.exponent + 1);
}

/* The next such width that is a multiple of a width, but not just twice it. */
static Width
wider(Width width)
{
	return width.digit == 1 ? make_width(5, width.exponent) : make_width(1, width.exponent + 1);
}

static Datum
numeric_of(double value)
{
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(value));
}

static Datum
numeric_array(Datum *elements, int n)
{
	return PointerGetDatum(construct_array(elements, n, NUMERICOID, -1, false, TYPALIGN_INT));
}

/* Whether a column's integers are few enough to be leaves themselves. */
static bool
every_integer_is_leaf(const ColumnPlan *plan)
{
	return type_is_integer(plan->type) && plan->profile.high - plan->profile.low <= MANY_INTEGERS;
}

/* Intervals or ranges of equal widths. */
static void
plan_even_widths(ColumnPlan *plan)
{
	const Profile *profile = &plan->profile;
	double		span = profile->high - profile->low;
	bool		every_integer = every_integer_is_leaf(plan);
	Width		leaf = every_integer ? make_width(1, 0) : round_width(span / RANGE_LEAVES);
	Width		widest;
	Datum		elements[MAX_WIDTHS + 2];
	int			nwidths = 0;

	/* integers cannot have leaves narrower than one */
	if (type_is_integer(plan->type) && leaf.exponent < 0)
		leaf = make_width(1, 0);
	widest = leaf;
	/* until two or three groups are left */
	for (Width width = wider(leaf); nwidths < MAX_WIDTHS && width_value(width) <= span / 2; width = wider(width))
	{
		elements[nwidths++] = width_numeric(width);
		widest = width;
	}
	/* or twice and four times the last, where it would leave too many */
	for (int times = 2; times <= 4 && widest.digit == times / 2 && nwidths > 0 && span >= 2 * times * pow(10, widest.exponent); times *= 2)
	{
		widest.digit = times;
		elements[nwidths++] = width_numeric(widest);
	}
	choose_hierarchy(plan, every_integer ? BUILDER_INTERVALS : BUILDER_RANGES, nwidths + 1,
					 every_integer ? "whole numbers, in intervals" : "numbers, in ranges");
	plan->rule.numbers = numeric_array(elements, nwidths);
	plan->rule.step = every_integer ? 0 : width_numeric(leaf);
	plan->rule.low = numeric_of(floor(profile->low / width_value(widest)) * width_value(widest));
	plan->rule.high = numeric_of(every_integer ? profile->high : (floor(profile->high / width_value(leaf)) + 1) * width_value(leaf));
}

/* Shares of the people at which quantiles separate bins. */
static const double quantiles[] = {0.01, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50,
0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.99};

#define NQUANTILES lengthof(quantiles)

/*
 * A column's finite values at these shares, with each value counted once if
 * most people have the same.
 */
static void
read_quantiles(const ColumnPlan *plan, Oid relation, bool of_values, double *found)
{
	const char *value = psprintf("r.%s", quote_identifier(plan->column));
	Datum		values;
	Datum	   *edges;
	bool	   *nulls;
	bool		isnull;
	int			nedges;
	int			level = sql_use_catalog_names();

	if (type_is_moment(plan->type))
		value = psprintf("(CASE WHEN isfinite(%s) THEN %s - date '2000-01-01' END)", value, day_of(plan->type, value));
	values = value_of_query(psprintf("SELECT percentile_disc($1) WITHIN GROUP (ORDER BY n) FROM (SELECT %s %s::float8 AS n FROM %s r) s"
									 " WHERE abs(n) < 'Infinity'", of_values ? "DISTINCT" : "", value, relation_sql_name(relation)),
							list_make1_oid(relation), add_value(NULL, FLOAT8ARRAYOID, doubles_datum(quantiles, NQUANTILES), false),
							FLOAT8ARRAYOID, &isnull);
	deconstruct_array(DatumGetArrayTypeP(values), FLOAT8OID, 8, FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &edges, &nulls, &nedges);
	for (int i = 0; i < NQUANTILES; i++)
		found[i] = i < nedges && !nulls[i] ? DatumGetFloat8(edges[i]) : 0;
	sql_restore_names(level);
}

/*
 * Adds a level's edges, unless there are none or they equal those of the level
 * below.
 */
static void
add_edges(ColumnPlan *plan, Datum *edges, int nedges, int *last)
{
	if (nedges == 0 || (plan->rule.nedges > 0 && nedges == *last))
		return;
	plan->edges[plan->rule.nedges++] = numeric_array(edges, nedges);
	*last = nedges;
}

/*
 * Edges at 1 to 9 times powers of ten; one level higher at 1, 2, 5; above
 * these only at powers.
 */
static void
plan_logarithms(ColumnPlan *plan, double low, double high)
{
	int			least = (int) floor(log10(low));
	int			most = (int) ceil(log10(high));
	int			last = 0;

	for (int level = 0; level < 3; level++)
	{
		Datum	   *edges = palloc(sizeof(Datum) * 9 * (most - least + 1));
		int			nedges = 0;

		for (int exponent = least; exponent <= most; exponent++)
			for (int digit = 1; digit <= 9; digit++)
			{
				double		edge = width_value(make_width(digit, exponent));
				bool		taken = level == 0 || digit == 1 || (level == 1 && (digit == 2 || digit == 5));

				/* one edge at or below 1 %, one at or above 99 % */
				if (taken && (edge >= low || (digit < 9 ? width_value(make_width(digit + 1, exponent)) : pow(10, exponent + 1)) > low) &&
					edge - (digit > 1 ? pow(10, exponent) : pow(10, exponent) / 10) < high)
					edges[nedges++] = width_numeric(make_width(digit, exponent));
			}
		add_edges(plan, edges, nedges, &last);
	}
	plan->bins = "logarithms";
}

/* Quantiles in round numbers: twentieths, tenths, fifths. */
static void
plan_quantiles(ColumnPlan *plan, const double *found)
{
	Width		unit = round_width((found[NQUANTILES - 1] - found[0]) / 200);
	static const int every[] = {1, 2, 4};
	int			last = 0;

	if (type_is_integer(plan->type) && unit.exponent < 0)
		unit = make_width(1, 0);
	for (int level = 0; level < lengthof(every); level++)
	{
		Datum		edges[NQUANTILES];
		int			nedges = 0;
		double		before = 0;

		for (int i = 0; i < NQUANTILES; i++)
		{
			double		times = rint(found[i] / width_value(unit));

			/* the ends are clipped only at the lowest level */
			bool		taken = level == 0 || (i > 0 && i < NQUANTILES - 1 && i % every[level] == 0);

			if (!taken || (nedges > 0 && times == before))
				continue;
			edges[nedges++] = numeric_text(psprintf("%.0fe%d", times * unit.digit, unit.exponent));
			before = times;
		}
		add_edges(plan, edges, nedges, &last);
	}
	plan->bins = "quantiles";
}

/* Bins with open ends, if equal widths would leave nearly everybody in one. */
static bool
plan_bins(ColumnPlan *plan, Oid relation)
{
	double		found[NQUANTILES];
	double		span = plan->profile.high - plan->profile.low;

	read_quantiles(plan, relation, false, found);
	if (span <= OUTLYING_SPAN * (found[NQUANTILES - 1] - found[0]) && plan->profile.infinite == 0)
		return false;
	if (found[NQUANTILES - 1] <= found[0])
		read_quantiles(plan, relation, true, found);
	if (found[NQUANTILES - 1] <= found[0])
		return false;
	if (found[0] > 0 && found[NQUANTILES - 1] >= LOGARITHMIC_SPAN * found[0])
		plan_logarithms(plan, found[0], found[NQUANTILES - 1]);
	else
		plan_quantiles(plan, found);
	plan->rule.edges = plan->edges;
	choose_hierarchy(plan, BUILDER_BINS, plan->rule.nedges, psprintf("numbers with outliers, in bins by %s", plan->bins));
	plan->low = found[0];
	plan->high = found[NQUANTILES - 1];
	return true;
}

/* ------------------------------------------------------------------ dates */

static void
plan_dates(ColumnPlan *plan, Oid relation)
{
	static const char *const week[] = {"week"};
	static const char *const months[] = {"month", "quarter", "year", "decade", "20 years", "40 years"};
	int			nunits;
	double		days;
	int			year;
	int			month;
	int			day_of_month;
	bool		open = plan->profile.infinite > 0 || plan->profile.high - plan->profile.low > LONG_DAYS;

	plan->low = plan->profile.low;
	plan->high = plan->profile.high;
	if (open)
	{
		double		found[NQUANTILES];

		read_quantiles(plan, relation, false, found);
		plan->low = found[0];
		plan->high = found[NQUANTILES - 1];
	}
	days = plan->high - plan->low;
	nunits = days <= 180 ? 1 : days <= 10 * 365 ? 3 : days <= 40 * 365 ? 4 : days <= 80 * 365 ? 5 : 6;
	plan->rule.units = texts_datum(days <= 180 ? week : months, nunits);
	choose_hierarchy(plan, open ? BUILDER_DATES_OPEN : plan->type != DATEOID ? BUILDER_DATES_AS_RANGES : BUILDER_DATES,
					 nunits + 1, open ? "dates, with open ends" : "dates");
	/* ten years later, counted from 2000-01-01, too */
	j2date((int) plan->high + POSTGRES_EPOCH_JDATE, &year, &month, &day_of_month);
	if (month == 2 && day_of_month == 29)
		day_of_month = 28;
	plan->rule.low = day_bound((int32) plan->low);
	plan->rule.high = day_bound(date2j(year + YEARS_AHEAD, month, day_of_month) - POSTGRES_EPOCH_JDATE);
}

/* ------------------------------------------------------------------ texts */

/* The role that a column's name and values suggest. */
static void
plan_role(ColumnPlan *plan, Relation relation)
{
	const Profile *profile = &plan->profile;
	bool		alone = profile->people >= NAMING_PEOPLE && profile->singles >= NAMING_SHARE * profile->people;

	if (index_keeps_unique(relation, get_attnum(RelationGetRelid(relation), plan->column)))
		suggest_role(plan, "identifier", "it is unique by an index");
	else if (profile->mails && profile->values > 0)
		suggest_role(plan, "identifier", "it holds e-mail addresses");
	else if (column_means(plan->column, MEANS_NAME) || column_means(plan->column, MEANS_CONTACT))
		suggest_role(plan, "identifier", "its name suggests that it identifies people");
	else if (profile->values > 1 && profile->prose)
		suggest_role(plan, "drop", "it is prose, which may reveal anything");
	else if (alone && (type_is_text(plan->type) || (type_is_integer(plan->type) && profile->high - profile->low <= DENSE_SPAN * profile->people)))
		suggest_role(plan, "identifier", "nearly every value is unique");
	else if (profile->values + (profile->nulls > 0 ? 1 : 0) <= 1)
		suggest_role(plan, "insensitive", profile->people == 0 ? "it is empty" : "all values are equal");
	else if (column_means(plan->column, MEANS_PRIVATE))
		suggest_role(plan, "sensitive", "its name suggests that it is private");
}

/* Whether a column's texts, but for a few, are codes. */
static bool
is_coded(const ColumnPlan *plan)
{
	return type_is_text(plan->type) && plan->profile.values > FEW_VALUES && !column_means(plan->column, MEANS_NAME) &&
		(plan->profile.codes || plan->profile.mostly_codes) && plan->profile.code_length > 0;
}

void
column_plan_by_data(ColumnPlan *plan, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);
	const Profile *profile = &plan->profile;

	if (plan->refusal != NULL)
		return;
	plan->profile = profile_column(oid, plan->column, plan->type);
	choose_hierarchy(plan, BUILDER_FLAT, 1, profile->values > MANY_TEXTS ? "too many values for one step, unless you build a hierarchy" :
					 profile->values > FEW_VALUES ? "many values, in one step" : "few values, in one step");
	if (type_is_moment(plan->type) && profile->values > profile->infinite)
		plan_dates(plan, oid);
	else if (type_is_number(plan->type) && profile->values > FEW_VALUES && profile->low < profile->high)
	{
		if (every_integer_is_leaf(plan) || !plan_bins(plan, oid))
			plan_even_widths(plan);
	}
	else if (plan->type == TIMEOID && profile->values > 0)
		choose_hierarchy(plan, BUILDER_HOURS, 3, "times of day, in hours and quarters of the day");
	else if (type_is_text(plan->type) && profile->mails && profile->values > 0)
		choose_hierarchy(plan, BUILDER_MAILS, 2, "e-mail addresses, to their domains");
	else if (profile->values > 0 && (plan->type == INETOID || plan->type == CIDROID || (type_is_text(plan->type) && profile->addresses)))
		choose_hierarchy(plan, BUILDER_ADDRESSES, 4, "addresses of the Internet, to their networks");
	else if (is_coded(plan) && profile->codes && profile->uniform)
	{
		choose_hierarchy(plan, BUILDER_MASKS, Max(profile->longest, 1), "codes, masked from the right");
		plan->rule.word = "*";
	}
	else if (is_coded(plan))
	{
		if (profile->countries)
			choose_hierarchy(plan, BUILDER_COUNTRY_CODES, profile->code_length + 2, "codes, by their first characters, to their country");
		else
			choose_hierarchy(plan, BUILDER_CODES, profile->code_length + 1, "codes, by their first characters");
		plan->rule.minimum = Int64GetDatum(profile->code_length);
	}
	else if (type_is_text(plan->type) && profile->values > MANY_TEXTS && profile->frequent > 0 && profile->frequent < profile->values)
	{
		choose_hierarchy(plan, BUILDER_FREQUENCIES, 2, psprintf("texts, with one label for rare ones, which %.0f %% of the people have",
																100.0 * profile->rare_people / profile->people));
		plan->rule.minimum = Int64GetDatum(Max(RARE_PEOPLE, (profile->people + profile->nulls) / RARE_SHARE));
	}
	plan_role(plan, relation);
}

bool
column_plan_needs_bands(const ColumnPlan *plan)
{
	/* one percent, as releases judge it */
	return plan->rule.builder > BUILDER_NONE && plan->rule.builder < BUILDER_FLAT &&
		plan->profile.rare_people > 0.01 * plan->profile.people;
}

void
column_plan_tell(const ColumnPlan *plan)
{
	Builder		builder = plan->rule.builder;

	if (builder == BUILDER_BINS)
		ereport(NOTICE,
				(errmsg("column \"%s\" has outliers and is divided into bins by %s, open at both ends", plan->column, plan->bins),
				 errdetail("Bins divide the values between the 1 %% and the 99 %% quantile, which are about %g and %g.", plan->low, plan->high),
				 errhint("If other bounds are customary, build another hierarchy, for example with anonopt.create_top_coded_hierarchy.")));
	if (builder == BUILDER_DATES || builder == BUILDER_DATES_AS_RANGES || builder == BUILDER_DATES_OPEN)
		ereport(NOTICE,
				(errmsg("hierarchy of column \"%s\" reaches %d years ahead%s", plan->column, YEARS_AHEAD,
						builder == BUILDER_DATES_OPEN ? ", and is open beyond" : ""),
				 errdetail("Its last day is %s.",
						   DatumGetCString(DirectFunctionCall1(date_out, DateADTGetDatum(bound_day(plan->rule.high)))))));
}
