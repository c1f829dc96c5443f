/*
 * hierarchy_csv.c
 *	  SQL: create_csv_hierarchy, a hierarchy from the text of a CSV file.
 *
 * ARX writes a hierarchy with one line per leaf: the value, then its label at
 * each level.  Quoting is that of COPY: quotes may begin anywhere in a field,
 * and two of them within quotes are one.  An empty field without quotes is
 * NULL.  Rows are inserted in batches, and duplicates are removed in the
 * table, where the type of leaves decides which are equal.
 */
#include "sql/hierarchy_builders.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/type_match.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(anonopt_create_csv_hierarchy);

/* Rows inserted at once. */
#define BATCH_ROWS 5000

/* Bytes of fields after which a batch is inserted, however few its rows. */
#define BATCH_BYTES (16 * 1024 * 1024)

/* A text being split into fields. */
typedef struct CsvText
{
	const char *at;
	const char *end;
	const char *delimiter;
	int			delimiter_length;
	int64		line;			/* line number of at, from 1 */
	int64		row_line;		/* line number of the start of the current row */
	StringInfoData field;
	bool		was_quoted;
	bool		ends_row;		/* whether the field was the last of its row */
} CsvText;

/* Rows to be inserted. */
typedef struct CsvTable
{
	NewHierarchy *table;
	CsvText    *text;
	Oid			leaf_type;
	int			ncolumns;		/* 0 until the first row */
	FmgrInfo	input;
	Oid			input_parameter;
	int16		leaf_length;
	bool		leaf_byval;
	char		leaf_align;
	MemoryContext batch;
	Datum	  **values;			/* by column and row; labels are texts */
	bool	  **nulls;
	int			nrows;
	Size		bytes;
	char	   *insert;
} CsvTable;

static void
refuse_text(CsvText *text, const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_BAD_COPY_FILE_FORMAT),
			 errmsg("%s", message),
			 errdetail("The row begins in line %lld.", (long long) text->row_line),
			 errhint("%s", hint)));
}

/* Whether a line ends here; skips its end. */
static bool
take_line_end(CsvText *text)
{
	if (text->at == text->end || (*text->at != '\n' && *text->at != '\r'))
		return false;
	if (*text->at == '\r' && text->at + 1 < text->end && text->at[1] == '\n')
		text	  ->at++;
	text	  ->at++;
	text	  ->line++;

	return true;
}

static bool
take_delimiter(CsvText *text)
{
	if (text->end - text->at < text->delimiter_length ||
		memcmp(text->at, text->delimiter, text->delimiter_length) != 0)
		return false;
	text	  ->at += text->delimiter_length;

	return true;
}

/* Reads up to the closing quote; the opening one has been read. */
static void
take_quoted(CsvText *text)
{
	text	  ->was_quoted = true;
	text	  ->at++;

	for (;;)
	{
		if (text->at == text->end)
			refuse_text(text, "a quote in csv is not closed", "Write a quote within quotes twice.");
		if (*text->at == '"')
		{
			text	  ->at++;

			if (text->at == text->end || *text->at != '"')
				return;
		}
		else if (*text->at == '\n')
			text	  ->line++;

		appendStringInfoChar(&text->field, *text->at++);
	}
}

/* Reads one field and its terminator. */
static void
take_field(CsvText *text)
{
	resetStringInfo(&text->field);
	text	  ->was_quoted = false;

	for (;;)
	{
		text	  ->ends_row = text->at == text->end || take_line_end(text);

		if (text->ends_row || take_delimiter(text))
			return;
		if (*text->at == '"')
			take_quoted(text);
		else
		{
			int			length = Min(pg_mblen(text->at), text->end - text->at);

			appendBinaryStringInfo(&text->field, text->at, length);
			text	  ->at += length;
		}
	}
}

/* Skips empty lines; returns whether a row follows. */
static bool
find_row(CsvText *text)
{
	while (take_line_end(text))
		;
	text	  ->row_line = text->line;
	return text->at < text->end;
}

