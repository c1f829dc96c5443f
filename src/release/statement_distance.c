/*
 * statement_distance.c
 *	  Promises of t, in SQL: classes whose values are distributed similarly to
 *	  all.
 *
 * If a class has n people, c of them with a value, and there are N people in
 * all, C of them with the value, the value's difference is the integer c N - C
 * n. The distances are sums of such differences, divided once, and so exactly
 * equal to the engine's.
 */
#include "release/statement_parts.h"

#include "catalog/sql.h"
#include "common/shortest_dec.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"

static const Histograms *
sensitive_column(const Specification *spec, int sensitive)
{
	return spec->population->columns[sensitive];
}

/* The hierarchy of a sensitive column. */
static Oid
sensitive_hierarchy(const Specification *spec, int sensitive)
{
	for (int i = 0; i < spec->dataset->nattributes; i++)
	{
		const Declared *declared = &spec->dataset->attributes[i];

		if (declared->role == ROLE_SENSITIVE && sensitive-- == 0)
			return declared->hierarchy;
	}
	return InvalidOid;
}

bool
by_shares(const Specification *spec)
{
	return spec->promise.has_t || spec->population->has_conditions;
}

/* Whether a distance is promised for a column. */
static bool
promises_distance(const Specification *spec, int sensitive)
{
	return spec->promise.has_t || (sensitive_column(spec, sensitive)->models & MODEL_BIT(MODEL_T)) != 0;
}

bool
needs_places(const Specification *spec, int sensitive)
{
	return promises_distance(spec, sensitive) && OidIsValid(sensitive_hierarchy(spec, sensitive)) &&
		sensitive_column(spec, sensitive)->metric != DISTANCE_EQUAL;
}

void
append_places(StringInfo sql, const Specification *spec, int sensitive)
{
	const Hierarchy *tree = sensitive_column(spec, sensitive)->tree;
	const char *separator = "";

	for (uint32 leaf = 0; leaf < tree->nleaves; leaf++)
	{
		if (tree->labels[0][leaf] == NULL)
			continue;
		appendStringInfo(sql, "%s(%s::pg_catalog.text, %u)", separator, quote_literal_cstr(tree->labels[0][leaf]), leaf);
		separator = ", ";
	}
	if (*separator == '\0')
		appendStringInfoString(sql, "(NULL::pg_catalog.text, NULL::pg_catalog.int4)");
}

/* NULL has a position only if it is a leaf. */
void
append_place(StringInfo sql, const Specification *spec, int sensitive)
{
	const Histograms *column = sensitive_column(spec, sensitive);

	if (column->tree->null_leaf == NO_LEAF)
		appendStringInfo(sql, ", p%d.place", sensitive + 1);
	else
		appendStringInfo(sql, ", CASE WHEN r.%s IS NULL THEN %u ELSE p%d.place END", quote_identifier(column->name),
						 column->tree->null_leaf, sensitive + 1);
	appendStringInfo(sql, " AS %s", own_name_of(spec, "place", sensitive));
}

void
append_places_condition(StringInfo sql, const Specification *spec, const char *before)
{
	for (int j = 0; j < spec->population->nsensitive; j++)
	{
		const Histograms *column = sensitive_column(spec, j);

		if (!needs_places(spec, j))
			continue;
		appendStringInfoString(sql, before);
		before = " AND ";
		if (column->tree->null_leaf == NO_LEAF)
			appendStringInfo(sql, "p%d.place IS NOT NULL", j + 1);
		else
			appendStringInfo(sql, "(r.%s IS NULL OR p%d.place IS NOT NULL)", quote_identifier(column->name), j + 1);
	}
}

void
append_place_joins(StringInfo sql, const Specification *spec)
{
	for (int j = 0; j < spec->population->nsensitive; j++)
	{
		const Histograms *column = sensitive_column(spec, j);
		Oid			hierarchy = sensitive_hierarchy(spec, j);
		char	   *alias = psprintf("v%d", j + 1);
		const char *leaf;
		bool		places;

		if (!needs_places(spec, j))
			continue;
		leaf = quote_identifier(hierarchy_column(hierarchy, 0));
		places = has_range_places(spec, column->name, hierarchy, column->tree);
		if (places)
			appendStringInfo(sql, "\n\t\t\tLEFT JOIN (SELECT f.%s, %s FROM %s f) %s (%s, place) ON ", leaf,
							 range_place_sql(hierarchy, "f"), relation_sql_name(hierarchy), alias, leaf);
		else
			appendStringInfo(sql, "\n\t\t\tLEFT JOIN %s %s ON ", relation_sql_name(hierarchy), alias);
		append_leaf_match(sql, spec, column->name, hierarchy, alias, places ? psprintf("%s.place", alias) : NULL);
		appendStringInfoString(sql, "\n\t\t\tLEFT JOIN (");
		if (spec->key != NULL)
			appendStringInfo(sql, "SELECT k.leaf%d, k.place%d FROM ONLY %s k", j + 1, j + 1, spec->key);
		else
		{
			appendStringInfoString(sql, "VALUES ");
			append_places(sql, spec, j);
		}
		appendStringInfo(sql, ") p%d (leaf, place) ON p%d.leaf COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=)"
						 " %s", j + 1, j + 1, label_sql(alias, hierarchy, 0));
	}
}

