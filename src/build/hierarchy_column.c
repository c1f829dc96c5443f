/*
 * hierarchy_column.c
 *	  Builds hierarchies whose leaves are a column's values: flat, masked, in
 *	  quantiles, by frequency, by prefix, of codes, of times and of addresses; and
 *	  those of a tree, whose edges are two columns.
 */
#include "build/hierarchy_table.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* A column as leaves: texts compared by their bytes, other types unchanged. */
typedef struct LeafColumn
{
	Relation	opened;			/* which keeps the column's type */
	char	   *expression;		/* of r */
	Oid			type_oid;
	char	   *type;
	char	   *relation;
} LeafColumn;

/* The column of a table's rule. */
static LeafColumn
leaf_column(NewHierarchy *table)
{
	Oid			relation = table->rule.relation;
	const char *column = table->rule.column;
	LeafColumn	leaf = {.opened = relation_open_existing(relation)};

	table->rule.from_data = true;
	require_column(relation, column);
	leaf.type_oid = column_type(relation, column);
	leaf.expression = psprintf("r.%s", quote_identifier(column));
	if (type_is_text(leaf.type_oid))
	{
		leaf.expression = psprintf("%s COLLATE pg_catalog.\"C\"", column_text(relation, leaf.type_oid, leaf.expression));
		leaf.type_oid = TEXTOID;
	}
	leaf.type = format_type_be_qualified(leaf.type_oid);
	leaf.relation = relation_sql_name(relation);
	return leaf;
}

/* An expression with the type of leaves, as text. */
static const char *
leaf_text(const LeafColumn *leaf, const char *expression)
{
	return leaf->type_oid == TEXTOID ? expression : sql_as(text_form(leaf->type_oid), expression);
}

/* Fills a table from expressions of v. */
static void
fill_from_column(NewHierarchy *table, const LeafColumn *leaf, const char *from)
{
	hierarchy_table_fill(table, leaf->type, "v", from);
	relation_close(leaf->opened, NoLock);
}

/* The different values v. */
static char *
different_values(const LeafColumn *leaf)
{
	return psprintf("(SELECT DISTINCT %s AS v FROM %s r) s WHERE v IS NOT NULL", leaf->expression, leaf->relation);
}

/* A value computed from the column; 0 for NULL. */
static Datum
ask_column(const LeafColumn *leaf, ParamListInfo params, const char *expression, Oid type)
{
	List	   *relations = list_make1_oid(RelationGetRelid(leaf->opened));
	bool		isnull;

	return value_of_query(psprintf("SELECT %s FROM %s r", expression, leaf->relation), relations, params, type, &isnull);
}

void
build_flat(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);

	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, different_values(&leaf));
}

void
build_mails(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);

	hierarchy_add_level(table, "'*@' || lower(substr(v, strpos(v, '@') + 1))");
	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, different_values(&leaf));
}

void
build_masks(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);
	const char *text_value = leaf_text(&leaf, leaf.expression);
	int			longest = table->levels_given;

	if (pg_mbstrlen(table->rule.word) != 1)
		refuse_description("mask must be a single character", "For example *, x or 0.");
	table->params = add_text(NULL, table->rule.word);
	/* values that come later and are longer lose their ends at once */
	if (longest == 0)
		longest = DatumGetInt32(ask_column(&leaf, NULL, psprintf("max(length(%s))", text_value), INT4OID));
	longest = Max(longest, 1);
	for (int masked = 1; masked <= longest; masked++)
		hierarchy_add_level(table, psprintf("left(rpad(%s, %d, $1), %d) || repeat($1, %d)",
											leaf_text(&leaf, "v"), longest, longest - masked, masked));
	fill_from_column(table, &leaf, different_values(&leaf));
}

/* ------------------------------------------------------------------- quantiles */

/*
 * The values with the label l1, l2 and so on of their bucket at each level: an
 * equal share of the people, from the least value.
 */
