/*
 * statement_tuples.c
 *	  The part of a statement for a release by a recoding that finds a row's
 *	  class, by the leaves of all its quasi-identifiers together.
 *
 * The key of a view contains the tuples, each with its leaves, its labels and
 * the number of its class, or -1 if it is suppressed.  Rows with other tuples
 * are not shown.  Values without a leaf, if they are shown, are one more leaf,
 * which has a flag of its own: its value in the key is NULL, as for NULL.
 */
#include "release/statement_parts.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Tuples written at once. */
#define BATCH 5000

/* The leaf of a tuple, as text; NULL for NULL. */
static const char *
leaf_of_tuple(const Population *population, uint32 tuple, int a)
{
	const Attribute *attr = &population->attrs[a];
	uint32		leaf = key_get(population->tuples->keys + (Size) tuple * population->nwords, &attr->field);

	return leaf == attr->hierarchy->null_leaf || leaf == attr->unknown_leaf ? NULL : attr->hierarchy->labels[0][leaf];
}

/* Whether the key has a flag for values of an attribute that have no leaf. */
static bool
has_flag(const Specification *spec, int a)
{
	return declared_attribute(spec->dataset, a)->shows_unknown;
}

static bool
lacks_leaf(const Population *population, uint32 tuple, int a)
{
	const Attribute *attr = &population->attrs[a];

	return key_get(population->tuples->keys + (Size) tuple * population->nwords, &attr->field) == attr->unknown_leaf;
}

/* The class of a tuple, or -1. */
static int32
class_of_tuple(const ShownClasses *classes, uint32 tuple)
{
	return classes->place_of[tuple] == NOT_SHOWN ? -1 : (int32) classes->place_of[tuple];
}

/* The label of a class; NULL for NULL, and without a class. */
static const char *
label_of_class(const ShownClasses *classes, int32 class, int a)
{
	return class < 0 ? NULL : classes->labels[a][classes->codes[(Size) class * classes->nattrs + a]];
}

/* The columns of a tuple, each after a separator. */
static void
append_columns(StringInfo sql, const Specification *spec, const char *alias)
{
	appendStringInfo(sql, "%sclass", alias);
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		appendStringInfo(sql, ", %sfiner%d, %sshown%d", alias, a + 1, alias, a + 1);
		if (has_flag(spec, a))
			appendStringInfo(sql, ", %slacking%d", alias, a + 1);
	}
}

void
append_tuple_columns(StringInfo sql, const Specification *spec)
{
	appendStringInfoString(sql, "class pg_catalog.int4");
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		appendStringInfo(sql, ", finer%d %s, shown%d pg_catalog.text", a + 1, finer_type(spec, a), a + 1);
		if (has_flag(spec, a))
			appendStringInfo(sql, ", lacking%d pg_catalog.bool", a + 1);
	}
	append_outside_columns(sql, spec);
}

static void
append_text(StringInfo sql, const char *text, const char *type)
{
	appendStringInfo(sql, ", %s::%s", text == NULL ? "NULL" : quote_literal_cstr(text), type);
}

