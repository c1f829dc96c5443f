/*
 * hierarchy_csv.c
 *	  Builds a hierarchy from the text of a CSV file.
 *
 * ARX writes a hierarchy with one line per leaf: the value, then its label at
 * each level.  PostgreSQL's COPY reads it, once empty lines and a byte order
 * mark are gone and the delimiter is a single byte.  Duplicates are removed in
 * the table, where the type of leaves decides which are equal.
 */
#include "build/hierarchy_table.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/dataset.h"
#include "catalog/pg_type.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "commands/copy.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

/* A text for COPY. */
typedef struct CsvText
{
	StringInfoData lines;
	char		delimiter[2];
	int			nfields;		/* of the first line */
} CsvText;

/* What COPY reads at the moment; its callback gets no argument. */
static StringInfo source;

/* A delimiter of a single byte, instead of one that may have several. */
static char
short_delimiter(const char *csv, Size length, const char *delimiter)
{
	if (delimiter[1] == '\0')
		return delimiter[0];
	for (char control = 1; control < ' '; control++)
		if (control != '\n' && control != '\r' && memchr(csv, control, length) == NULL)
			return control;
	refuse_description("delimiter must be a single byte, since csv has all control characters", "For example ;, a comma or a tab.");
}

/*
 * Copies a text without empty lines, with the short delimiter.  Two quotes
 * that stand for one end quoting and begin it again.
 */
static CsvText
prepare_text(const char *csv, Size length, const char *delimiter)
{
	CsvText		prepared = {.nfields = 0};
	const char *end = csv + length;
	Size		size = strlen(delimiter);
	bool		quoted = false;
	int			nfields = 1;

	if (pg_mbstrlen(delimiter) != 1 || strchr("\"\r\n", *delimiter) != NULL)
		refuse_description("delimiter must be a single character that is neither a quote nor a line break",
						   "For example ;, a comma or a tab.");
	prepared.delimiter[0] = short_delimiter(csv, length, delimiter);
	initStringInfo(&prepared.lines);
	if (length >= 3 && GetDatabaseEncoding() == PG_UTF8 && memcmp(csv, "\xef\xbb\xbf", 3) == 0)
		csv += 3;
	for (; csv < end; csv++)
	{
		bool		ends_line = !quoted && (*csv == '\n' || *csv == '\r');
		bool		begins_line = prepared.lines.len == 0 || prepared.lines.data[prepared.lines.len - 1] == '\n';

		quoted = quoted != (*csv == '"');
		if (ends_line && begins_line)
			continue;
		if (ends_line)
		{
			prepared.nfields = prepared.nfields == 0 ? nfields : prepared.nfields;
			appendStringInfoChar(&prepared.lines, '\n');
		}
		else if (!quoted && (Size) (end - csv) >= size && memcmp(csv, delimiter, size) == 0)
		{
			nfields++;
			appendStringInfoChar(&prepared.lines, prepared.delimiter[0]);
			csv += size - 1;
		}
		else if (!quoted && begins_line && end - csv >= 2 && csv[0] == '\\' && csv[1] == '.' &&
				 (end - csv == 2 || csv[2] == '\n' || csv[2] == '\r'))
		{
			/* COPY would take it for the end, and hide all that follow */
			appendStringInfoString(&prepared.lines, "\"\\.\"");
			csv++;
		}
		else
			appendStringInfoChar(&prepared.lines, *csv);
	}
	prepared.nfields = prepared.nfields == 0 ? nfields : prepared.nfields;
	return prepared;
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
copy_lines(const NewHierarchy *table, CsvText *csv)
{
	Relation	rel = table_open(made_relation(table->made.schema, table->made.name), RowExclusiveLock);
	ParseState *pstate = make_parsestate(NULL);
	List	   *options = list_make3(makeDefElem("format", (Node *) makeString("csv"), -1),
									 makeDefElem("delimiter", (Node *) makeString(csv->delimiter), -1),
									 makeDefElem("encoding", (Node *) makeString(unconstify(char *, GetDatabaseEncodingName())), -1));
	CopyFromState copy;

	(void) addRangeTableEntryForRelation(pstate, rel, RowExclusiveLock, NULL, false, false);
	source = &csv->lines;
	copy = BeginCopyFrom(pstate, rel, NULL, NULL, false, read_source, NIL, options);
	(void) CopyFrom(copy);
	EndCopyFrom(copy);
	free_parsestate(pstate);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

/* A boolean or text computed from the table, including the rows just inserted. */
static Datum
ask_table(const char *query, const List *table, Oid type, bool *isnull)
{
	Datum		answer;

	see_own_changes();
	answer = value_of_query(query, table, NULL, type, isnull);
	PopActiveSnapshot();
	return answer;
}

/* Merges duplicate leaves; fails if their labels differ. */
static void
unite_leaves(const NewHierarchy *hierarchy, Oid leaf_type)
{
	const char *table = hierarchy->made.sql_name;
	List	   *tables = list_make1_oid(made_relation(hierarchy->made.schema, hierarchy->made.name));
	StringInfoData labels;
	bool		isnull;
	Datum		found;

	if (!DatumGetBool(ask_table(psprintf("SELECT EXISTS (SELECT FROM %s GROUP BY value HAVING count(*) > 1)", table),
								tables, BOOLOID, &isnull)))
		return;
	initStringInfo(&labels);
	for (int level = 1; level <= hierarchy->height; level++)
		appendStringInfo(&labels, "%slevel%d", level == 1 ? "" : ", ", level);
	found = ask_table(psprintf("SELECT string_agg(coalesce(quote_literal(left(%s, 100)), 'NULL'), ', ' ORDER BY value)"
							   " || CASE WHEN max(of) > 5 THEN format(', and %%s more', max(of) - 5) ELSE '' END"
							   " FROM (SELECT value, count(*) OVER () AS of FROM %s GROUP BY value"
							   " HAVING count(DISTINCT ARRAY[%s]) > 1 ORDER BY value LIMIT 5) s",
							   sql_as(text_form(leaf_type), "value"), table, labels.data), tables, TEXTOID, &isnull);
	if (!isnull)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("csv gives leaves different labels"),
				 errdetail("Among them: %s.", TextDatumGetCString(found)),
				 errhint("Every leaf has one label per level; a leaf may be repeated with the same labels.")));
	sql_run(psprintf("DELETE FROM %s t USING (SELECT ctid AS at, row_number() OVER (PARTITION BY value ORDER BY ctid) AS n"
					 " FROM %s) d WHERE t.ctid = d.at AND d.n > 1", table, table), NULL);
}