static char *
quantile_labels(const LeafColumn *leaf, int nlevels)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "(WITH counted AS (SELECT %s AS v, count(*) AS n FROM %s r GROUP BY 1),"
					 " summed AS (SELECT v, (sum(n) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING))::int8 - n AS below, (sum(n) OVER ())::int8 AS total"
					 " FROM counted WHERE v IS NOT NULL), placed AS MATERIALIZED (SELECT v", leaf->expression, leaf->relation);
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(&sql, ", $1[%d]::int8 * below / total AS g%d", i, i);
	appendStringInfoString(&sql, " FROM summed)");
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(&sql, ", bucket%d AS MATERIALIZED (SELECT g, CASE WHEN before IS NULL AND next IS NULL THEN '*'"
						 " WHEN before IS NULL THEN format('< %%s', next)"
						 " WHEN next IS NULL THEN format('>= %%s', low)"
						 " ELSE format('[%%s, %%s)', low, next) END AS label"
						 " FROM (SELECT g, low, lead(low) OVER (ORDER BY g) AS next, lag(low) OVER (ORDER BY g) AS before"
						 " FROM (SELECT DISTINCT ON (g%d) g%d AS g, v AS low FROM placed ORDER BY g%d, v) s) t)", i, i, i, i);
	appendStringInfoString(&sql, " SELECT v");
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(&sql, ", b%d.label AS l%d", i, i);
	appendStringInfoString(&sql, " FROM placed p");
	for (int i = 1; i <= nlevels; i++)
		appendStringInfo(&sql, " JOIN bucket%d b%d ON b%d.g = p.g%d", i, i, i, i);
	appendStringInfoString(&sql, ") s");
	return sql.data;
}

void
build_quantiles(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);
	ArrayType  *buckets = DatumGetArrayTypeP(table->rule.lengths);
	const int32 *numbers = (int32 *) ARR_DATA_PTR(buckets);
	int			nlevels;

	if (ARR_NDIM(buckets) != 1 || array_contains_nulls(buckets))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("buckets must be a one-dimensional array without nulls")));
	nlevels = ARR_DIMS(buckets)[0];
	for (int i = 0; i < nlevels; i++)
		if (numbers[i] < 1 || (i > 0 && numbers[i - 1] % numbers[i] != 0))
			refuse_description("each number of buckets must divide the one before", "For example {20,10,5}.");
	table->params = add_array(NULL, INT4ARRAYOID, table->rule.lengths);
	for (int i = 1; i <= nlevels; i++)
		hierarchy_add_level(table, psprintf("l%d", i));
	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, quantile_labels(&leaf, nlevels));
}

/* ------------------------------------------------------------------------ texts */

/* A label that is not a value. */
static char *
free_label(const LeafColumn *leaf)
{
	for (int length = 0;; length++)
	{
		char	   *label = psprintf("%.*sother%.*s", length, "((((((((((((((((", length, "))))))))))))))))");
		char	   *equal = psprintf("bool_or(%s = $1)", leaf_text(leaf, leaf->expression));

		if (length == 16 || !DatumGetBool(ask_column(leaf, add_text(NULL, label), equal, BOOLOID)))
			return label;
	}
}

void
build_frequencies(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);
	char	   *frequent;

	require_readable_column(table->rule.relation, table->rule.column);
	if (DatumGetInt64(table->rule.minimum) < 1)
		refuse_description("minimum must be positive", "A value that occurs less often than this is not shown.");
	if (table->rule.word == NULL)
		table->rule.word = free_label(&leaf);
	table->params = add_value(NULL, INT8OID, table->rule.minimum, false);
	table->params = add_text(table->params, table->rule.word);
	frequent = psprintf("count(*) FILTER (WHERE %s = $2) >= $1", leaf_text(&leaf, leaf.expression));
	/* one that comes later has that label, too */
	if (table->leaves == NULL && DatumGetBool(ask_column(&leaf, table->params, frequent, BOOLOID)))
		refuse_description("label of rare values is also a frequent value", "Pass another label as other.");
	hierarchy_add_level(table, psprintf("CASE WHEN n >= $1 THEN %s ELSE $2 END", leaf_text(&leaf, "v")));
	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, psprintf("(SELECT %s AS v, count(*) AS n FROM %s r GROUP BY 1) s WHERE v IS NOT NULL",
											leaf.expression, leaf.relation));
}

void
build_prefixes(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);
	const char *separator = table->rule.word;
	int			nlengths = table->rule.lengths == 0 ? 0 : count_elements(table->rule.lengths, "lengths");
	const int32 *lengths = nlengths == 0 ? NULL : (int32 *) ARR_DATA_PTR(DatumGetArrayTypeP(table->rule.lengths));
	int			most_parts = 1;
	const char *code = leaf_text(&leaf, "v");

	require_readable_column(table->rule.relation, table->rule.column);
	if (nlengths == 0 && separator == NULL)
		refuse_description("neither lengths nor a separator is given", "For example {3,1} for ICD-10, or '.' between the parts of a code.");
	if (separator != NULL && *separator == '\0')
		refuse_description("separator must not be empty", "It is the text between the parts of a code.");
	for (int i = 0; i < nlengths; i++)
		if (lengths[i] < 1 || (i > 0 && lengths[i] >= lengths[i - 1]))
			refuse_description("each length must be positive and less than the one before", "For example {4,3,1}.");
	table->params = add_text(NULL, separator == NULL ? "" : separator);
	if (separator != NULL && table->leaves != NULL)
		most_parts = table->levels_given - nlengths;
	else if (separator != NULL)
	{
		char	   *most = psprintf("max(cardinality(string_to_array(%s, $1)))", leaf_text(&leaf, leaf.expression));

		most_parts = DatumGetInt32(ask_column(&leaf, table->params, most, INT4OID));
	}
	for (int parts = most_parts - 1; parts > 0; parts--)
		hierarchy_add_level(table, psprintf("array_to_string(parts[1:%d], $1)", parts));
	for (int i = 0; i < nlengths; i++)
		hierarchy_add_level(table, psprintf("left(%s, %d)", separator == NULL ? code : "coalesce(parts[1], '')", lengths[i]));
	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, psprintf("(SELECT v, %s AS parts FROM (SELECT DISTINCT %s AS v FROM %s r) d) s WHERE v IS NOT NULL",
											separator == NULL ? "$1" : psprintf("string_to_array(%s, $1)", code),
											leaf.expression, leaf.relation));
}

