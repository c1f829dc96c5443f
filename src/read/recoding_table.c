/*
 * recoding_table.c
 *	  A recoding as a table, which assigns each tuple of a population to a
 *	  class.
 *
 * A recoding has one row per distinct tuple: the quasi-identifiers, with the
 * relation's names and types, and the class.  Anybody may write one.  The
 * encoders with which the relation was read map its values to the population's
 * leaves.  Rows whose tuple is not in the data are ignored.
 *
 * If leaves are ranges, or numbers are written differently, several tuples of
 * values may be one tuple of the population; their rows must agree.
 */
#include "read/recoding_table.h"

#include "base/budget.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "commands/comment.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* A table while it is read. */
typedef struct TableReading
{
	const Reading *reading;
	const Population *population;
	Relation	table;
	TableRecoding *recoding;
	KeyCounter *tuples;			/* the population's keys by number */
	KeyCounter *numbers;		/* the table's classes by ours */
	bool		repeated;		/* a tuple of the population has several rows */
	TableRowVisitor visit;
	void	   *arg;
} TableReading;

Relation
recoding_table_open(Oid table)
{
	Relation	relation = relation_open_existing(table);

	if (relation->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a plain table", relation_sql_name(table)),
				 errhint("A recoding must be a plain table, such as anonopt.create_recoding creates.")));
	return relation;
}

#define PROMISE_COMMENT "recoding with possible => "

void
recoding_table_promise(Oid table, int64 possible)
{
	CreateComments(table, RelationRelationId, 0, psprintf(PROMISE_COMMENT INT64_FORMAT, possible));
}

void
recoding_table_add_promise(Oid table, Dataset *dataset)
{
	const char *comment = GetComment(table, RelationRelationId, 0);
	DeclaredPromise promise;
	char	   *end;

	if (comment == NULL || strncmp(comment, PROMISE_COMMENT, strlen(PROMISE_COMMENT)) != 0)
		return;
	promise = promise_of_boxes(strtol(comment + strlen(PROMISE_COMMENT), &end, 10));
	/* whoever writes another comment promises nothing */
	if (*end == '\0' && promise_problem(&promise) == NULL)
		dataset_promise(dataset, &promise);
}

static const char *const shape_hint = "A recoding has the data set's quasi-identifiers under their names and types, and class smallint, integer or bigint.";

/* Fails if a recoding lacks a column of a type. */
static void
require_typed_column(Relation table, const char *column, Oid type)
{
	Oid			found = column_type(RelationGetRelid(table), column);

	if (!OidIsValid(found))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("recoding %s lacks column \"%s\"", relation_sql_name(RelationGetRelid(table)), column),
				 errhint("%s", shape_hint)));
	if (found != type)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\" of recoding %s has the wrong type", column,
						relation_sql_name(RelationGetRelid(table))),
				 errdetail("It has type %s, but type %s is expected.", format_type_be(found), format_type_be(type)),
				 errhint("%s", shape_hint)));
}

/* The greatest number of a class; fails if its column has no integer type. */
static int64
greatest_class(Relation table)
{
	switch (column_type(RelationGetRelid(table), CLASS_COLUMN))
	{
		case INT2OID:
			return PG_INT16_MAX;
		case INT4OID:
			return PG_INT32_MAX;
		default:
			require_typed_column(table, CLASS_COLUMN, INT8OID);
			return PG_INT64_MAX;
	}
}

/* Fails unless a table has exactly the columns of a recoding. */
static void
check_shape(const Reading *reading, int nattrs, Relation table)
{
	ListCell   *cell;

	for (int a = 0; a < nattrs; a++)
		require_typed_column(table, reading->columns[a].declared->column, reading->columns[a].type);
	foreach(cell, live_columns(table))
	{
		Form_pg_attribute column = lfirst(cell);
		bool		expected = strcmp(NameStr(column->attname), CLASS_COLUMN) == 0;

		for (int a = 0; a < nattrs; a++)
			expected = expected || strcmp(NameStr(column->attname), reading->columns[a].declared->column) == 0;
		if (!expected)
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("recoding %s has an additional column \"%s\"", relation_sql_name(RelationGetRelid(table)),
							NameStr(column->attname)),
					 errhint("%s", shape_hint)));
	}
}

