/*
 * hierarchy_builders_coded.c
 *	  SQL: hierarchies of numbers with top and bottom coding, or rounding.
 */
#include "sql/hierarchy_builders.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "sql/arguments.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

PG_FUNCTION_INFO_V1(anonopt_create_top_coded_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_rounding_hierarchy);

/*
 * A description of coded numbers, in parameters $1 to $6: low, high, widths,
 * step, top, bottom.
 */
typedef struct Coding
{
	Oid			types[6];
	Datum		values[6];
	char		nulls[7];
	int			nwidths;
	bool		integers;		/* leaves are integers, not ranges */
} Coding;

/* A condition over a description with NULLs. */
static bool
coding_holds(const Coding *coding, const char *condition)
{
	bool		isnull;
	Datum		result;

	sql_write(psprintf("SELECT %s", condition), 6, (Oid *) coding->types, (Datum *) coding->values, coding->nulls);
	result = sql_value(1, BOOLOID, &isnull);
	return !isnull && DatumGetBool(result);
}

static void
check_coding(Coding *coding)
{
	if (coding->nulls[4] == 'n' && coding->nulls[5] == 'n')
		refuse_description("neither top nor bottom is given", "Give the value at which top coding starts, or below which bottom coding applies.");
	if (!coding_holds(coding, "$4 > 0 AND $4 < 'Infinity'"))
		refuse_description("step must be positive", "For example 100; without a step, leaves are integers.");
	check_bounds(coding->types, coding->values);
	if (!coding_holds(coding, "coalesce($6, $1) >= $1 AND coalesce($6, $1) < coalesce($5, $2 + 1) AND coalesce($5, $2) <= $2"))
		refuse_description("low, bottom, top and high must be in increasing order", "For example low 0, bottom 18, top 85 and high 120.");
	if (coding->integers && !coding_holds(coding, "$1 = trunc($1) AND $2 = trunc($2) AND coalesce($5, 0) = trunc(coalesce($5, 0))"
										  " AND coalesce($6, 0) = trunc(coalesce($6, 0)) AND abs($1) < 9e18 AND abs($2) < 9e18"))
		refuse_description("low, high, top and bottom must be integers", "Give a step for other numbers.");
	check_widths(coding->types, coding->values);
}

/*
 * Common table expressions with each leaf, the number lo where it begins, and
 * whether it lies below, within or above the ends: -1, 0 or 1.
 */
static const char *
coded_leaves(const Coding *coding)
{
	if (coding->integers)
		return "(SELECT v AS leaf, v AS lo, CASE WHEN v >= $5 THEN 1 WHEN v < $6 THEN -1 ELSE 0 END AS side"
			" FROM generate_series($1, $2) v) leaves";
	return "(SELECT numrange(lo, hi, CASE WHEN $5 IS NULL AND hi >= $2 THEN '[]' ELSE '[)' END) AS leaf, lo, 0 AS side"
		" FROM (SELECT greatest($1 + i * $4, $6) AS lo, least($1 + (i + 1) * $4, coalesce($5, $2)) AS hi"
		" FROM generate_series(0, ceil(($2 - $1) / $4) - 1) i) steps WHERE lo < hi"
		" UNION ALL SELECT numrange(NULL, $6), NULL, -1 WHERE $6 IS NOT NULL"
		" UNION ALL SELECT numrange($5, NULL), NULL, 1 WHERE $5 IS NOT NULL) leaves";
}

/*
 * The label of an interval inside, or that of an end; intervals count from low
 * and end where coding begins.
 */
static void
append_coded_label(StringInfo sql, const char *inside)
{
	appendStringInfo(sql, ", CASE side WHEN 1 THEN '>= ' || trim_scale($5) WHEN -1 THEN '< ' || trim_scale($6) ELSE %s END", inside);
}