static void
begin_text(CsvText *text, const char *csv, Size length, const char *delimiter)
{
	memset(text, 0, sizeof(CsvText));
	text	  ->at = csv;
	text	  ->end = csv + length;

	/* a byte order mark */
	if (length >= 3 && GetDatabaseEncoding() == PG_UTF8 && memcmp(csv, "\xef\xbb\xbf", 3) == 0)
		text	  ->at += 3;
	text	  ->delimiter = delimiter;
	text	  ->delimiter_length = strlen(delimiter);
	text	  ->line = 1;

	initStringInfo(&text->field);
	if (pg_mbstrlen(delimiter) != 1 || strchr("\"\r\n", *delimiter) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delimiter must be a single character that is neither a quote nor a line break"),
				 errhint("For example ;, a comma or a tab.")));
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

static void
in_line(void *arg)
{
	errcontext("line %lld of csv", (long long) ((CsvText *) arg)->row_line);
}

/* The statement that inserts a batch. */
static char *
insert_statement(const CsvTable *csv)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s SELECT * FROM unnest(", csv->table->sql_name);
	for (int i = 1; i <= csv->ncolumns; i++)
		appendStringInfo(&sql, "%s$%d", i > 1 ? ", " : "", i);
	appendStringInfoString(&sql, ") u");
	return sql.data;
}

/* The first row determines the number of levels. */
static void
create_table(CsvTable *csv, int ncolumns)
{
	if (ncolumns < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows of csv have no label"),
				 errdetail("The first row has a single field."),
				 errhint("Pass the character between the fields as delimiter.")));
	hierarchy_table_create(csv->table, format_type_be_qualified(csv->leaf_type), ncolumns - 1);
	csv->ncolumns = ncolumns;
	csv->insert = insert_statement(csv);
	csv->values = palloc(sizeof(Datum *) * ncolumns);
	csv->nulls = palloc(sizeof(bool *) * ncolumns);
	for (int i = 0; i < ncolumns; i++)
	{
		csv->values[i] = palloc(sizeof(Datum) * BATCH_ROWS);
		csv->nulls[i] = palloc0(sizeof(bool) * BATCH_ROWS);
	}
}

/* A column of the batch as an array. */
static Datum
batch_array(const CsvTable *csv, int column)
{
	int			lower = 1;
	int			size = csv->nrows;

	if (column > 0)
		return PointerGetDatum(construct_md_array(csv->values[column], csv->nulls[column], 1, &size, &lower,
												  TEXTOID, -1, false, TYPALIGN_INT));
	return PointerGetDatum(construct_md_array(csv->values[0], csv->nulls[0], 1, &size, &lower, csv->leaf_type,
											  csv->leaf_length, csv->leaf_byval, csv->leaf_align));
}

static void
insert_batch(CsvTable *csv)
{
	MemoryContext old = MemoryContextSwitchTo(csv->batch);
	Oid		   *types = palloc(sizeof(Oid) * (csv->ncolumns + 1));
	Datum	   *arrays = palloc(sizeof(Datum) * (csv->ncolumns + 1));

	for (int i = 0; i < csv->ncolumns; i++)
	{
		types[i] = i == 0 ? get_array_type(csv->leaf_type) : TEXTARRAYOID;
		arrays[i] = batch_array(csv, i);
	}
	if (csv->nrows > 0)
		sql_write(csv->insert, csv->ncolumns, types, arrays, NULL);
	MemoryContextSwitchTo(old);
	MemoryContextReset(csv->batch);
	csv->nrows = 0;
	csv->bytes = 0;
}

/* Adds the last field to the batch. */
static void
put_field(CsvTable *csv, int column)
{
	const CsvText *text = csv->text;
	bool		isnull = text->field.len == 0 && !text->was_quoted;
	MemoryContext old = MemoryContextSwitchTo(csv->batch);
	Datum		value = (Datum) 0;

	if (isnull && column > 0)
		refuse_text(csv->text, psprintf("csv has no label at level %d", column), "Write an empty label as \"\".");
	if (isnull)
		csv->table->has_null_leaf = true;
	else if (column == 0)
		value = InputFunctionCall(&csv->input, text->field.data, csv->input_parameter, -1);
	else
		value = PointerGetDatum(cstring_to_text_with_len(text->field.data, text->field.len));
	MemoryContextSwitchTo(old);
	csv->values[column][csv->nrows] = value;
	csv->nulls[column][csv->nrows] = isnull;
	csv->bytes += text->field.len;
}

static void
refuse_row(CsvTable *csv)
{
	refuse_text(csv->text, "rows of csv have different numbers of fields",
				psprintf("The first has %d; a delimiter within a field must be quoted.", csv->ncolumns));
}