Oid
build_csv(const char *name, const char *csv, Size length, const char *delimiter, Oid type)
{
	CsvText		prepared = prepare_text(csv, length, delimiter);
	TypeCacheEntry *cache;
	NewHierarchy *table;
	char	   *nulls;
	bool		isnull;

	if (!OidIsValid(type) || !get_typisdefined(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	cache = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);
	/* it must have equality and run no user-defined check */
	if (!type_input_is_safe(type) || !OidIsValid(get_array_type(type)) || !OidIsValid(cache->eq_opr) || !OidIsValid(cache->lt_opr))
		refuse_description(psprintf("leaves cannot have type %s", format_type_be(type)),
						   "Name the type of the column: a number, a text, a date, an enumeration or a range, but not a domain.");
	if (prepared.lines.len == 0)
		refuse_description("csv has no rows", "Give the contents of the file, for example psql's \\set csv `cat hierarchy.csv`.");
	if (prepared.nfields < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows of csv have no label"),
				 errdetail("The first row has a single field."),
				 errhint("Pass the character between the fields as delimiter.")));
	table = hierarchy_table_begin(name);
	table->height = prepared.nfields - 1;
	table->has_ranges = type_is_range(type);
	hierarchy_table_create(table, format_type_be_qualified(type));
	copy_lines(table, &prepared);
	unite_leaves(table, type);
	nulls = psprintf("SELECT EXISTS (SELECT FROM %s WHERE value IS NULL)", table->made.sql_name);
	table->has_null_leaf = DatumGetBool(ask_table(nulls, list_make1_oid(made_relation(table->made.schema, table->made.name)),
												  BOOLOID, &isnull));
	return hierarchy_table_finish(table);
}