static char *
interval_label(const Coding *coding, int width)
{
	const char *end = coding->integers ? "least(l + w, $5)" : "least(l + w, coalesce($5, $2))";
	const char *closed = coding->integers ? "false" : "$5 IS NULL AND l + w >= $2";

	return psprintf("(SELECT format('[%%s, %%s%%s', trim_scale(greatest(l, $6)), trim_scale(%s), CASE WHEN %s THEN ']' ELSE ')' END)"
					" FROM (SELECT $1 + floor((lo - $1) / $3[%d]) * $3[%d] AS l, $3[%d] AS w) s)", end, closed, width, width, width);
}

static const char *
coded_type(const Coding *coding)
{
	if (!coding->integers)
		return "numrange";
	return coding_holds(coding, "abs($1) < 2147483648 AND abs($2) < 2147483648") ? "integer" : "bigint";
}

static Oid
build_coded(const char *name, Coding *coding)
{
	NewHierarchy *table = hierarchy_table_begin(name);
	int			nlevels = coding->nwidths + (coding->integers ? 1 : 0);
	StringInfoData sql;

	check_coding(coding);
	hierarchy_table_create(table, coded_type(coding), nlevels + 1);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT leaf", table->sql_name);
	if (coding->integers)
		append_coded_label(&sql, "lo::text");
	for (int width = 1; width <= coding->nwidths; width++)
		append_coded_label(&sql, interval_label(coding, width));
	appendStringInfo(&sql, ", '*' FROM %s", coded_leaves(coding));
	sql_write(sql.data, 6, coding->types, coding->values, coding->nulls);
	return hierarchy_table_finish(table, !coding->integers, false);
}

Datum
anonopt_create_top_coded_hierarchy(PG_FUNCTION_ARGS)
{
	/* positions of the arguments among the parameters */
	static const int place[] = {0, 1, 4, 5, 2, 3};
	Coding		coding = {.nulls = "      "};

	require_argument(fcinfo, "hierarchy");
	require_argument(fcinfo, "low");
	require_argument(fcinfo, "high");
	require_argument(fcinfo, "widths");
	for (int i = 0; i < lengthof(place); i++)
	{
		coding.types[place[i]] = place[i] == 2 ? NUMERICARRAYOID : NUMERICOID;
		coding.values[place[i]] = PG_GETARG_DATUM(i + 1);
		coding.nulls[place[i]] = PG_ARGISNULL(i + 1) ? 'n' : ' ';
	}
	coding.nwidths = count_elements(coding.values[2], "widths");
	coding.values[2] = array_from_one(coding.values[2]);
	coding.integers = PG_ARGISNULL(6);
	if (coding.integers)
		coding.values[3] = DirectFunctionCall1(int4_numeric, Int32GetDatum(1));
	coding.nulls[3] = ' ';
	PG_RETURN_OID(build_coded(text_to_cstring(PG_GETARG_TEXT_PP(0)), &coding));
}

/* The bin of a leaf that begins at lo, given the edges in a parameter. */
static char *
bin_label(int parameter)
{
	return psprintf("CASE g WHEN 0 THEN '< ' || trim_scale(e[1]) WHEN cardinality(e) THEN '>= ' || trim_scale(e[g])"
					" ELSE format('[%%s, %%s)', trim_scale(e[g]), trim_scale(e[g + 1])) END"
					" FROM (SELECT coalesce(width_bucket(lo, $%d), 0) AS g, $%d AS e) b", parameter, parameter);
}

Oid
build_bins(const char *name, const Datum *edges, int nlevels)
{
	NewHierarchy *table = hierarchy_table_begin(name);
	Oid		   *types = palloc(sizeof(Oid) * nlevels);
	StringInfoData sql;

	hierarchy_table_create(table, "numrange", nlevels);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT numrange(lo, hi)", table->sql_name);
	for (int i = 1; i <= nlevels; i++)
	{
		types[i - 1] = NUMERICARRAYOID;
		if (i > 1)
			appendStringInfo(&sql, ", (SELECT %s)", bin_label(i));
	}
	appendStringInfoString(&sql, ", '*' FROM (SELECT $1[i] AS lo, $1[i + 1] AS hi FROM generate_series(0, cardinality($1)) i) leaves");
	sql_write(sql.data, nlevels, types, (Datum *) edges, NULL);
	return hierarchy_table_finish(table, true, true);
}

