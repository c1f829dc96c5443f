/*
 * hierarchy_builders_data.c
 *	  SQL: hierarchies from data: masks, quantiles, trees, flat ones.
 */
#include "sql/hierarchy_builders.h"

#include "access/relation.h"
#include "catalog/relations.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "mb/pg_wchar.h"
#include "read/hierarchy_read.h"
#include "sql/arguments.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(anonopt_create_mask_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_quantile_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_tree_hierarchy);

LeafColumn
leaf_column(Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);
	TypeMatch	match;
	bool text = match_types(type, TEXTOID, &match);
	LeafColumn	leaf;

	leaf.expression = psprintf("r.%s", quote_identifier(column));
	if (text)
		leaf.expression = psprintf("%s COLLATE pg_catalog.\"C\"", sql_as(match.data_form, leaf.expression));
	leaf.type_oid = text ? TEXTOID : type;
	leaf.type = text ? "text" : format_type_be_qualified(type);

	leaf.relation = relation_sql_name(relation);
	return leaf;
}

const char *
leaf_text(const LeafColumn *leaf, const char *expression)
{
	return leaf->type_oid == TEXTOID ? expression : sql_as(text_form(leaf->type_oid), expression);
}

static int32
longest_value(const LeafColumn *leaf)
{
	bool		isnull;
	Datum		longest;

	sql_read(psprintf("SELECT max(length(%s)) FROM %s r", leaf_text(leaf, leaf->expression),
					  leaf->relation), 0, NULL, NULL);
	longest = sql_value(1, INT4OID, &isnull);
	return isnull ? 0 : DatumGetInt32(longest);
}

Oid
build_masks(const char *name, Oid relation, const char *column, const char *mask)
{
	LeafColumn	leaf = leaf_column(relation, column);
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(mask)};
	NewHierarchy *table;
	StringInfoData sql;
	int			longest;

	if (pg_mbstrlen(mask) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("mask must be a single character"),
				 errhint("For example *, x or 0.")));
	table = hierarchy_table_begin(name);
	longest = Max(longest_value(&leaf), 1);
	hierarchy_table_create(table, leaf.type, longest);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT v", table->sql_name);
	for (int masked = 1; masked <= longest; masked++)
		appendStringInfo(&sql, ", left(rpad(%s, %d, $1), %d) || repeat($1, %d)",
						 leaf_text(&leaf, "v"), longest, longest - masked, masked);
	appendStringInfo(&sql, " FROM (SELECT DISTINCT %s AS v FROM %s r) s WHERE v IS NOT NULL",
					 leaf.expression, leaf.relation);
	sql_write(sql.data, 1, types, values, NULL);
	return hierarchy_table_finish(table, false, true);
}

Oid
build_flat(const char *name, Oid relation, const char *column)
{
	LeafColumn	leaf = leaf_column(relation, column);
	NewHierarchy *table = hierarchy_table_begin(name);

	hierarchy_table_create(table, leaf.type, 1);
	sql_write(psprintf("INSERT INTO %s SELECT DISTINCT %s, '*' FROM %s r WHERE %s IS NOT NULL",
					   table->sql_name, leaf.expression, leaf.relation, leaf.expression), 0, NULL, NULL, NULL);
	return hierarchy_table_finish(table, false, true);
}

/* Fails unless each number of buckets divides the one before. */
static void
check_buckets(ArrayType *buckets)
{
	int32	   *numbers = (int32 *) ARR_DATA_PTR(buckets);

	if (ARR_NDIM(buckets) != 1 || array_contains_nulls(buckets))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("buckets must be a one-dimensional array without nulls")));
	for (int i = 0; i < ARR_DIMS(buckets)[0]; i++)
		if (numbers[i] < 1 || (i > 0 && numbers[i - 1] % numbers[i] != 0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("each number of buckets must divide the one before"),
					 errhint("For example {20,10,5}.")));
}

/*
 * Common table expressions with the values and the number of their bucket at
 * each level, and the buckets with their labels.
 */
static void
append_quantiles(StringInfo sql, const LeafColumn *leaf, int nlevels)
{
	appendStringInfo(sql, "WITH counted AS (SELECT %s AS v, count(*) AS n FROM %s r GROUP BY 1),"
					 " summed AS (SELECT v, (sum(n) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING))::int8 - n AS below, (sum(n) OVER ())::int8 AS total"
					 " FROM counted WHERE v IS NOT NULL), placed AS MATERIALIZED (SELECT v", leaf->expression, leaf->relation);
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(sql, ", $1[%d]::int8 * below / total AS g%d", i, i);
	appendStringInfoString(sql, " FROM summed)");
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(sql, ", bucket%d AS MATERIALIZED (SELECT g, CASE WHEN before IS NULL AND next IS NULL THEN '*'"
						 " WHEN before IS NULL THEN format('< %%s', next)"
						 " WHEN next IS NULL THEN format('>= %%s', low)"
						 " ELSE format('[%%s, %%s)', low, next) END AS label"
						 " FROM (SELECT g, low, lead(low) OVER (ORDER BY g) AS next, lag(low) OVER (ORDER BY g) AS before"
						 " FROM (SELECT DISTINCT ON (g%d) g%d AS g, v AS low FROM placed ORDER BY g%d, v) s) t)", i, i, i, i);
}

