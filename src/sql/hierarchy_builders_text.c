/*
 * hierarchy_builders_text.c
 *	  SQL: hierarchies of a column's texts, by frequency or by prefix.
 */
#include "sql/hierarchy_builders.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "sql/arguments.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(anonopt_create_frequency_hierarchy);
PG_FUNCTION_INFO_V1(anonopt_create_prefix_hierarchy);

/* A label that is not a value. */
static char *
free_label(const LeafColumn *leaf)
{
	Oid			types[1] = {TEXTOID};

	for (int length = 0;; length++)
	{
		char	   *label = psprintf("%.*sother%.*s", length, "((((((((((((((((", length, "))))))))))))))))");
		Datum		values[1] = {CStringGetTextDatum(label)};

		if (length == 16 || !holds(psprintf("EXISTS (SELECT 1 FROM %s r WHERE %s = $1)", leaf->relation,
											leaf_text(leaf, leaf->expression)), 1, types, values))
			return label;
	}
}

/* Fails if a frequent value equals the label of rare values. */
static void
refuse_ambiguous(const LeafColumn *leaf, Oid *types, Datum *values)
{
	if (!holds(psprintf("EXISTS (SELECT 1 FROM %s r WHERE %s = $2 HAVING count(*) >= $1)",
						leaf->relation, leaf_text(leaf, leaf->expression)), 2, types, values))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("label of rare values is also a frequent value"),
			 errhint("Pass another label as other.")));
}

Oid
build_frequencies(const char *name, Oid relation, const char *column, int64 minimum, const char *other)
{
	LeafColumn	leaf = leaf_column(relation, column);
	Oid			types[2] = {INT8OID, TEXTOID};
	Datum		values[2] = {Int64GetDatum(minimum)};
	NewHierarchy *table;

	if (minimum < 1)
		refuse_description("minimum must be positive", "A value that occurs less often than this is not shown.");
	table = hierarchy_table_begin(name);
	values[1] = CStringGetTextDatum(other == NULL ? free_label(&leaf) : other);
	refuse_ambiguous(&leaf, types, values);
	hierarchy_table_create(table, leaf.type, 2);
	sql_write(psprintf("INSERT INTO %s SELECT v, CASE WHEN n >= $1 THEN %s ELSE $2 END, '*'"
					   " FROM (SELECT %s AS v, count(*) AS n FROM %s r GROUP BY 1) s WHERE v IS NOT NULL",
					   table->sql_name, leaf_text(&leaf, "v"), leaf.expression, leaf.relation), 2, types, values, NULL);
	return hierarchy_table_finish(table, false, true);
}

/*
 * Builds a hierarchy whose leaves are a column's values, with labels given as
 * expressions of a value v, then *.  A query over the relation v of values may
 * add leaves; NULL for none.
 */
static Oid
build_expressions(const char *name, Oid relation, const char *column, const char *const *labels, int nlabels, const char *further)
{
	LeafColumn	leaf = leaf_column(relation, column);
	NewHierarchy *table = hierarchy_table_begin(name);
	StringInfoData sql;

	hierarchy_table_create(table, leaf.type, nlabels + 1);
	initStringInfo(&sql);
	appendStringInfo(&sql, "WITH v AS (SELECT DISTINCT %s AS v FROM %s r) INSERT INTO %s SELECT v",
					 leaf.expression, leaf.relation, table->sql_name);
	for (int i = 0; i < nlabels; i++)
		appendStringInfo(&sql, ", %s", labels[i]);
	appendStringInfo(&sql, ", '*' FROM (SELECT v FROM v%s%s) s WHERE v IS NOT NULL", further == NULL ? "" : " UNION ", further == NULL ? "" : further);
	sql_write(sql.data, 0, NULL, NULL, NULL);
	return hierarchy_table_finish(table, false, true);
}

Oid
build_hours(const char *name, Oid relation, const char *column)
{
	static const char *const labels[] = {
		"to_char(extract(hour FROM v), 'FM00') || ':00'",
		"CASE WHEN v < time '06:00' THEN '[00:00, 06:00)' WHEN v < time '12:00' THEN '[06:00, 12:00)'"
		" WHEN v < time '18:00' THEN '[12:00, 18:00)' ELSE '[18:00, 24:00]' END"
	};

	/* so that tomorrow's times have leaves, too */
	static const char *const all_times =
	"SELECT time '00:00' + i * step FROM (SELECT CASE WHEN bool_and(extract(second FROM v) = 0) THEN interval '1 minute'"
	" WHEN bool_and(extract(second FROM v) = trunc(extract(second FROM v))) THEN interval '1 second' END AS step FROM v) s,"
	" generate_series(0, (86400 / extract(epoch FROM step))::int - 1) i";

	return build_expressions(name, relation, column, labels, lengthof(labels), all_times);
}