/* A number rounded to a multiple, ties upwards; exact, since it uses div and mod. */
static char *
rounded(const char *value, const char *step)
{
	return psprintf("((div(2 * %s + %s, 2 * %s) - (mod(2 * %s + %s, 2 * %s) < 0)::int) * %s)",
					value, step, step, value, step, step, step);
}

/* Leaves of numbers to be rounded, with the label of level 1 as r1. */
static char *
rounded_leaves(bool continuous)
{
	if (!continuous)
		return psprintf("(SELECT v AS leaf, %s AS r1 FROM generate_series($1, $2) v) leaves", rounded("v", "$3[1]"));
	return psprintf("(SELECT numrange(trim_scale(greatest($1, m - $3[1] * 0.5)), trim_scale(least($2, m + $3[1] * 0.5)),"
					" CASE WHEN m + $3[1] * 0.5 > $2 THEN '[]' ELSE '[)' END) AS leaf, m AS r1"
					" FROM generate_series(%s, %s, $3[1]) m) leaves", rounded("$1", "$3[1]"), rounded("$2", "$3[1]"));
}

/*
 * Fails unless numbers from $1 to $2 can be rounded to multiples of $3, whose
 * first element is $4.
 */
static void
check_rounding(Oid *types, Datum *values, int nsteps, bool continuous)
{
	if (nsteps == 0)
		refuse_description("no step is given", "For example {10,50}.");
	if (!holds("$3[1] > 0 AND $3[1] < 'Infinity'", 3, types, values))
		refuse_description("each step must be positive", "For example {10,50}.");
	check_widths(types, values);
	if (!holds("$1 <= $2 AND abs($1) < 'Infinity' AND abs($2) < 'Infinity'", 2, types, values))
		refuse_description("low must be a finite number not above high", "Give the smallest and the largest possible value.");
	if (!continuous && !holds("$1 = trunc($1) AND $2 = trunc($2) AND abs($1) < 9e18 AND abs($2) < 9e18", 2, types, values))
		refuse_description("low and high must be integers", "Pass continuous => true for other numbers.");
	if (!holds(psprintf("($2 - $1) / %s < %d", continuous ? "$3[1]" : "1", MAX_LEAVES), 3, types, values))
		refuse_description("hierarchy would have too many leaves", "Use closer bounds.");
}

static Oid
build_rounded(const char *name, Datum low, Datum high, Datum steps, bool continuous)
{
	Oid			types[4] = {NUMERICOID, NUMERICOID, NUMERICARRAYOID, NUMERICOID};
	Datum		values[4] = {low, high, array_from_one(steps)};
	int			nsteps = count_elements(steps, "steps");
	NewHierarchy *table = hierarchy_table_begin(name);
	StringInfoData sql;
	bool		fits;

	values[3] = DirectFunctionCall1(int4_numeric, Int32GetDatum(1));
	if (nsteps > 0)
	{
		bool		isnull;

		sql_read("SELECT $3[1]", 3, types, values);
		values[3] = sql_value(1, NUMERICOID, &isnull);
	}
	check_rounding(types, values, nsteps, continuous);
	fits = holds("abs($1) < 2147483648 AND abs($2) < 2147483648", 2, types, values);
	hierarchy_table_create(table, continuous ? "numrange" : fits ? "integer" : "bigint", nsteps + 1);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT leaf", table->sql_name);
	for (int i = 1; i <= nsteps; i++)
		appendStringInfo(&sql, ", trim_scale(r%d)::text", i);
	appendStringInfo(&sql, ", '*' FROM %s", rounded_leaves(continuous));
	for (int i = 2; i <= nsteps; i++)
		appendStringInfo(&sql, " CROSS JOIN LATERAL (SELECT %s AS r%d) s%d",
						 rounded(psprintf("r%d", i - 1), psprintf("$3[%d]", i)), i, i);
	sql_write(sql.data, 4, types, values, NULL);
	return hierarchy_table_finish(table, continuous, false);
}

Datum
anonopt_create_rounding_hierarchy(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(build_rounded(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2),
								PG_GETARG_DATUM(3), PG_GETARG_BOOL(4)));
}
