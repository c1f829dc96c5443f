/*
 * recodings.c
 *	  SQL: create_recoding, extend_recoding.
 *
 * The relation is read once, rows included: the distinct tuples that are
 * written are those that were measured.
 */
#include "base/compat.h"

#include "access/relation.h"
#include "access/table.h"
#include "base/budget.h"
#include "base/key_counter.h"
#include "base/names.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "read/row_spool.h"
#include "sql/arguments.h"
#include "sql/recoding_argument.h"
#include "sql/search_call.h"
#include "sql/session.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(anonopt_create_recoding);
PG_FUNCTION_INFO_V1(anonopt_extend_recoding);

/* ------------------------------------------------------------- what is asked */

typedef struct RecodingCall
{
	Dataset    *dataset;
	RecodingOrder order;
	int64		deadline;		/* or 0 */
	bool		in_time;
	int64		answers;		/* better ones so far */
	RowSpool	spool;
	Session    *session;
} RecodingCall;

static Objective
loss_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset)
{
	static const char *const losses[] = {"glm", "nwp", "dcn", "cm"};
	char	   *name = name_argument(fcinfo, argument, "loss");

	if (find_name(name, losses, lengthof(losses)) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown loss \"%s\"", name),
				 errhint("Losses of a recoding are glm, nwp, dcn and cm.")));
	return objective_argument(name, dataset, true);
}

/* The arguments from the data set on, which both functions share. */
static void
recoding_arguments(FunctionCallInfo fcinfo, RecodingCall *call)
{
	RecodingOrder *order = &call->order;

	call->dataset = readable_dataset_argument(fcinfo, 1);
	order->promise = promise_arguments(fcinfo, 2, call->dataset);
	if (!order->promise.has_k && !order->promise.has_l && !order->promise.has_t)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is promised"),
				 errhint("Give k, l or t.")));
	order->loss = loss_argument(fcinfo, 5, call->dataset);
	order->labels = labels_argument(fcinfo, 6);
	call->deadline = deadline_argument(fcinfo, 7);
	order->seed = (uint64) seed_argument(fcinfo, 8);
	order->effort = 100;
	call->in_time = true;
}

/* ---------------------------------------------------------------- the search */

static bool
is_over(void *state)
{
	RecodingCall *call = state;

	if (call->deadline != 0 && GetCurrentTimestamp() >= call->deadline)
		call->in_time = false;
	return !call->in_time;
}

static void
tell_answer(void *state, double loss)
{
	RecodingCall *call = state;

	progress_better(++call->answers, loss);
}

/* The columns of which distinct tuples are kept. */
static void
keep_quasi_identifiers(RecodingCall *call)
{
	const Dataset *dataset = call->dataset;
	SpoolColumn *columns = palloc0(sizeof(SpoolColumn) * (dataset->nattributes + 1));

	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			columns[call->spool.ncolumns++].name = dataset->attributes[i].column;
	call->spool.columns = columns;
	call->spool.keeps_rows = true;
}

/* Reads the relation, and begins the search. */
static void
read_rows(RecodingCall *call, Algorithm algorithm)
{
	RecodingOrder *order = &call->order;
	Population *population;

	keep_quasi_identifiers(call);
	call->session = session_begin(algorithm, call->dataset);
	spool_read(&call->spool, call->dataset, NULL);
	population = call->spool.population;
	if (population == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s has no rows to recode", relation_sql_name(call->dataset->relation))));
	require_weights(call->dataset, population);
	session_read(call->session, population);
	session_seed(call->session, (int64) order->seed);
	progress_search(-1);
	order->promise.limit = share_of_people(call->dataset->max_suppression, population->people);
	order->population = searched_population(population, &order->promise, 1, &order->loss);
}

static void
refuse_infeasible(const RecodingCall *call)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("no recoding keeps the promise"),
			 errdetail("One class of all " INT64_FORMAT " people would break it, and " INT64_FORMAT " may be suppressed.",
					   call->order.population->people, call->order.promise.limit),
			 errhint("Promise less, or allow more suppression for data set \"%s\".", call->dataset->name)));
}

