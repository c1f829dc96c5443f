/*
 * hierarchy_numbers.c
 *	  Builds hierarchies of numbers: in intervals or ranges, with top and bottom
 *	  coding, rounded, in bins.
 *
 * All but bins are described by the parameters $1 low, $2 high, $3 widths, $4
 * the width of a leaf, $5 top and $6 bottom.
 */
#include "build/hierarchy_table.h"

#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"

/*
 * Sets the parameters, among them widths under a name.  Without a step leaves are
 * integers; without top or bottom, those are null.
 */
static void
set_numbers(NewHierarchy *table, const char *widths_name, Datum step)
{
	const HierarchyRule *rule = &table->rule;

	(void) count_elements(rule->numbers, widths_name);
	table->params = add_value(table->params, NUMERICOID, rule->low, false);
	table->params = add_value(table->params, NUMERICOID, rule->high, false);
	table->params = add_array(table->params, NUMERICARRAYOID, rule->numbers);
	table->params = add_value(table->params, NUMERICOID, step == 0 ? DirectFunctionCall1(int4_numeric, Int32GetDatum(1)) : step, false);
	table->params = add_value(table->params, NUMERICOID, rule->top, rule->top == 0);
	table->params = add_value(table->params, NUMERICOID, rule->bottom, rule->bottom == 0);
}

static void
check_widths(const NewHierarchy *table)
{
	require_description(table, "coalesce(bool_and(w > 0 AND w < 'Infinity' AND mod(w, nullif(u, 0)) = 0), true) FROM"
						" (SELECT w, lag(w, 1, $4) OVER (ORDER BY i) AS u FROM"
						" unnest($3) WITH ORDINALITY AS a (w, i)) s",
						"each width must be a positive multiple of the one before",
						"For example {5,10,20}; the first must be a multiple of the leaves' own width.");
}

static void
check_bounds(const NewHierarchy *table)
{
	require_description(table, "$1 <= $2 AND abs($1) < 'Infinity' AND abs($2) < 'Infinity'",
						"low must be a finite number not above high", "Give the smallest and the largest possible value.");
}

static void
check_leaves(const NewHierarchy *table, const char *width, const char *hint)
{
	require_description(table, psprintf("($2 - $1) / %s < %d", width, MAX_LEAVES), "hierarchy would have too many leaves", hint);
}

#define INTEGER_BOUNDS "$1 = trunc($1) AND $2 = trunc($2) AND abs($1) < 9e18 AND abs($2) < 9e18"

static const char *
integer_type(const NewHierarchy *table)
{
	return holds(table, "abs($1) < 2147483648 AND abs($2) < 2147483648") ? "integer" : "bigint";
}

/* ------------------------------------------- intervals, ranges, coded numbers */

/* Adds a level with the label of an end, or of what lies between them. */
static void
add_coded_level(NewHierarchy *table, const char *inside)
{
	hierarchy_add_level(table, psprintf("CASE side WHEN 1 THEN '>= ' || trim_scale($5) WHEN -1 THEN '< ' || trim_scale($6) ELSE %s END", inside));
}

/*
 * Fills a table from each leaf, the number lo where it begins, and whether it
 * lies below, within or above the ends: -1, 0 or 1.  The last range is closed,
 * so that high itself has a leaf.
 */
static void
fill_numbers(NewHierarchy *table, bool integers)
{
	int			nwidths = count_elements(table->params->params[2].value, "widths");
	const char *end = integers ? "least(l + w, $5)" : "least(l + w, coalesce($5, $2))";
	const char *closed = integers ? "false" : "$5 IS NULL AND l + w >= $2";
	const char *leaves = "(SELECT v AS leaf, v AS lo, CASE WHEN v >= $5 THEN 1 WHEN v < $6 THEN -1 ELSE 0 END AS side"
	" FROM generate_series($1, $2) v) leaves";

	if (!integers)
		leaves = "(SELECT numrange(lo, hi, CASE WHEN $5 IS NULL AND hi >= $2 THEN '[]' ELSE '[)' END) AS leaf, lo, 0 AS side"
			" FROM (SELECT greatest($1 + i * $4, $6) AS lo, least($1 + (i + 1) * $4, coalesce($5, $2)) AS hi"
			" FROM generate_series(0, ceil(($2 - $1) / $4) - 1) i) steps WHERE lo < hi"
			" UNION ALL SELECT numrange(NULL, $6), NULL, -1 WHERE $6 IS NOT NULL"
			" UNION ALL SELECT numrange($5, NULL), NULL, 1 WHERE $5 IS NOT NULL) leaves";
	/* intervals of a width count from low and end where coding begins */
	for (int i = 1; i <= nwidths; i++)
		add_coded_level(table, psprintf("(SELECT format('[%%s, %%s%%s', trim_scale(greatest(l, $6)), trim_scale(%s),"
										" CASE WHEN %s THEN ']' ELSE ')' END)"
										" FROM (SELECT $1 + floor((lo - $1) / $3[%d]) * $3[%d] AS l, $3[%d] AS w) s)", end, closed, i, i, i));
	hierarchy_add_level(table, "'*'");
	table->has_ranges = !integers;
	hierarchy_table_fill(table, integers ? integer_type(table) : "numrange", "leaf", leaves);
}

