/*
 * hierarchy_csv.c
 *	  SQL: create_csv_hierarchy, a hierarchy from the text of a CSV file.
 *
 * ARX writes a hierarchy with one line per leaf: the value, then its label at
 * each level.  PostgreSQL's COPY reads it, once empty lines and a byte order
 * mark are gone and the delimiter is a single byte.  Duplicates are removed in
 * the table, where the type of leaves decides which are equal.
 */
#include "sql/hierarchy_builders.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/type_match.h"
#include "commands/copy.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(anonopt_create_csv_hierarchy);

/* A text for COPY. */
typedef struct CsvText
{
	StringInfoData lines;
	char		delimiter[2];
	int			nfields;		/* of the first line */
} CsvText;

/* What COPY reads at the moment; its callback gets no argument. */
static StringInfo source;

static void
check_delimiter(const char *delimiter)
{
	if (pg_mbstrlen(delimiter) != 1 || strchr("\"\r\n", *delimiter) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delimiter must be a single character that is neither a quote nor a line break"),
				 errhint("For example ;, a comma or a tab.")));
}

/* A delimiter of a single byte, instead of one that may have several. */
static char
short_delimiter(const char *csv, Size length, const char *delimiter)
{
	if (delimiter[1] == '\0')
		return delimiter[0];
	for (char control = 1; control < ' '; control++)
		if (control != '\n' && control != '\r' && memchr(csv, control, length) == NULL)
			return control;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("delimiter must be a single byte, since csv has all control characters"),
			 errhint("For example ;, a comma or a tab.")));
	return '\0';
}

/*
 * Copies a text without empty lines, with the short delimiter.  Two quotes
 * that stand for one end quoting and begin it again.
 */
static CsvText
prepare_text(const char *csv, Size length, const char *delimiter)
{
	CsvText text = {.nfields = 0};
	const char *end = csv + length;
	Size		size = strlen(delimiter);
	bool		quoted = false;
	int			nfields = 1;

	check_delimiter(delimiter);
	text.		delimiter[0] = short_delimiter(csv, length, delimiter);

	initStringInfo(&text.lines);
	if (length >= 3 && GetDatabaseEncoding() == PG_UTF8 && memcmp(csv, "\xef\xbb\xbf", 3) == 0)
		csv += 3;
	for (; csv < end; csv++)
	{
		bool		ends_line = !quoted && (*csv == '\n' || *csv == '\r');

		quoted = quoted != (*csv == '"');
		if (ends_line && (text.lines.len == 0 || text.lines.data[text.lines.len - 1] == '\n'))
			continue;
		if (ends_line)
		{
			text.		nfields = text.nfields == 0 ? nfields : text.nfields;

			appendStringInfoChar(&text.lines, '\n');
		}
		else if (!quoted && (Size) (end - csv) >= size && memcmp(csv, delimiter, size) == 0)
		{
			nfields++;
			appendStringInfoChar(&text.lines, text.delimiter[0]);
			csv += size - 1;
		}
		else
			appendStringInfoChar(&text.lines, *csv);
	}
	text.		nfields = text.nfields == 0 ? nfields : text.nfields;
	return text;
}

/*
 * Fails unless a type is valid for leaves: it must have equality and run no
 * user-defined check.
 */
static void
check_leaf_type(Oid type)
{
	TypeCacheEntry *cache;

	if (!OidIsValid(type) || !get_typisdefined(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	cache = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);
	if (type_input_is_safe(type) && OidIsValid(get_array_type(type)) &&
		OidIsValid(cache->eq_opr) && OidIsValid(cache->lt_opr))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("leaves cannot have type %s", format_type_be(type)),
			 errhint("Name the type of the column: a number, a text, a date, an enumeration or a range, but not a domain.")));
}

static int
read_source(void *buffer, int minimum, int maximum)
{
	int			n = Min(maximum, source->len - source->cursor);

	memcpy(buffer, source->data + source->cursor, n);
	source->cursor += n;
	return n;
}