/* The number of fields in the row that begins here. */
static int
count_fields(CsvText *text)
{
	CsvText		ahead = *text;
	int			nfields = 0;

	initStringInfo(&ahead.field);
	do
	{
		take_field(&ahead);
		nfields++;
	} while (!ahead.ends_row);
	pfree(ahead.field.data);
	return nfields;
}

static void
take_csv_row(CsvTable *csv)
{
	if (csv->ncolumns == 0)
		create_table(csv, count_fields(csv->text));
	for (int column = 0; column < csv->ncolumns; column++)
	{
		take_field(csv->text);
		if (csv->text->ends_row != (column == csv->ncolumns - 1))
			refuse_row(csv);
		put_field(csv, column);
	}
	csv->nrows++;
}

static void
take_csv_rows(CsvTable *csv)
{
	ErrorContextCallback context = {.callback = in_line,.arg = csv->text,.previous = error_context_stack};

	error_context_stack = &context;
	while (find_row(csv->text))
	{
		CHECK_FOR_INTERRUPTS();
		take_csv_row(csv);
		if (csv->nrows == BATCH_ROWS || csv->bytes > BATCH_BYTES)
			insert_batch(csv);
	}
	error_context_stack = context.previous;
	if (csv->ncolumns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("csv has no rows"),
				 errhint("Give the contents of the file, for example psql's \\set csv `cat hierarchy.csv`.")));
	insert_batch(csv);
}

/* A boolean or text computed from the table, including the rows just inserted. */
static Datum
ask_table(const CsvTable *csv, const char *query, Oid type, bool *isnull)
{
	sql_write(query, 0, NULL, NULL, NULL);
	return sql_value(1, type, isnull);
}

/* The labels of a row as one value. */
static char *
labels_array(const CsvTable *csv)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int level = 1; level < csv->ncolumns; level++)
		appendStringInfo(&sql, "%s level%d", level == 1 ? "ARRAY[" : ",", level);
	appendStringInfoChar(&sql, ']');
	return sql.data;
}

/* Merges duplicate leaves; fails if their labels differ. */
static void
unite_leaves(const CsvTable *csv)
{
	const char *table = csv->table->sql_name;
	bool		isnull;
	Datum		found;

	if (!DatumGetBool(ask_table(csv, psprintf("SELECT EXISTS (SELECT FROM %s GROUP BY value HAVING count(*) > 1)", table),
								BOOLOID, &isnull)))
		return;
	found = ask_table(csv, psprintf("SELECT string_agg(coalesce(quote_literal(left(%s, 100)), 'NULL'), ', ' ORDER BY value)"
									" || CASE WHEN max(of) > 5 THEN format(', and %%s more', max(of) - 5) ELSE '' END"
									" FROM (SELECT value, count(*) OVER () AS of FROM %s GROUP BY value"
									" HAVING count(DISTINCT %s) > 1 ORDER BY value LIMIT 5) s",
									sql_as(text_form(csv->leaf_type), "value"), table, labels_array(csv)), TEXTOID, &isnull);
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
	CsvTable	csv = {0};
	Oid			input;

	check_leaf_type(type);
	csv.text = text;

	csv.leaf_type = type;
	getTypeInputInfo(type, &input, &csv.input_parameter);
	fmgr_info(input, &csv.input);
	get_typlenbyvalalign(type, &csv.leaf_length, &csv.leaf_byval, &csv.leaf_align);
	csv.table = hierarchy_table_begin(name);
	csv.batch = AllocSetContextCreate(CurrentMemoryContext, "anonopt csv", ALLOCSET_DEFAULT_SIZES);
	take_csv_rows(&csv);
	unite_leaves(&csv);
	MemoryContextDelete(csv.batch);
	return hierarchy_table_finish(csv.table, type_is_range(type), false);
}

Datum
anonopt_create_csv_hierarchy(PG_FUNCTION_ARGS)
{
	text	   *csv = PG_GETARG_TEXT_PP(1);
	CsvText		fields;

	begin_text(&fields, VARDATA_ANY(csv), VARSIZE_ANY_EXHDR(csv), text_to_cstring(PG_GETARG_TEXT_PP(2)));
	PG_RETURN_OID(build_csv(text_to_cstring(PG_GETARG_TEXT_PP(0)), &fields, PG_GETARG_OID(3)));
}