/* Says where people are shown above max_level: nothing below would have covered their class. */
static void
tell_above_max(const RecodingCall *call, const RecodingResult *result)
{
	const Population *population = call->order.population;
	RecodedClasses *shown = recoding_show(population, result->class_of, result->nclasses, call->order.labels,
										  CurrentMemoryContext);

	for (int a = 0; a < population->nattrs; a++)
		if (shown->above_max[a] > 0)
			ereport(NOTICE,
					(errmsg(INT64_FORMAT " of " INT64_FORMAT " people are shown above max_level in column \"%s\"",
							shown->above_max[a], population->people, population->attrs[a].name)));
}

static void
end_search(RecodingCall *call, const RecodingResult *result)
{
	session_end(call->session, 0, result->helped, false);
	if (!call->in_time)
		ereport(NOTICE,
				(errmsg("time limit ended the search before it came to rest")));
	tell_above_max(call, result);
}

/* ------------------------------------------------------- rows of distinct tuples */

/* Tuples of values as the relation has them, numbered as they come. */
typedef struct ValueTuples
{
	int			nattrs;
	Dictionary **values;		/* by attribute */
	KeyCounter *tuples;
} ValueTuples;

static ValueTuples *
value_tuples_create(const RowSpool *spool)
{
	ValueTuples *tuples = palloc(sizeof(ValueTuples));

	tuples->nattrs = spool->ncolumns;
	tuples->values = palloc(sizeof(Dictionary *) * (spool->ncolumns + 1));
	for (int a = 0; a < spool->ncolumns; a++)
	{
		Oid			base = getBaseType(TupleDescAttr(spool->desc, a + 1)->atttypid);
		ValueType	type;

		value_type_init(&type, base == VARCHAROID ? TEXTOID : base);
		tuples->values[a] = dictionary_create(CurrentMemoryContext, &type);
	}
	tuples->tuples = key_counter_create(CurrentMemoryContext, (spool->ncolumns + 1) / 2, 1024);
	return tuples;
}

/* Adds a tuple; whether it was not there. */
static bool
value_tuples_add(ValueTuples *tuples, const Datum *values, const bool *nulls)
{
	uint64	   *key = key_counter_candidate(tuples->tuples);
	uint32		known = tuples->tuples->nkeys;

	memset(key, 0, sizeof(uint64) * tuples->tuples->nwords);
	for (int a = 0; a < tuples->nattrs; a++)
	{
		Dictionary *dictionary = tuples->values[a];
		bool		ignored;

		if (!nulls[a])
			key[a / 2] |= (uint64) (dictionary_add(dictionary, value_normal(&dictionary->type, values[a]), &ignored) + 1) << (a % 2 * 32);
	}
	return key_counter_add(tuples->tuples, 1) == known;
}

/* Rows on their way into a recoding. */
typedef struct RowWriter
{
	const RowSpool *spool;
	ValueTuples *tuples;
	const uint32 *class_of;		/* by tuple of the population */
	int64	   *numbers;		/* by class: what the table calls it */
	SPIPlanPtr	insert;
	Datum	   *values;			/* a row: the quasi-identifiers, the class */
	char	   *nulls;
	MemoryContext row;			/* reset after each */
	int64		written;
} RowWriter;

/* Prepares the statement that adds a row; SPI is connected. */
static void
prepare_insert(RowWriter *writer, Relation table)
{
	const RowSpool *spool = writer->spool;
	Oid		   *types = palloc(sizeof(Oid) * (spool->ncolumns + 1));
	StringInfoData names;
	StringInfoData values;

	initStringInfo(&names);
	initStringInfo(&values);
	for (int a = 0; a < spool->ncolumns; a++)
	{
		types[a] = get_atttype(RelationGetRelid(table), get_attnum(RelationGetRelid(table), spool->columns[a].name));
		if (!OidIsValid(types[a]) || getBaseType(types[a]) != getBaseType(TupleDescAttr(spool->desc, a + 1)->atttypid))
			relation_has_changed(RelationGetRelid(table));
		appendStringInfo(&names, "%s, ", quote_identifier(spool->columns[a].name));
		appendStringInfo(&values, "$%d, ", a + 1);
	}
	types[spool->ncolumns] = INT8OID;
	writer->insert = SPI_prepare(psprintf("INSERT INTO %s (%s" CLASS_COLUMN ") VALUES (%s$%d)",
										  relation_sql_name(RelationGetRelid(table)), names.data, values.data,
										  spool->ncolumns + 1), spool->ncolumns + 1, types);
	if (writer->insert == NULL)
		elog(ERROR, "could not prepare: %s", SPI_result_code_string(SPI_result));
	writer->values = palloc(sizeof(Datum) * (spool->ncolumns + 1));
	writer->nulls = palloc(spool->ncolumns + 1);
	writer->row = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
}