static Oid
build_quantiles(const char *name, Oid relation, const char *column, ArrayType *buckets)
{
	LeafColumn	leaf = leaf_column(relation, column);
	Oid			types[1] = {INT4ARRAYOID};
	Datum		values[1] = {array_from_one(PointerGetDatum(buckets))};
	NewHierarchy *table;
	StringInfoData sql;
	int			nlevels;

	check_buckets(buckets);
	nlevels = ARR_DIMS(buckets)[0];
	table = hierarchy_table_begin(name);
	hierarchy_table_create(table, leaf.type, nlevels + 1);
	initStringInfo(&sql);
	append_quantiles(&sql, &leaf, nlevels);
	appendStringInfo(&sql, " INSERT INTO %s SELECT v", table->sql_name);
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(&sql, ", b%d.label", i);
	appendStringInfoString(&sql, ", '*' FROM placed p");
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(&sql, " JOIN bucket%d b%d ON b%d.g = p.g%d", i, i, i, i);
	sql_write(sql.data, 1, types, values, NULL);
	return hierarchy_table_finish(table, false, true);
}

/* The names of the first two columns of a table of edges. */
static void
edge_columns(Oid relation, char **child, char **parent)
{
	Relation	rel = relation_open_existing(relation);
	List	   *columns = live_columns(rel);

	if (list_length(columns) < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("table of edges needs two columns"),
				 errhint("The first holds the child, the second its parent.")));
	*child = pstrdup(NameStr(((Form_pg_attribute) linitial(columns))->attname));
	*parent = pstrdup(NameStr(((Form_pg_attribute) lsecond(columns))->attname));
	relation_close(rel, AccessShareLock);
}

/* Fails if a query over the edges finds values, naming up to five. */
static void
refuse_edges(const char *with, const char *query, const char *message, const char *hint)
{
	bool		isnull;
	Datum		found;

	sql_read(psprintf("%s SELECT string_agg(coalesce(quote_literal(left(c, 100)), 'NULL'), ', ' ORDER BY c)"
					  " FROM (SELECT c FROM (%s) f ORDER BY c LIMIT 5) s", with, query), 0, NULL, NULL);
	found = sql_value(1, TEXTOID, &isnull);
	if (!isnull)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("%s", message),
				 errdetail("Among them: %s.", TextDatumGetCString(found)),
				 errhint("%s", hint)));
}

/*
 * The edges under the alias r.  Distributed ones are fetched first, because
 * Citus does not walk down a tree.
 */
static const char *
tree_edges(const LeafColumn *leaf, Oid edges, const char *child, const char *parent)
{
	const char *names[2] = {quote_identifier(child), quote_identifier(parent)};
	const char *columns[2];

	if (!is_distributed(edges))
		return psprintf("%s r", leaf->relation);
	sql_read(psprintf("SELECT array_agg(r.%s)::text, array_agg(r.%s)::text FROM %s r", names[0], names[1], leaf->relation), 0, NULL, NULL);
	for (int i = 0; i < 2; i++)
	{
		char	   *values = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1);

		columns[i] = psprintf("%s::%s[]", quote_literal_cstr(values == NULL ? "{}" : values),
							  format_type_be_qualified(column_type(edges, i == 0 ? child : parent)));
	}
	return psprintf("unnest(%s, %s) AS r (%s, %s)", columns[0], columns[1], names[0], names[1]);
}

/*
 * Common table expressions with the nodes of a tree from the roots down, and
 * the leaves.  Nodes that hang on a cycle are never reached, nor those more
 * than one level deeper than a table has room for.
 */
static char *
tree_terms(const LeafColumn *leaf, Oid edges, const char *child, const char *parent)
{
	return psprintf("WITH RECURSIVE edge AS MATERIALIZED (SELECT DISTINCT %s AS v, %s COLLATE \"C\" AS c,"
					" %s COLLATE \"C\" AS p FROM %s),"
					" root AS (SELECT p AS c FROM edge a WHERE p IS NOT NULL"
					" AND NOT EXISTS (SELECT FROM edge b WHERE b.c = a.p)"
					" UNION SELECT c FROM edge WHERE p IS NULL),"
					" node AS (SELECT c, ARRAY[c] AS path FROM root"
					" UNION ALL SELECT e.c, n.path || e.c FROM node n JOIN edge e ON e.p = n.c"
					" WHERE cardinality(n.path) <= %d + 1),"
					" leaf AS (SELECT c, path, cardinality(path) - 1 AS depth FROM node"
					" WHERE NOT EXISTS (SELECT FROM edge e WHERE e.p = node.c))",
					leaf->expression, leaf_text(leaf, leaf->expression),
					sql_as(text_form(column_type(edges, parent)), psprintf("r.%s", quote_identifier(parent))),
					tree_edges(leaf, edges, child, parent), MOST_LEVELS);
}