/*
 * The sort key of a column's values: their positions if they have any, then
 * the values.
 */
static void
append_numbering(StringInfo sql, const Specification *spec, int sensitive)
{
	appendStringInfoString(sql, ",\n\t\tpg_catalog.dense_rank() OVER (ORDER BY ");
	if (needs_places(spec, sensitive))
		appendStringInfo(sql, "b.%s, ", own_name_of(spec, "place", sensitive));
	append_value(sql, spec, "b", sensitive);
	appendStringInfo(sql, ") AS %s", own_name_of(spec, "number", sensitive));
}

/*
 * The difference between each value's share in each class of some rows and its
 * share in all.
 */
static void
append_differences(StringInfo sql, const Specification *spec, int sensitive, const char *name, const char *rows, const char *class)
{
	const char *number = own_name_of(spec, "number", sensitive);
	const char *place = needs_places(spec, sensitive) ?
	psprintf(", pg_catalog.min(%s) AS place", own_name_of(spec, "place", sensitive)) : "";

	appendStringInfo(sql, ",\n%s%d AS (\n"
					 "\tSELECT c.class, c.people, a.people AS all_people, v.number%s,\n"
					 "\t\tCOALESCE(x.people, 0) AS own, v.people AS everyone,\n"
					 "\t\t(COALESCE(x.people, 0)::pg_catalog.numeric OPERATOR(pg_catalog.*) a.people)"
					 " OPERATOR(pg_catalog.-) (v.people::pg_catalog.numeric OPERATOR(pg_catalog.*) c.people) AS difference\n"
					 "\tFROM (SELECT %s AS class, pg_catalog.count(*) AS people FROM %s GROUP BY 1) c\n"
					 "\tCROSS JOIN (SELECT %s AS number, pg_catalog.count(*) AS people%s FROM anonopt_rows GROUP BY 1) v\n"
					 "\tCROSS JOIN (SELECT pg_catalog.count(*) AS people FROM anonopt_rows) a\n"
					 "\tLEFT JOIN (SELECT %s AS class, %s AS number, pg_catalog.count(*) AS people FROM %s GROUP BY 1, 2) x\n"
					 "\t\tON x.class OPERATOR(pg_catalog.=) c.class AND x.number OPERATOR(pg_catalog.=) v.number\n)",
					 name, sensitive + 1, *place != '\0' ? ", v.place" : "", class, rows, number, place, class, number, rows);
}

void
append_t_tables(StringInfo sql, const Specification *spec, const char *before, const char *base)
{
	appendStringInfo(sql, "%sanonopt_rows AS MATERIALIZED (\n\tSELECT b.*,\n\t\tpg_catalog.dense_rank() OVER (ORDER BY ", before);
	append_class_columns(sql, spec, "b");
	appendStringInfo(sql, ") AS %s", own_name(spec, "class"));
	for (int j = 0; j < spec->population->nsensitive; j++)
		append_numbering(sql, spec, j);
	appendStringInfo(sql, "\n\tFROM (\n\t\t\t%s\n\t) b\n)", base);
	for (int j = 0; j < spec->population->nsensitive; j++)
		append_differences(sql, spec, j, "anonopt_differences", "anonopt_rows", own_name(spec, "class"));
}

void
append_hidden_tables(StringInfo sql, const Specification *spec)
{
	for (int j = 0; j < spec->population->nsensitive; j++)
		append_differences(sql, spec, j, "anonopt_hidden", "anonopt_marked", own_name(spec, "hidden"));
}

/*
 * The condition that a sum, divided by a multiple of the product of the
 * people, is within t.
 */