/* Fills the new table. */
static void
copy_text(const NewHierarchy *table, CsvText *text)
{
	Relation	rel = table_open(made_relation(table->schema, table->relname), RowExclusiveLock);
	ParseState *pstate = make_parsestate(NULL);
	List	   *options = list_make3(makeDefElem("format", (Node *) makeString("csv"), -1),
									 makeDefElem("delimiter", (Node *) makeString(text->delimiter), -1),
									 makeDefElem("encoding", (Node *) makeString(unconstify(char *, GetDatabaseEncodingName())), -1));
	CopyFromState copy;

	(void) addRangeTableEntryForRelation(pstate, rel, RowExclusiveLock, NULL, false, false);
	source = &text->lines;
	copy = BeginCopyFrom(pstate, rel, NULL, NULL, false, read_source, NIL, options);
	(void) CopyFrom(copy);
	EndCopyFrom(copy);
	free_parsestate(pstate);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

/* A boolean or text computed from the table, including the rows just inserted. */
static Datum
ask_table(const char *query, Oid type, bool *isnull)
{
	sql_write(query, 0, NULL, NULL, NULL);
	return sql_value(1, type, isnull);
}

/* The labels of a row as one value. */
static char *
labels_array(int height)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int level = 1; level <= height; level++)
		appendStringInfo(&sql, "%s level%d", level == 1 ? "ARRAY[" : ",", level);
	appendStringInfoChar(&sql, ']');
	return sql.data;
}

/* Merges duplicate leaves; fails if their labels differ. */
static void
unite_leaves(const NewHierarchy *hierarchy, Oid leaf_type)
{
	const char *table = hierarchy->sql_name;
	bool		isnull;
	Datum		found;

	if (!DatumGetBool(ask_table(psprintf("SELECT EXISTS (SELECT FROM %s GROUP BY value HAVING count(*) > 1)", table),
								BOOLOID, &isnull)))
		return;
	found = ask_table(psprintf("SELECT string_agg(coalesce(quote_literal(left(%s, 100)), 'NULL'), ', ' ORDER BY value)"
							   " || CASE WHEN max(of) > 5 THEN format(', and %%s more', max(of) - 5) ELSE '' END"
							   " FROM (SELECT value, count(*) OVER () AS of FROM %s GROUP BY value"
							   " HAVING count(DISTINCT %s) > 1 ORDER BY value LIMIT 5) s",
							   sql_as(text_form(leaf_type), "value"), table, labels_array(hierarchy->height)), TEXTOID, &isnull);
	if (!isnull)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("csv gives leaves different labels"),
				 errdetail("Among them: %s.", TextDatumGetCString(found)),
				 errhint("Every leaf has one label per level; a leaf may be repeated with the same labels.")));
	sql_write(psprintf("DELETE FROM %s t USING (SELECT ctid AS at, row_number() OVER (PARTITION BY value ORDER BY ctid) AS n"
					   " FROM %s) d WHERE t.ctid = d.at AND d.n > 1", table, table), 0, NULL, NULL, NULL);
}

static Oid
build_csv(const char *name, CsvText *text, Oid type)
{
	NewHierarchy *table;
	bool		isnull;

	check_leaf_type(type);
	if (text->lines.len == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("csv has no rows"),
				 errhint("Give the contents of the file, for example psql's \\set csv `cat hierarchy.csv`.")));
	if (text->nfields < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows of csv have no label"),
				 errdetail("The first row has a single field."),
				 errhint("Pass the character between the fields as delimiter.")));
	table = hierarchy_table_begin(name);
	hierarchy_table_create(table, format_type_be_qualified(type), text->nfields - 1);
	copy_text(table, text);
	unite_leaves(table, type);
	table->has_null_leaf = DatumGetBool(ask_table(psprintf("SELECT EXISTS (SELECT FROM %s WHERE value IS NULL)", table->sql_name), BOOLOID, &isnull));
	return hierarchy_table_finish(table, type_is_range(type), false);
}

Datum
anonopt_create_csv_hierarchy(PG_FUNCTION_ARGS)
{
	text	   *csv = PG_GETARG_TEXT_PP(1);
	CsvText		lines = prepare_text(VARDATA_ANY(csv), VARSIZE_ANY_EXHDR(csv), text_to_cstring(PG_GETARG_TEXT_PP(2)));

	PG_RETURN_OID(build_csv(text_to_cstring(PG_GETARG_TEXT_PP(0)), &lines, PG_GETARG_OID(3)));
}