/*
 * A table's columns by name, each after a comma, unchanged or in the form to
 * be encoded.
 */
static void
append_columns(StringInfo sql, const Reading *reading, int nattrs, bool encoded)
{
	for (int a = 0; a < nattrs; a++)
	{
		char	   *column = psprintf("r.%s", quote_identifier(reading->columns[a].declared->column));

		appendStringInfo(sql, ", %s", encoded ? sql_as(reading->columns[a].form, column) : column);
	}
}

/*
 * The statement and the types of its columns: the class, the encoded columns
 * and, for a visitor, the ctid and the original columns.
 */
static char *
table_statement(const TableReading *state, Oid *types)
{
	int			nattrs = state->population->nattrs;
	Oid			table = RelationGetRelid(state->table);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT r." CLASS_COLUMN "::pg_catalog.int8");
	types[0] = INT8OID;
	append_columns(&sql, state->reading, nattrs, true);
	for (int a = 0; a < nattrs; a++)
		types[1 + a] = state->reading->set.encoders[a].type.type;
	if (state->visit != NULL)
	{
		appendStringInfoString(&sql, ", r.ctid");
		types[1 + nattrs] = TIDOID;
		append_columns(&sql, state->reading, nattrs, false);
		for (int a = 0; a < nattrs; a++)
			types[2 + nattrs + a] = get_atttype(table, get_attnum(table, state->reading->columns[a].declared->column));
	}
	appendStringInfo(&sql, " FROM ONLY %s r", relation_sql_name(table));
	return sql.data;
}

/* A tuple for a message: its leaves in parentheses. */
static char *
tuple_text(const Population *population, uint32 tuple)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		uint32		leaf = key_get(population->tuples->keys + (Size) tuple * population->nwords, &attr->field);
		const char *label = attr->hierarchy->labels[0][leaf];

		appendStringInfo(&text, "%s%s", a > 0 ? ", " : "(", label == NULL ? "NULL" : quote_literal_cstr(label));
	}
	appendStringInfoChar(&text, ')');
	return text.data;
}

/*
 * The population's tuple of a row's values; NEW_TUPLE if it is not in the
 * data.
 */
static uint32
find_tuple(const TableReading *state, const Datum *values, const bool *nulls)
{
	const Population *population = state->population;
	uint64	   *key = key_counter_candidate(state->tuples);
	uint32		tuple;

	memset(key, 0, sizeof(uint64) * population->nwords);
	for (int a = 0; a < population->nattrs; a++)
	{
		Encoder    *encoder = &state->reading->set.encoders[a];
		uint32		code = encode(encoder, values[a], nulls[a]);

		if (code == NO_LEAF)
			code = population->attrs[a].unknown_leaf;
		if (code == NO_LEAF)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("column \"%s\" of recoding %s holds values without a leaf in hierarchy %s", encoder->column,
							relation_sql_name(RelationGetRelid(state->table)), encoder->hierarchy),
					 errdetail("Among them: %s.", quote_literal_cstr(value_text(encoder->type.type, values[a]))),
					 errhint("Create the recoding again if the hierarchy has changed.")));
		/* a NULL that does not occur in the data */
		if (code >= population->attrs[a].hierarchy->nleaves)
			return NEW_TUPLE;
		key_put(key, &population->attrs[a].field, code);
	}
	tuple = key_counter_find(state->tuples);
	return tuple == PG_UINT32_MAX ? NEW_TUPLE : tuple;
}

static char *
class_text(const TableReading *state, uint32 class)
{
	return class == NO_CLASS ? pstrdup("NULL") : psprintf(INT64_FORMAT, (int64) state->numbers->keys[class]);
}