static char *
within_t(double threshold, const char *sum, const char *times)
{
	char		t[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(threshold, t);

	/*
	 * operators written in this way all have the same precedence, left to
	 * right
	 */
	return psprintf("pg_catalog.sum(%s)::pg_catalog.float8 OPERATOR(pg_catalog./)"
					" (d.all_people::pg_catalog.numeric OPERATOR(pg_catalog.*) d.people OPERATOR(pg_catalog.*) %s)::pg_catalog.float8"
					" OPERATOR(pg_catalog.<=) '%s'::pg_catalog.float8", sum, times, t);
}

static void
append_equal(StringInfo sql, int sensitive, const char *table, double t)
{
	appendStringInfo(sql, "SELECT d.class FROM %s%d d GROUP BY d.class, d.people, d.all_people"
					 " HAVING %s", table, sensitive + 1, within_t(t, "pg_catalog.abs(d.difference)", "2"));
}

static void
append_ordered(StringInfo sql, int sensitive, const char *table, double t)
{
	appendStringInfo(sql, "SELECT d.class FROM (SELECT e.class, e.people, e.all_people, pg_catalog.sum(e.difference)"
					 " OVER (PARTITION BY e.class ORDER BY e.number) AS heap, pg_catalog.count(*) OVER (PARTITION BY e.class) AS numbers"
					 " FROM %s%d e) d GROUP BY d.class, d.people, d.all_people, d.numbers"
					 " HAVING %s", table, sensitive + 1,
					 within_t(t, "pg_catalog.abs(d.heap)", "GREATEST(d.numbers OPERATOR(pg_catalog.-) 1, 1)"));
}

/* Leaves by position, and the number of their label at every level. */
static void
append_tree(StringInfo sql, const Hierarchy *tree)
{
	for (uint32 leaf = 0; leaf < tree->nleaves; leaf++)
	{
		appendStringInfo(sql, "%s(%u", leaf > 0 ? ", " : "", leaf);
		for (int level = 0; level <= tree->height; level++)
			appendStringInfo(sql, ", %u", tree->levels[level].label_of[leaf]);
		appendStringInfoString(sql, ", 0)");
	}
}

/* The cost of moving people between the children of each label of one level. */
static void
append_level_cost(StringInfo sql, int sensitive, const char *table, int level, int cost)
{
	appendStringInfo(sql, "SELECT f.class, f.people, f.all_people, %d OPERATOR(pg_catalog.*)"
					 " LEAST(pg_catalog.sum(GREATEST(f.extra, 0)), pg_catalog.sum(GREATEST((OPERATOR(pg_catalog.-) f.extra), 0))) AS cost"
					 " FROM (SELECT e.class, e.people, e.all_people, l.n%d AS above, l.n%d AS below, pg_catalog.sum(e.difference) AS extra"
					 " FROM %s%d e JOIN anonopt_tree%d l ON l.place OPERATOR(pg_catalog.=) e.place"
					 " GROUP BY 1, 2, 3, 4, 5) f GROUP BY f.class, f.people, f.all_people, f.above",
					 cost, level, level - 1, table, sensitive + 1, sensitive + 1);
}

static void
append_hierarchical(StringInfo sql, const Specification *spec, int sensitive, const char *table, double t)
{
	const Hierarchy *tree = sensitive_column(spec, sensitive)->tree;

	appendStringInfo(sql, "WITH anonopt_tree%d (place", sensitive + 1);
	for (int level = 0; level <= tree->height + 1; level++)
		appendStringInfo(sql, ", n%d", level);
	appendStringInfoString(sql, ") AS (VALUES ");
	append_tree(sql, tree);
	appendStringInfoString(sql, ") SELECT d.class FROM (");
	for (int level = 1; level <= tree->height + 1; level++)
	{
		appendStringInfoString(sql, level > 1 ? " UNION ALL " : "");
		append_level_cost(sql, sensitive, table, level, Min(level, Max(tree->height, 1)));
	}
	appendStringInfo(sql, ") d GROUP BY d.class, d.people, d.all_people HAVING %s",
					 within_t(t, "d.cost", psprintf("%d", Max(tree->height, 1))));
}

void
append_within(StringInfo sql, const Specification *spec, int sensitive, const char *table, double t)
{
	switch (sensitive_column(spec, sensitive)->metric)
	{
		case DISTANCE_EQUAL:
			append_equal(sql, sensitive, table, t);
			break;
		case DISTANCE_ORDERED:
			append_ordered(sql, sensitive, table, t);
			break;
		case DISTANCE_HIERARCHICAL:
			append_hierarchical(sql, spec, sensitive, table, t);
			break;
	}
}

void
append_t_condition(StringInfo sql, const Specification *spec, int sensitive)
{
	appendStringInfoString(sql, " AND EXISTS (SELECT FROM (");
	append_within(sql, spec, sensitive, "anonopt_differences", spec->promise.t);
	appendStringInfo(sql, ") x WHERE x.class OPERATOR(pg_catalog.=) s.%s)", own_name(spec, "class"));
}

void
append_hidden_condition(StringInfo sql, const Specification *spec, int sensitive)
{
	appendStringInfoString(sql, " AND EXISTS (SELECT FROM (");
	append_within(sql, spec, sensitive, "anonopt_hidden", spec->promise.t);
	appendStringInfoString(sql, ") x WHERE x.class)");
}