/* A country of up to three letters before a code with a digit: D-10115, NL 1011 AB. */
#define COUNTRY "^[[:space:]]*([A-Za-z]{1,3})[[:space:]-]+(?=[A-Za-z]*[0-9])"

char *
code_of_text(const char *v)
{
	return psprintf("translate(upper(%s), ' -' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13), '')", v);
}

char *
country_of_text(const char *v)
{
	return psprintf("upper(coalesce(substring(%s FROM '%s'), ''))", v, COUNTRY);
}

/*
 * A label is cut or not as its last character says: a cut one has more
 * characters than fit its level.  So a label determines the one above.
 */
void
build_codes(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);
	bool		countries = table->rule.builder == BUILDER_COUNTRY_CODES;
	int			longest = Min(DatumGetInt64(table->rule.minimum), MOST_LEVELS + 1);
	const char *before = countries ? "country || CASE WHEN country = '' THEN '' ELSE '-' END || " : "";
	const char *text_value = leaf_text(&leaf, "v");

	for (int length = longest; length > 0; length--)
		hierarchy_add_level(table, psprintf("%sleft(code, %d) || CASE WHEN length(code) > %d THEN '*' ELSE '' END", before, length, length));
	if (countries)
		hierarchy_add_level(table, "CASE WHEN country <> '' THEN country || '-*' ELSE left(code, 1) || CASE WHEN length(code) > 1 THEN '*' ELSE '' END END");
	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, psprintf("(SELECT v, country, substr(%s, length(country) + 1) AS code FROM (SELECT v, %s AS country"
											" FROM (SELECT DISTINCT %s AS v FROM %s r) d) c) s WHERE v IS NOT NULL",
											code_of_text(text_value), countries ? country_of_text(text_value) : "''", leaf.expression, leaf.relation));
}

char *
text_is_address(const char *v)
{
	/* of the sixth version: eight groups, or fewer around a double colon */
	return psprintf("(%s LIKE '%%.%%.%%.%%' AND %s ~ '^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])([.](?!$)|$)){4}$'"
					" OR %s LIKE '%%:%%:%%' AND (%s ~* '^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$'"
					" OR (%s ~* '^(([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?)::(([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?)$' AND length(%s) - length(replace(%s, ':', '')) <= 7)))",
					v, v, v, v, v, v, v);
}

void
build_addresses(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);
	const char *address = leaf.type_oid == TEXTOID ? psprintf("CASE WHEN %s THEN v::inet END", text_is_address("v")) : "v::inet";

	for (int i = 0; i < 3; i++)
		hierarchy_add_level(table, psprintf("coalesce(network(set_masklen(a, least(masklen(a), CASE family(a) WHEN 4 THEN %d ELSE %d END)))::text, 'no address')",
											24 - 8 * i, 64 - 16 * i));
	hierarchy_add_level(table, "'*'");
	fill_from_column(table, &leaf, psprintf("(SELECT v, %s AS a FROM (SELECT DISTINCT %s AS v FROM %s r) d) s WHERE v IS NOT NULL",
											address, leaf.expression, leaf.relation));
}