static void
write_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	RowWriter  *writer = arg;
	int			n = writer->spool->ncolumns;
	uint32		class = writer->class_of[writer->spool->tuple_of[group]];
	int			code;
	MemoryContext old = MemoryContextSwitchTo(writer->row);

	if (value_tuples_add(writer->tuples, values, nulls))
	{
		for (int a = 0; a < n; a++)
		{
			writer->values[a] = values[a];
			writer->nulls[a] = nulls[a] ? 'n' : ' ';
		}
		writer->values[n] = class == NO_CLASS ? (Datum) 0 : Int64GetDatum(writer->numbers[class]);
		writer->nulls[n] = class == NO_CLASS ? 'n' : ' ';
		code = SPI_execute_plan(writer->insert, writer->values, writer->nulls, false, 0);
		if (code != SPI_OK_INSERT)
			elog(ERROR, "could not insert: %s", SPI_result_code_string(code));
		writer->written++;
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(writer->row);
}

/* Writes the distinct tuples that are not known yet; SPI is connected.  Returns how many. */
static int64
write_tuples(RecodingCall *call, Relation table, ValueTuples *known, const uint32 *class_of, int64 *numbers)
{
	RowWriter	writer = {.spool = &call->spool,.tuples = known,.class_of = class_of,.numbers = numbers};

	prepare_insert(&writer, table);
	spool_visit(&call->spool, write_row, &writer);
	spool_end(&call->spool);
	return writer.written;
}

/* -------------------------------------------------------------- create_recoding */

/* A table to be made. */
typedef struct NewTable
{
	Oid			schema;
	char	   *name;
	char	   *sql_name;
} NewTable;

/* Where it is to be; the name must be free and the caller able to create there. */
static void
find_place(NewTable *table, const char *name)
{
	RangeVar   *range = creation_range_var(name);
	AclResult	right;

	table->schema = RangeVarGetCreationNamespace(range);
	table->name = range->relname;
	table->sql_name = quote_qualified_identifier(get_namespace_name(table->schema), range->relname);
	if (OidIsValid(get_relname_relid(table->name, table->schema)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation %s already exists", table->sql_name),
				 errhint("Drop it, or choose another name for the recoding.")));
	right = pg_namespace_aclcheck(table->schema, GetUserId(), ACL_CREATE);
	if (right != ACLCHECK_OK)
		aclcheck_error(right, OBJECT_SCHEMA, get_namespace_name(table->schema));
}

/* A quasi-identifier of that name would leave none for the classes. */
static void
refuse_class_column(const Dataset *dataset)
{
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER &&
			strcmp(dataset->attributes[i].column, CLASS_COLUMN) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("quasi-identifier \"" CLASS_COLUMN "\" has the name of a recoding's last column"),
					 errhint("Declare a view that names the column otherwise.")));
}

/* Makes the table, empty, with the columns of the relation; SPI is connected. */
static Relation
make_table(const RecodingCall *call, const NewTable *place)
{
	StringInfoData sql;
	Oid			oid;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s AS SELECT ", place->sql_name);
	for (int a = 0; a < call->spool.ncolumns; a++)
		appendStringInfo(&sql, "r.%s, ", quote_identifier(call->spool.columns[a].name));
	appendStringInfo(&sql, "NULL::pg_catalog.int8 AS " CLASS_COLUMN " FROM %s r WITH NO DATA",
					 relation_sql_name(call->dataset->relation));
	sql_write(sql.data, 0, NULL, NULL, NULL);
	oid = get_relname_relid(place->name, place->schema);
	keep_to_owner(oid);
	return table_open(oid, RowExclusiveLock);
}