/* The tuples themselves, for a statement that has no key. */
static void
append_tuples(StringInfo sql, const Specification *spec)
{
	const Population *population = spec->population;
	const char *separator = "";
	const char *types[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		types[a] = finer_type(spec, a);
	appendStringInfoString(sql, "VALUES ");
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		int32		class = class_of_tuple(spec->recoded, tuple);

		if (tuple % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		appendStringInfo(sql, "%s(%d", separator, class);
		for (int a = 0; a < population->nattrs; a++)
		{
			append_text(sql, leaf_of_tuple(population, tuple, a), types[a]);
			append_text(sql, label_of_class(spec->recoded, class, a), "pg_catalog.text");
			if (has_flag(spec, a))
				appendStringInfoString(sql, lacks_leaf(population, tuple, a) ? ", true" : ", false");
		}
		appendStringInfoChar(sql, ')');
		separator = ",\n\t\t\t\t";
	}
}

void
append_same_leaf(StringInfo sql, const Specification *spec, int a, const char *leaf)
{
	Joined		joined = prepare_join(spec, a);
	Oid			hierarchy = joined.declared->hierarchy;
	bool		by_value = told_by_value(&joined);
	const char *equal = by_value ? equality_operator(hierarchy_leaf_type(hierarchy)) : "OPERATOR(pg_catalog.=)";
	const char *theirs = by_value ? leaf : psprintf("%s COLLATE pg_catalog.\"C\"", leaf);

	/* arrays of a domain have no operators */
	const char *ours = by_value ? psprintf("h%d.%s::%s", joined.number, joined.leaf, finer_type(spec, a)) :
	label_sql(psprintf("h%d", joined.number), hierarchy, 0);

	if (joined.nullable || has_flag(spec, a))
	{
		appendStringInfo(sql, "ARRAY[%s] OPERATOR(pg_catalog.=) ARRAY[%s]", theirs, ours);
		/* an array of an empty array is empty, and so is one of a NULL array */
		if (by_value && OidIsValid(get_element_type(hierarchy_leaf_type(hierarchy))))
			appendStringInfo(sql, " AND (%s IS NULL) OPERATOR(pg_catalog.=) (%s IS NULL)", theirs, ours);
	}
	else
		appendStringInfo(sql, "%s %s %s", theirs, equal, ours);
}

/* The condition that the row's value has no leaf if the tuple's has none. */
static void
append_same_flag(StringInfo sql, const Specification *spec, int a)
{
	Joined		joined = prepare_join(spec, a);

	appendStringInfo(sql, " AND q.lacking%d OPERATOR(pg_catalog.=) (r.%s IS NOT NULL AND h%d.%s IS NULL)", joined.number, joined.column,
					 joined.number, joined.leaf);
}

void
append_tuple_join(StringInfo sql, const Specification *spec)
{
	appendStringInfo(sql, "\n\t\t\t%s (", keeps_incomplete(spec) ? "LEFT JOIN" : "JOIN");
	if (spec->key != NULL)
	{
		appendStringInfoString(sql, "SELECT ");
		append_columns(sql, spec, "k.");
		appendStringInfo(sql, " FROM ONLY %s k WHERE k.class IS NOT NULL", spec->key);
	}
	else
		append_tuples(sql, spec);
	appendStringInfoString(sql, ") q (");
	append_columns(sql, spec, "");
	appendStringInfoString(sql, ") ON ");
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		appendStringInfoString(sql, a > 0 ? " AND " : "");
		append_same_leaf(sql, spec, a, psprintf("q.finer%d", a + 1));
		if (has_flag(spec, a))
			append_same_flag(sql, spec, a);
	}
}

/* ------------------------------------------------------------------- the key */

#define MAX_KEY_COLUMNS (1 + 3 * MAX_ATTRIBUTES)

/* A column of the key, with the values to be written. */
typedef struct KeyColumn
{
	Oid			type;
	Oid			array_type;
	Oid			input;			/* of the type */
	Oid			parameter;
	int16		length;
	bool		byval;
	char		align;
	Datum	   *values;
	bool	   *nulls;
} KeyColumn;

typedef struct KeyBatch
{
	const Specification *spec;
	int			ncolumns;		/* the class, and per attribute a leaf, a
								 * label, and possibly a flag */
	KeyColumn  *columns;
	bool		row_by_row;		/* a type, such as that of arrays, has no
								 * array type */
	int			n;
} KeyBatch;

static void
column_begin(KeyColumn *column, Oid type)
{
	column->type = type;
	column->array_type = get_array_type(type);
	getTypeInputInfo(type, &column->input, &column->parameter);
	get_typlenbyvalalign(type, &column->length, &column->byval, &column->align);
	column->values = palloc(sizeof(Datum) * BATCH);
	column->nulls = palloc(sizeof(bool) * BATCH);
}

static KeyBatch
batch_begin(const Specification *spec)
{
	KeyBatch	batch = {.spec = spec};

	batch.columns = palloc0(sizeof(KeyColumn) * MAX_KEY_COLUMNS);
	column_begin(&batch.columns[batch.ncolumns++], INT4OID);
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		Joined		joined = prepare_join(spec, a);

		column_begin(&batch.columns[batch.ncolumns++], told_by_value(&joined) ? hierarchy_leaf_type(joined.declared->hierarchy) : TEXTOID);
		column_begin(&batch.columns[batch.ncolumns++], TEXTOID);
		if (has_flag(spec, a))
			column_begin(&batch.columns[batch.ncolumns++], BOOLOID);
	}
	for (int c = 0; c < batch.ncolumns; c++)
		batch.row_by_row = batch.row_by_row || !OidIsValid(batch.columns[c].array_type);
	return batch;
}

