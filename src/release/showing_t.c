/*
 * showing_t.c
 *	  Promises of t, in SQL: classes whose values are distributed much as all.
 *
 * With n the people of a class and N all people, a value that c of the class
 * and C of all have differs by c N - C n, an integer.  The distances are sums
 * of such differences, divided once: the very numbers that the engine has.
 */
#include "release/showing_parts.h"

#include "catalog/sql.h"
#include "common/shortest_dec.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"

static const Histograms *
sensitive_column(const Showing *showing, int sensitive)
{
	return showing->population->columns[sensitive];
}

/* The hierarchy of a sensitive column. */
static Oid
sensitive_hierarchy(const Showing *showing, int sensitive)
{
	for (int i = 0; i < showing->dataset->nattributes; i++)
	{
		const Declared *declared = &showing->dataset->attributes[i];

		if (declared->role == ROLE_SENSITIVE && sensitive-- == 0)
			return declared->hierarchy;
	}
	return InvalidOid;
}

bool
needs_places(const Showing *showing, int sensitive)
{
	return showing->promise.has_t && OidIsValid(sensitive_hierarchy(showing, sensitive)) &&
		sensitive_column(showing, sensitive)->metric != DISTANCE_EQUAL;
}

void
append_places(StringInfo sql, const Showing *showing, int sensitive)
{
	const Hierarchy *tree = sensitive_column(showing, sensitive)->tree;
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

/* NULL has a place only where it is a leaf. */
void
append_place(StringInfo sql, const Showing *showing, int sensitive)
{
	const Histograms *column = sensitive_column(showing, sensitive);

	if (column->tree->null_leaf == NO_LEAF)
		appendStringInfo(sql, ", p%d.place", sensitive + 1);
	else
		appendStringInfo(sql, ", CASE WHEN r.%s IS NULL THEN %u ELSE p%d.place END", quote_identifier(column->name),
						 column->tree->null_leaf, sensitive + 1);
	appendStringInfo(sql, " AS %s", own_name_of(showing, "place", sensitive));
}

void
append_places_condition(StringInfo sql, const Showing *showing, const char *before)
{
	for (int j = 0; j < showing->population->nsensitive; j++)
	{
		const Histograms *column = sensitive_column(showing, j);

		if (!needs_places(showing, j))
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
append_place_joins(StringInfo sql, const Showing *showing)
{
	for (int j = 0; j < showing->population->nsensitive; j++)
	{
		const Histograms *column = sensitive_column(showing, j);
		Oid			hierarchy = sensitive_hierarchy(showing, j);
		char	   *alias = psprintf("v%d", j + 1);

		if (!needs_places(showing, j))
			continue;
		appendStringInfo(sql, "\n\t\t\tLEFT JOIN %s %s ON ", relation_sql_name(hierarchy), alias);
		append_leaf_match(sql, showing, column->name, hierarchy, alias);
		appendStringInfoString(sql, "\n\t\t\tLEFT JOIN (");
		if (showing->key != NULL)
			appendStringInfo(sql, "SELECT k.leaf%d, k.place%d FROM ONLY %s k", j + 1, j + 1, showing->key);
		else
		{
			appendStringInfoString(sql, "VALUES ");
			append_places(sql, showing, j);
		}
		appendStringInfo(sql, ") p%d (leaf, place) ON p%d.leaf COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=)"
						 " %s", j + 1, j + 1, label_sql(alias, hierarchy, 0));
	}
}

/* What numbers a column's values: their places if they have any, then themselves. */
static void
append_numbering(StringInfo sql, const Showing *showing, int sensitive)
{
	appendStringInfoString(sql, ",\n\t\tpg_catalog.dense_rank() OVER (ORDER BY ");
	if (needs_places(showing, sensitive))
		appendStringInfo(sql, "b.%s, ", own_name_of(showing, "place", sensitive));
	append_value(sql, showing, "b", sensitive);
	appendStringInfo(sql, ") AS %s", own_name_of(showing, "number", sensitive));
}

/* How each value's share in each class of some rows differs from its share in all. */
static void
append_differences(StringInfo sql, const Showing *showing, int sensitive, const char *name, const char *rows, const char *class)
{
	const char *number = own_name_of(showing, "number", sensitive);
	const char *place = needs_places(showing, sensitive) ?
	psprintf(", pg_catalog.min(%s) AS place", own_name_of(showing, "place", sensitive)) : "";

	appendStringInfo(sql, ",\n%s%d AS (\n"
					 "\tSELECT c.class, c.people, a.people AS all_people, v.number%s,\n"
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
append_t_tables(StringInfo sql, const Showing *showing, const char *base)
{
	appendStringInfoString(sql, "WITH anonopt_rows AS MATERIALIZED (\n\tSELECT b.*,\n\t\tpg_catalog.dense_rank() OVER (ORDER BY ");
	append_class_columns(sql, showing, "b");
	appendStringInfo(sql, ") AS %s", own_name(showing, "class"));
	for (int j = 0; j < showing->population->nsensitive; j++)
		append_numbering(sql, showing, j);
	appendStringInfo(sql, "\n\tFROM (\n\t\t\t%s\n\t) b\n)", base);
	for (int j = 0; j < showing->population->nsensitive; j++)
		append_differences(sql, showing, j, "anonopt_differences", "anonopt_rows", own_name(showing, "class"));
}

void
append_hidden_tables(StringInfo sql, const Showing *showing, const char *marked)
{
	appendStringInfo(sql, ",\nanonopt_marked AS MATERIALIZED (\n\t%s\n)", marked);
	for (int j = 0; j < showing->population->nsensitive; j++)
		append_differences(sql, showing, j, "anonopt_hidden", "anonopt_marked", own_name(showing, "hidden"));
}

/* The condition under which a sum, divided by so many times the product of the people, is within t. */
static char *
within_t(const Showing *showing, const char *sum, const char *times)
{
	char		t[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(showing->promise.t, t);
	/* operators written in this way all bind alike, from the left */
	return psprintf("pg_catalog.sum(%s)::pg_catalog.float8 OPERATOR(pg_catalog./)"
					" (d.all_people::pg_catalog.numeric OPERATOR(pg_catalog.*) d.people OPERATOR(pg_catalog.*) %s)::pg_catalog.float8"
					" OPERATOR(pg_catalog.<=) '%s'::pg_catalog.float8", sum, times, t);
}

static void
append_equal(StringInfo sql, const Showing *showing, int sensitive, const char *table)
{
	appendStringInfo(sql, "SELECT d.class FROM %s%d d GROUP BY d.class, d.people, d.all_people"
					 " HAVING %s", table, sensitive + 1, within_t(showing, "pg_catalog.abs(d.difference)", "2"));
}

static void
append_ordered(StringInfo sql, const Showing *showing, int sensitive, const char *table)
{
	appendStringInfo(sql, "SELECT d.class FROM (SELECT e.class, e.people, e.all_people, pg_catalog.sum(e.difference)"
					 " OVER (PARTITION BY e.class ORDER BY e.number) AS heap, pg_catalog.count(*) OVER (PARTITION BY e.class) AS numbers"
					 " FROM %s%d e) d GROUP BY d.class, d.people, d.all_people, d.numbers"
					 " HAVING %s", table, sensitive + 1,
					 within_t(showing, "pg_catalog.abs(d.heap)", "GREATEST(d.numbers OPERATOR(pg_catalog.-) 1, 1)"));
}

/* Leaves by their places, and the number of their label at every level. */
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

/* What it costs to move people between the labels below each label of one level. */
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
append_hierarchical(StringInfo sql, const Showing *showing, int sensitive, const char *table)
{
	const Hierarchy *tree = sensitive_column(showing, sensitive)->tree;

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
					 within_t(showing, "d.cost", psprintf("%d", Max(tree->height, 1))));
}

/* The classes that keep a promise of t, of a table of differences. */
static void
append_keeping(StringInfo sql, const Showing *showing, int sensitive, const char *table)
{
	switch (sensitive_column(showing, sensitive)->metric)
	{
		case DISTANCE_EQUAL:
			append_equal(sql, showing, sensitive, table);
			break;
		case DISTANCE_ORDERED:
			append_ordered(sql, showing, sensitive, table);
			break;
		case DISTANCE_HIERARCHICAL:
			append_hierarchical(sql, showing, sensitive, table);
			break;
	}
}

void
append_t_condition(StringInfo sql, const Showing *showing, int sensitive)
{
	appendStringInfoString(sql, " AND EXISTS (SELECT FROM (");
	append_keeping(sql, showing, sensitive, "anonopt_differences");
	appendStringInfo(sql, ") x WHERE x.class OPERATOR(pg_catalog.=) s.%s)", own_name(showing, "class"));
}

void
append_hidden_condition(StringInfo sql, const Showing *showing, int sensitive)
{
	appendStringInfoString(sql, " AND EXISTS (SELECT FROM (");
	append_keeping(sql, showing, sensitive, "anonopt_hidden");
	appendStringInfoString(sql, ") x WHERE x.class)");
}