/*
 * In effect until the names are restored.  The planner does not know that it
 * scans the edges once per level; only a hash join builds their hash just
 * once, and only if memory holds it: 14 allows half of what 15 does.
 */
static void
use_hash_joins(void)
{
	(void) set_config_option("enable_mergejoin", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("enable_nestloop", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("hash_mem_multiplier", "64", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * The number of edges from a root to the deepest node, at most one more than a
 * table has room for.
 */
static int32
tree_depth(const char *with)
{
	bool		isnull;

	sql_read(psprintf("%s SELECT coalesce(max(cardinality(path)) - 1, 0)::int4 FROM node", with), 0, NULL, NULL);
	return DatumGetInt32(sql_value(1, INT4OID, &isnull));
}

/* Fails unless edges form a tree that is not too deep; returns its depth. */
static int32
check_tree(const char *with, const LeafColumn *leaf)
{
	int32		depth;

	refuse_edges(with, "SELECT c FROM edge WHERE c IS NULL", "edges name a null child",
				 "Every row needs a child; a root is a child without a parent, or no child at all.");
	refuse_edges(with, "SELECT c FROM edge GROUP BY c HAVING count(*) > 1", "edges give a child two parents",
				 "A tree has one parent for each child.");
	depth = tree_depth(with);
	if (depth > MOST_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy would have too many levels"),
				 errdetail("A branch has more than %d edges.", MOST_LEVELS)));
	refuse_edges(with, "SELECT c FROM edge EXCEPT SELECT c FROM node", "edges run in a circle",
				 "Every branch must end at a root.");
	if (depth == 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("edges in %s do not form a tree", leaf->relation),
				 errhint("Give a row (child, parent) for every child.")));
	return depth;
}

static Oid
build_tree(const char *name, Oid edges)
{
	NewHierarchy *table;
	StringInfoData sql;
	char	   *child;
	char	   *parent;
	LeafColumn	leaf;
	char	   *with;
	int32		depth;

	edge_columns(edges, &child, &parent);
	leaf = leaf_column(edges, child);
	table = hierarchy_table_begin(name);
	use_hash_joins();
	with = tree_terms(&leaf, edges, child, parent);
	depth = check_tree(with, &leaf);
	hierarchy_table_create(table, leaf.type, depth);
	initStringInfo(&sql);
	appendStringInfo(&sql, "%s INSERT INTO %s SELECT e.v", with, table->sql_name);
	for (int level = 1; level <= depth; level++)
		appendStringInfo(&sql, ", path[depth + 1 - greatest(0, %d - (%d - depth))]", level, depth);
	appendStringInfoString(&sql, " FROM leaf JOIN edge e USING (c)");
	sql_write(sql.data, 0, NULL, NULL, NULL);
	return hierarchy_table_finish(table, false, true);
}

Datum
anonopt_create_mask_hierarchy(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(1);
	char	   *column = NameStr(*PG_GETARG_NAME(2));
	Relation	opened = relation_open_existing(relation);
	Oid			hierarchy;

	require_column(relation, column);
	hierarchy = build_masks(text_to_cstring(PG_GETARG_TEXT_PP(0)), relation, column,
							text_to_cstring(PG_GETARG_TEXT_PP(3)));
	relation_close(opened, NoLock);
	PG_RETURN_OID(hierarchy);
}

Datum
anonopt_create_quantile_hierarchy(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(1);
	char	   *column = NameStr(*PG_GETARG_NAME(2));
	Relation	opened = relation_open_existing(relation);
	Oid			hierarchy;

	require_column(relation, column);
	hierarchy = build_quantiles(text_to_cstring(PG_GETARG_TEXT_PP(0)), relation, column,
								PG_GETARG_ARRAYTYPE_P(3));
	relation_close(opened, NoLock);
	PG_RETURN_OID(hierarchy);
}

Datum
anonopt_create_tree_hierarchy(PG_FUNCTION_ARGS)
{
	Oid			edges = PG_GETARG_OID(1);
	Relation	opened = relation_open_existing(edges);
	Oid			hierarchy = build_tree(text_to_cstring(PG_GETARG_TEXT_PP(0)), edges);

	relation_close(opened, NoLock);
	PG_RETURN_OID(hierarchy);
}