static Oid
write_recoding(RecodingCall *call, const NewTable *place, const RecodingResult *result)
{
	int64	   *numbers = budget_alloc(sizeof(int64), (Size) result->nclasses + 1);
	int			level = sql_use_catalog_names();
	Relation	table;
	Oid			oid;

	for (uint32 class = 0; class < result->nclasses; class++)
		numbers[class] = (int64) class + 1;
	sql_connect();
	table = make_table(call, place);
	oid = RelationGetRelid(table);
	(void) write_tuples(call, table, value_tuples_create(&call->spool), result->class_of, numbers);
	table_close(table, NoLock);
	sql_finish();
	sql_restore_names(level);
	return oid;
}

Datum
anonopt_create_recoding(PG_FUNCTION_ARGS)
{
	RecodingCall call = {0};
	RecodingWatch watch = {is_over, tell_answer, &call};
	NewTable	place;
	RecodingResult *result;

	recoding_arguments(fcinfo, &call);
	refuse_class_column(call.dataset);
	find_place(&place, name_argument(fcinfo, 0, "recoding"));
	read_rows(&call, ALGORITHM_CREATE_RECODING);
	result = recoding_search(&call.order, &watch, max_workers());
	if (!result->feasible)
		refuse_infeasible(&call);
	end_search(&call, result);
	PG_RETURN_OID(write_recoding(&call, &place, result));
}

/* -------------------------------------------------------------- extend_recoding */

/* Rows of a recoding that is extended. */
typedef struct OldRows
{
	ValueTuples *known;
	Size		n;
	Size		room;
	ItemPointerData *places;
	Size		tuples_room;
	uint32	   *tuples;			/* the population's, or NEW_TUPLE */
	MemoryContext context;
} OldRows;

static void
keep_old_row(void *arg, ItemPointer place, const Datum *values, const bool *nulls, uint32 tuple)
{
	OldRows    *rows = arg;

	(void) value_tuples_add(rows->known, values, nulls);
	if (rows->n == rows->room)
		rows->places = budget_grow(rows->context, rows->places, sizeof(ItemPointerData), &rows->room);
	if (rows->n == rows->tuples_room)
		rows->tuples = budget_grow(rows->context, rows->tuples, sizeof(uint32), &rows->tuples_room);
	rows->places[rows->n] = *place;
	rows->tuples[rows->n++] = tuple;
}

/* Opens a recoding against all other writers; it must be the caller's very own. */
static Relation
open_own_recoding(Oid oid)
{
	Relation	table = recoding_table_open(oid);

	if (table->rd_rel->relowner != GetUserId())
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(table));
	LockRelationOid(oid, ShareRowExclusiveLock);
	return table;
}

/* What the table calls the classes: old ones as before, new ones further on. */
static int64 *
extended_numbers(const TableRecoding *old, uint32 nclasses)
{
	int64	   *numbers = budget_alloc(sizeof(int64), (Size) nclasses + 1);

	if (old->last_number > PG_INT64_MAX - nclasses)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("recoding has no numbers left for new classes"),
				 errdetail("The greatest is " INT64_FORMAT ".", old->last_number)));
	for (uint32 class = 0; class < nclasses; class++)
		numbers[class] = class < old->nclasses ? old->numbers[class] : old->last_number + 1 + (class - old->nclasses);
	return numbers;
}