void
build_hours(NewHierarchy *table)
{
	LeafColumn	leaf = leaf_column(table);

	hierarchy_add_level(table, "to_char(extract(hour FROM v), 'FM00') || ':00'");
	hierarchy_add_level(table, "CASE WHEN v < time '06:00' THEN '[00:00, 06:00)' WHEN v < time '12:00' THEN '[06:00, 12:00)'"
						" WHEN v < time '18:00' THEN '[12:00, 18:00)' ELSE '[18:00, 24:00]' END");
	hierarchy_add_level(table, "'*'");
	/* all times, so that tomorrow's have leaves, too */
	fill_from_column(table, &leaf, psprintf("(WITH v AS (SELECT DISTINCT %s AS v FROM %s r) SELECT v FROM v UNION"
											" SELECT time '00:00' + i * step FROM (SELECT CASE WHEN bool_and(extract(second FROM v) = 0) THEN interval '1 minute'"
											" WHEN bool_and(extract(second FROM v) = trunc(extract(second FROM v))) THEN interval '1 second' END AS step FROM v) s,"
											" generate_series(0, (86400 / extract(epoch FROM step))::int - 1) i) s WHERE v IS NOT NULL",
											leaf.expression, leaf.relation));
}

/* ------------------------------------------------------------------------ trees */

/* Fails if a query over the edges finds values, naming up to five. */
static void
refuse_edges(const LeafColumn *leaf, const char *with, const char *query, const char *message, const char *hint)
{
	bool		isnull;
	Datum		found;

	found = value_of_query(psprintf("%s SELECT string_agg(coalesce(quote_literal(left(c, 100)), 'NULL'), ', ' ORDER BY c)"
									" FROM (SELECT c FROM (%s) f ORDER BY c LIMIT 5) s", with, query),
						   list_make1_oid(RelationGetRelid(leaf->opened)), NULL, TEXTOID, &isnull);
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
	const Oid	types[2] = {TEXTOID, TEXTOID};
	const char *columns[2];
	QueryRows  *rows;

	if (!is_distributed(edges))
		return psprintf("%s r", leaf->relation);
	rows = rows_of_query(psprintf("SELECT array_agg(r.%s)::text, array_agg(r.%s)::text FROM %s r", names[0], names[1], leaf->relation),
						 list_make1_oid(edges), NULL, NULL, 2, types);
	for (int i = 0; i < 2; i++)
	{
		char	   *values = row_text(rows, 0, i);

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
 * Fails unless edges form a tree that is not too deep; returns the number of
 * edges from a root to the deepest node.
 */
static int32
check_tree(const char *with, const LeafColumn *leaf)
{
	bool		isnull;
	int32		depth;

	refuse_edges(leaf, with, "SELECT c FROM edge WHERE c IS NULL", "edges name a null child",
				 "Every row needs a child; a root is a child without a parent, or no child at all.");
	refuse_edges(leaf, with, "SELECT c FROM edge GROUP BY c HAVING count(*) > 1", "edges give a child two parents",
				 "A tree has one parent for each child.");
	depth = DatumGetInt32(value_of_query(psprintf("%s SELECT coalesce(max(cardinality(path)) - 1, 0)::int4 FROM node", with),
										 list_make1_oid(RelationGetRelid(leaf->opened)), NULL, INT4OID, &isnull));
	if (depth > MOST_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchy would have too many levels"),
				 errdetail("A branch has more than %d edges.", MOST_LEVELS)));
	refuse_edges(leaf, with, "SELECT c FROM edge EXCEPT SELECT c FROM node", "edges run in a circle",
				 "Every branch must end at a root.");
	if (depth == 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("edges in %s do not form a tree", leaf->relation),
				 errhint("Give a row (child, parent) for every child.")));
	return depth;
}

void
build_tree(NewHierarchy *table)
{
	Oid			edges = table->rule.relation;
	Relation	rel = relation_open_existing(edges);
	List	   *columns = live_columns(rel);
	char	   *child;
	char	   *parent;
	LeafColumn	leaf;
	char	   *with;
	int32		depth;

	if (list_length(columns) < 2)
		refuse_description("table of edges needs two columns", "The first holds the child, the second its parent.");
	child = pstrdup(NameStr(((Form_pg_attribute) linitial(columns))->attname));
	parent = pstrdup(NameStr(((Form_pg_attribute) lsecond(columns))->attname));
	relation_close(rel, NoLock);
	table->rule.column = child;
	leaf = leaf_column(table);

	/*
	 * In effect until the names are restored.  The planner does not know that
	 * it scans the edges once per level; only a hash join builds their hash
	 * just once, and only if memory holds it: 14 allows half of what 15 does.
	 */
	sql_set("enable_mergejoin", "off");
	sql_set("enable_nestloop", "off");
	sql_set("hash_mem_multiplier", "64");
	with = tree_terms(&leaf, edges, child, parent);
	depth = check_tree(with, &leaf);
	for (int level = 1; level <= depth; level++)
		hierarchy_add_level(table, psprintf("path[depth + 1 - greatest(0, %d - (%d - depth))]", level, depth));
	fill_from_column(table, &leaf, psprintf("(%s SELECT e.v, path, depth FROM leaf JOIN edge e USING (c)) s", with));
}