void
build_numbers(NewHierarchy *table)
{
	bool		integers = table->rule.builder == BUILDER_INTERVALS;

	set_numbers(table, "widths", table->rule.step);
	if (integers)
		require_description(table, INTEGER_BOUNDS, "low and high must be integers", "Use anonopt.create_range_hierarchy for other numbers.");
	else
		require_description(table, "$4 > 0 AND $4 < 'Infinity' AND $1 < $2",
							"step must be positive and low below high", "For example 0, 100 and step 5.");
	check_bounds(table);
	check_leaves(table, "$4", "Use a larger step, or closer bounds.");
	check_widths(table);
	fill_numbers(table, integers);
}

void
build_coded(NewHierarchy *table)
{
	bool		integers = table->rule.step == 0;

	set_numbers(table, "widths", table->rule.step);
	if (table->rule.top == 0 && table->rule.bottom == 0)
		refuse_description("neither top nor bottom is given", "Give the value at which top coding starts, or below which bottom coding applies.");
	require_description(table, "$4 > 0 AND $4 < 'Infinity'", "step must be positive", "For example 100; without a step, leaves are integers.");
	check_bounds(table);
	check_leaves(table, "$4", "Use a larger step, or closer bounds.");
	require_description(table, "coalesce($6, $1) >= $1 AND coalesce($6, $1) < coalesce($5, $2 + 1) AND coalesce($5, $2) <= $2",
						"low, bottom, top and high must be in increasing order", "For example low 0, bottom 18, top 85 and high 120.");
	if (integers)
		require_description(table, INTEGER_BOUNDS " AND coalesce($5, 0) = trunc(coalesce($5, 0)) AND coalesce($6, 0) = trunc(coalesce($6, 0))",
							"low, high, top and bottom must be integers", "Give a step for other numbers.");
	check_widths(table);
	if (integers)
		add_coded_level(table, "lo::text");
	fill_numbers(table, integers);
}

/* ------------------------------------------------------------- rounded numbers */

/* A number rounded to a multiple, ties upwards; exact, since it uses div and mod. */
static char *
rounded(const char *value, const char *step)
{
	return psprintf("((div(2 * %s + %s, 2 * %s) - (mod(2 * %s + %s, 2 * %s) < 0)::int) * %s)",
					value, step, step, value, step, step, step);
}

void
build_rounded(NewHierarchy *table)
{
	bool		continuous = table->rule.builder == BUILDER_ROUNDED_RANGES;
	int			nsteps = count_elements(table->rule.numbers, "steps");
	Datum	   *step;
	StringInfoData from;

	deconstruct_array(DatumGetArrayTypeP(table->rule.numbers), NUMERICOID, -1, false, TYPALIGN_INT, &step, NULL, &nsteps);
	if (nsteps == 0)
		refuse_description("no step is given", "For example {10,50}.");
	set_numbers(table, "steps", step[0]);
	require_description(table, "$4 > 0 AND $4 < 'Infinity'", "each step must be positive", "For example {10,50}.");
	check_widths(table);
	check_bounds(table);
	if (!continuous)
		require_description(table, INTEGER_BOUNDS, "low and high must be integers", "Pass continuous => true for other numbers.");
	check_leaves(table, continuous ? "$4" : "1", "Use closer bounds.");
	initStringInfo(&from);
	/* with the label of level 1 as r1 */
	if (continuous)
		appendStringInfo(&from, "(SELECT numrange(trim_scale(greatest($1, m - $4 * 0.5)), trim_scale(least($2, m + $4 * 0.5)),"
						 " CASE WHEN m + $4 * 0.5 > $2 THEN '[]' ELSE '[)' END) AS leaf, m AS r1"
						 " FROM generate_series(%s, %s, $4) m) leaves", rounded("$1", "$4"), rounded("$2", "$4"));
	else
		appendStringInfo(&from, "(SELECT v AS leaf, %s AS r1 FROM generate_series($1, $2) v) leaves", rounded("v", "$4"));
	for (int i = 1; i <= nsteps; i++)
	{
		hierarchy_add_level(table, psprintf("trim_scale(r%d)::text", i));
		if (i > 1)
			appendStringInfo(&from, " CROSS JOIN LATERAL (SELECT %s AS r%d) s%d",
							 rounded(psprintf("r%d", i - 1), psprintf("$3[%d]", i)), i, i);
	}
	hierarchy_add_level(table, "'*'");
	table->has_ranges = continuous;
	hierarchy_table_fill(table, continuous ? "numrange" : integer_type(table), "leaf", from.data);
}

/* ------------------------------------------------------------------------ bins */

void
build_bins(NewHierarchy *table)
{
	for (int i = 1; i <= table->rule.nedges; i++)
	{
		table->params = add_value(table->params, NUMERICARRAYOID, table->rule.edges[i - 1], false);
		/* the bin of a leaf that begins at lo */
		if (i > 1)
			hierarchy_add_level(table, psprintf("(SELECT CASE g WHEN 0 THEN '< ' || trim_scale(e[1]) WHEN cardinality(e) THEN '>= ' || trim_scale(e[g])"
												" ELSE format('[%%s, %%s)', trim_scale(e[g]), trim_scale(e[g + 1])) END"
												" FROM (SELECT coalesce(width_bucket(lo, $%d), 0) AS g, $%d AS e) b)", i, i));
	}
	hierarchy_add_level(table, "'*'");
	table->has_ranges = true;
	hierarchy_table_fill(table, "numrange", "numrange(lo, hi)",
						 "(SELECT $1[i] AS lo, $1[i + 1] AS hi FROM generate_series(0, cardinality($1)) i) leaves");
}