/* Gives rows whose tuple has moved their new class; SPI is connected. */
static void
update_classes(Relation table, const OldRows *rows, const uint32 *before, const uint32 *after, const int64 *numbers)
{
	Oid			types[2] = {TIDARRAYOID, INT8ARRAYOID};
	Datum	   *places = budget_alloc(sizeof(Datum), rows->n + 1);
	Datum	   *classes = budget_alloc(sizeof(Datum), rows->n + 1);
	bool	   *nulls = budget_alloc_zero(sizeof(bool), rows->n + 1);
	Datum		arrays[2];
	int			dims[1];
	int			bounds[1] = {1};
	int			n = 0;

	for (Size i = 0; i < rows->n; i++)
	{
		uint32		tuple = rows->tuples[i];

		if (tuple == NEW_TUPLE || before[tuple] == after[tuple])
			continue;
		places[n] = PointerGetDatum(&rows->places[i]);
		nulls[n] = after[tuple] == NO_CLASS;
		classes[n] = nulls[n] ? (Datum) 0 : Int64GetDatum(numbers[after[tuple]]);
		n++;
	}
	if (n == 0)
		return;
	dims[0] = n;
	arrays[0] = PointerGetDatum(construct_array(places, n, TIDOID, sizeof(ItemPointerData), false, TYPALIGN_SHORT));
	arrays[1] = PointerGetDatum(construct_md_array(classes, nulls, 1, dims, bounds, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	sql_write(psprintf("UPDATE ONLY %s r SET " CLASS_COLUMN " = u.class FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS u (place, class)"
					   " WHERE r.ctid OPERATOR(pg_catalog.=) u.place", relation_sql_name(RelationGetRelid(table))),
			  2, types, arrays, NULL);
	if (SPI_processed != n)
		relation_has_changed(RelationGetRelid(table));
}

/* The recoding as it is, with tuples that have no row. */
static TableRecoding *
read_old(RecodingCall *call, Relation table, OldRows *rows)
{
	const Population *population = call->spool.population;
	uint32		ntuples = population->tuples->ntuples;
	uint32	   *classes = budget_alloc(sizeof(uint32), (Size) ntuples + 1);
	TableRecoding *old;

	rows->context = population->context;
	rows->room = rows->tuples_room = 1024;
	rows->places = MemoryContextAlloc(rows->context, sizeof(ItemPointerData) * rows->room);
	rows->tuples = MemoryContextAlloc(rows->context, sizeof(uint32) * rows->tuples_room);
	rows->known = value_tuples_create(&call->spool);
	old = recoding_table_read(call->spool.reading, population, table, keep_old_row, rows);
	for (uint32 i = 0; i < ntuples; i++)
		classes[i] = old->class_of[i] == NEW_TUPLE ? NO_CLASS : old->class_of[i];
	refuse_uncovered(population, table, old,
					 recoding_show(population, classes, old->nclasses, call->order.labels, CurrentMemoryContext));
	return old;
}

Datum
anonopt_extend_recoding(PG_FUNCTION_ARGS)
{
	RecodingCall call = {0};
	OldRows		rows = {0};
	Relation	table;
	TableRecoding *old;
	RecodingResult *result;
	int64	   *numbers;
	int64		moved;
	int64		added;
	int			level;

	(void) readable_dataset_argument(fcinfo, 1);
	require_argument(fcinfo, 0, "recoding");
	table = open_own_recoding(PG_GETARG_OID(0));
	recoding_arguments(fcinfo, &call);
	/* what other writers did before they let the table go must be seen */
	PushActiveSnapshot(GetTransactionSnapshot());
	read_rows(&call, ALGORITHM_EXTEND_RECODING);
	old = read_old(&call, table, &rows);
	PopActiveSnapshot();
	result = recoding_extend(&call.order, old->class_of, &moved);
	if (!result->feasible)
		refuse_infeasible(&call);
	end_search(&call, result);
	numbers = extended_numbers(old, result->nclasses);
	level = sql_use_catalog_names();
	sql_connect();
	update_classes(table, &rows, old->class_of, result->class_of, numbers);
	added = write_tuples(&call, table, rows.known, result->class_of, numbers);
	sql_finish();
	sql_restore_names(level);
	table_close(table, NoLock);
	if (moved > 0)
		ereport(NOTICE,
				(errmsg_plural("class of " INT64_FORMAT " person changed", "class of " INT64_FORMAT " people changed", moved, moved)));
	PG_RETURN_INT64(added);
}