Oid
build_mails(const char *name, Oid relation, const char *column)
{
	static const char *const labels[] = {"'*@' || lower(substr(v, strpos(v, '@') + 1))"};

	return build_expressions(name, relation, column, labels, lengthof(labels), NULL);
}

/* Codes cut at separators, then to given lengths. */
typedef struct PrefixCuts
{
	const char *separator;		/* or NULL */
	int			nlengths;
	int32	   *lengths;		/* each less than the one before */
	int			most_parts;		/* of a code in the data */
} PrefixCuts;

static void
check_cuts(PrefixCuts *cuts, ArrayType *lengths)
{
	if (lengths != NULL)
	{
		cuts->nlengths = count_elements(PointerGetDatum(lengths), "lengths");
		cuts->lengths = (int32 *) ARR_DATA_PTR(lengths);
	}
	if (cuts->nlengths == 0 && cuts->separator == NULL)
		refuse_description("neither lengths nor a separator is given", "For example {3,1} for ICD-10, or '.' between the parts of a code.");
	if (cuts->separator != NULL && *cuts->separator == '\0')
		refuse_description("separator must not be empty", "It is the text between the parts of a code.");
	for (int i = 0; i < cuts->nlengths; i++)
		if (cuts->lengths[i] < 1 || (i > 0 && cuts->lengths[i] >= cuts->lengths[i - 1]))
			refuse_description("each length must be positive and less than the one before", "For example {4,3,1}.");
}

/* The number of parts of the code that has the most; texts are in parameter $1. */
static int
most_parts(const LeafColumn *leaf, Oid *types, Datum *values)
{
	bool		isnull;
	Datum		most;

	sql_read(psprintf("SELECT max(cardinality(string_to_array(%s, $1))) FROM %s r",
					  leaf_text(leaf, leaf->expression), leaf->relation), 1, types, values);
	most = sql_value(1, INT4OID, &isnull);
	return isnull ? 1 : Max(DatumGetInt32(most), 1);
}

static Oid
build_prefixes(const char *name, Oid relation, const char *column, PrefixCuts *cuts)
{
	LeafColumn	leaf = leaf_column(relation, column);
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(cuts->separator == NULL ? "" : cuts->separator)};
	NewHierarchy *table = hierarchy_table_begin(name);
	const char *code = leaf_text(&leaf, "v");
	StringInfoData sql;

	cuts->most_parts = cuts->separator == NULL ? 1 : most_parts(&leaf, types, values);
	hierarchy_table_create(table, leaf.type, cuts->most_parts + cuts->nlengths);
	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT v", table->sql_name);
	for (int parts = cuts->most_parts - 1; parts > 0; parts--)
		appendStringInfo(&sql, ", array_to_string(parts[1:%d], $1)", parts);
	for (int i = 0; i < cuts->nlengths; i++)
		appendStringInfo(&sql, ", left(%s, %d)", cuts->separator == NULL ? code : "coalesce(parts[1], '')", cuts->lengths[i]);
	appendStringInfo(&sql, ", '*' FROM (SELECT v, %s AS parts FROM (SELECT DISTINCT %s AS v FROM %s r) d) s WHERE v IS NOT NULL",
					 cuts->separator == NULL ? "$1" : psprintf("string_to_array(%s, $1)", code), leaf.expression, leaf.relation);
	sql_write(sql.data, 1, types, values, NULL);
	return hierarchy_table_finish(table, false, true);
}

Datum
anonopt_create_frequency_hierarchy(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(1);
	char	   *column = NameStr(*PG_GETARG_NAME(2));
	Relation	opened = relation_open_existing(relation);
	Oid			hierarchy;

	require_readable_column(relation, column);
	hierarchy = build_frequencies(text_to_cstring(PG_GETARG_TEXT_PP(0)), relation, column, PG_GETARG_INT64(3),
								  text_to_cstring(PG_GETARG_TEXT_PP(4)));
	relation_close(opened, NoLock);
	PG_RETURN_OID(hierarchy);
}

Datum
anonopt_create_prefix_hierarchy(PG_FUNCTION_ARGS)
{
	PrefixCuts	cuts = {0};
	Relation	opened;
	Oid			relation;
	char	   *column;
	Oid			hierarchy;

	require_argument(fcinfo, "hierarchy");
	require_argument(fcinfo, "relation");
	require_argument(fcinfo, "column_name");
	relation = PG_GETARG_OID(1);
	column = NameStr(*PG_GETARG_NAME(2));
	opened = relation_open_existing(relation);
	require_readable_column(relation, column);
	cuts.separator = PG_ARGISNULL(4) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(4));
	check_cuts(&cuts, PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3));
	hierarchy = build_prefixes(text_to_cstring(PG_GETARG_TEXT_PP(0)), relation, column, &cuts);
	relation_close(opened, NoLock);
	PG_RETURN_OID(hierarchy);
}