/* Receives a row: its class, and the columns of table_statement(). */
static void
take_row(void *arg, const Datum *values, const bool *nulls)
{
	TableReading *state = arg;
	int			nattrs = state->population->nattrs;
	uint32		tuple = find_tuple(state, values + 1, nulls + 1);

	if (!nulls[0])
		state->recoding->last_number = Max(state->recoding->last_number, DatumGetInt64(values[0]));
	if (tuple != NEW_TUPLE)
	{
		uint32	   *class_of = &state->recoding->class_of[tuple];
		uint32		class = NO_CLASS;

		if (!nulls[0])
		{
			*key_counter_candidate(state->numbers) = (uint64) DatumGetInt64(values[0]);
			class = key_counter_add(state->numbers, 1);
		}
		if (*class_of != NEW_TUPLE && *class_of != class)
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("recoding %s puts a tuple into two classes", relation_sql_name(RelationGetRelid(state->table))),
					 errdetail("%s is in class %s and in class %s.", tuple_text(state->population, tuple),
							   class_text(state, *class_of), class_text(state, class)),
					 errhint("Values that have the same leaf must have the same class.")));
		state->repeated |= *class_of != NEW_TUPLE;
		*class_of = class;
	}
	if (state->visit != NULL)
		state->visit(state->arg, (ItemPointer) DatumGetPointer(values[1 + nattrs]), values + 2 + nattrs,
					 nulls + 2 + nattrs, tuple);
}

/* Fails if two rows have the same values. */
static void
refuse_repeated(const TableReading *state)
{
	int			nattrs = state->population->nattrs;
	char	   *name = relation_sql_name(RelationGetRelid(state->table));
	StringInfoData columns;
	StringInfoData values;
	QueryRows  *found;

	initStringInfo(&columns);
	append_columns(&columns, state->reading, nattrs, false);
	found = rows_of_query(psprintf("SELECT %s FROM ONLY %s r GROUP BY %s HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1 LIMIT 1",
								   columns.data + 2, name, columns.data + 2),
						  list_make1_oid(RelationGetRelid(state->table)), NULL, NULL, 0, NULL);
	if (found->n == 0)
		return;
	initStringInfo(&values);
	for (int a = 0; a < nattrs; a++)
	{
		bool		isnull;
		Datum		value = row_value(found, 0, a, &isnull);

		appendStringInfo(&values, "%s%s", a > 0 ? ", " : "(",
						 isnull ? "NULL" : quote_literal_cstr(value_text(TupleDescAttr(found->desc, a)->atttypid, value)));
	}
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("recoding %s has a duplicate tuple", name),
			 errdetail("%s) has more than one row.", values.data),
			 errhint("Keep one row per distinct tuple.")));
}

TableRecoding *
recoding_table_read(const Reading *reading, const Population *population, Relation table, TableRowVisitor visit, void *arg)
{
	TableReading state = {.reading = reading,.population = population,.table = table,.visit = visit,.arg = arg};
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Oid		   *types = palloc(sizeof(Oid) * (2 * population->nattrs + 2));
	int			zone = dataset_use_zone(reading->dataset);

	check_shape(reading, population->nattrs, table);
	state.recoding = palloc0(sizeof(TableRecoding));
	state.recoding->greatest = greatest_class(table);
	state.recoding->class_of = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);
	state.tuples = key_counter_create(population->context, population->nwords, population->tuples->ntuples);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		state.recoding->class_of[i] = NEW_TUPLE;
		memcpy(key_counter_candidate(state.tuples), population->tuples->keys + (Size) i * population->nwords,
			   sizeof(uint64) * population->nwords);
		key_counter_add(state.tuples, 1);
	}
	state.numbers = key_counter_create(population->context, 1, 1024);
	rows_read(table_statement(&state, types), list_make1_oid(RelationGetRelid(state.table)), NULL, NULL,
			  (visit != NULL ? 2 : 1) * (population->nattrs + 1), types, take_row, &state);
	if (state.repeated)
		refuse_repeated(&state);
	state.recoding->nclasses = state.numbers->nkeys;
	state.recoding->numbers = (int64 *) state.numbers->keys;
	MemoryContextSwitchTo(old);
	sql_restore_names(zone);
	return state.recoding;
}

void
recoding_table_require_all(const Reading *reading, const Population *population, Relation table,
						   const TableRecoding *recoding)
{
	uint32		first = 0;
	uint32		n = 0;

	for (uint32 i = population->tuples->ntuples; i-- > 0;)
		if (recoding->class_of[i] == NEW_TUPLE)
		{
			first = i;
			n++;
		}
	if (n == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg_plural("recoding %s lacks %u tuple of relation %s", "recoding %s lacks %u tuples of relation %s", n,
						   relation_sql_name(RelationGetRelid(table)), n, relation_sql_name(reading->dataset->relation)),
			 errdetail("Among them: %s.", tuple_text(population, first)),
			 errhint("Add them with anonopt.extend_recoding, or write rows for them.")));
}