/* Adds a value, given as text, to the batch's next row. */
static void
batch_put(KeyBatch *batch, int column, const char *text)
{
	KeyColumn  *to = &batch->columns[column];

	to->nulls[batch->n] = text == NULL;
	to->values[batch->n] = text == NULL ? (Datum) 0 :
	OidInputFunctionCall(to->input, unconstify(char *, text), to->parameter, -1);
}

static void
batch_tuple(KeyBatch *batch, uint32 tuple)
{
	const Specification *spec = batch->spec;
	int32		class = class_of_tuple(spec->recoded, tuple);
	int			column = 1;

	batch->columns[0].values[batch->n] = Int32GetDatum(class);
	batch->columns[0].nulls[batch->n] = false;
	for (int a = 0; a < spec->population->nattrs; a++)
	{
		batch_put(batch, column++, leaf_of_tuple(spec->population, tuple, a));
		batch_put(batch, column++, label_of_class(spec->recoded, class, a));
		if (has_flag(spec, a))
			batch_put(batch, column++, lacks_leaf(spec->population, tuple, a) ? "true" : "false");
	}
	batch->n++;
}

static char *
batch_statement(const KeyBatch *batch)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s (", batch->spec->key);
	append_columns(&sql, batch->spec, "");
	appendStringInfoString(&sql, batch->row_by_row ? ") VALUES (" : ") SELECT * FROM ROWS FROM (");
	for (int c = 1; c <= batch->ncolumns; c++)
		appendStringInfo(&sql, batch->row_by_row ? "%s$%d" : "%spg_catalog.unnest($%d)", c > 1 ? ", " : "", c);
	appendStringInfoString(&sql, batch->row_by_row ? ")" : ") AS u");
	return sql.data;
}

/* Writes the batch. */
static void
batch_write(KeyBatch *batch, const char *statement)
{
	Oid			types[MAX_KEY_COLUMNS];
	Datum		arrays[MAX_KEY_COLUMNS];
	char		nulls[MAX_KEY_COLUMNS + 1] = {0};
	int			bounds[1] = {1};

	for (int c = 0; c < batch->ncolumns; c++)
	{
		KeyColumn  *column = &batch->columns[c];

		nulls[c] = batch->row_by_row && column->nulls[0] ? 'n' : ' ';
		types[c] = column->type;
		arrays[c] = column->values[0];
		if (batch->row_by_row)
			continue;
		types[c] = column->array_type;
		arrays[c] = PointerGetDatum(construct_md_array(column->values, column->nulls, 1, &batch->n, bounds, column->type,
													   column->length, column->byval, column->align));
	}
	key_change(batch->spec, statement, batch->ncolumns, types, arrays, nulls);
	batch->n = 0;
}

void
release_key_fill(const Specification *spec)
{
	StringInfoData empty;
	KeyBatch	batch;
	char	   *statement;
	MemoryContext rows;
	MemoryContext old;

	initStringInfo(&empty);
	appendStringInfo(&empty, "DELETE FROM ONLY %s WHERE class IS NOT NULL", spec->key);
	append_outside_rows(&empty, spec);
	key_change(spec, empty.data, 0, NULL, NULL, NULL);
	batch = batch_begin(spec);
	statement = batch_statement(&batch);
	rows = AllocSetContextCreate(CurrentMemoryContext, "anonopt tuples", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(rows);
	for (uint32 tuple = 0; tuple < spec->population->tuples->ntuples; tuple++)
	{
		batch_tuple(&batch, tuple);
		if (batch.n < BATCH && !batch.row_by_row)
			continue;
		CHECK_FOR_INTERRUPTS();
		batch_write(&batch, statement);
		MemoryContextReset(rows);
	}
	if (batch.n > 0)
		batch_write(&batch, statement);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(rows);
	outside_key_fill(spec);
}
