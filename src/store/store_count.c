/*
 * store_count.c
 *	  SQL: count_changes and note_row, the triggers of tuple stores.
 *
 * A statement's changes are in its transition tables.  An ordinary statement
 * groups them, as the writing role, and its rows are inserted into the store's
 * table here, with a sign.  Nothing is ever updated, so no writer waits for
 * another, and nobody needs rights on the store.  Grouping drops changes that
 * cancel out, as when an update changes only other columns.
 *
 * A write is never refused here.  If a change cannot be counted, that is
 * recorded, and the store is not current until it is recounted.
 */
#include "store/store_parts.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* Up to this many rows are not worth a statement. */
#define FEW_ROWS 16

/* Rows to be inserted into a store's table. */
typedef struct Appender
{
	Relation	table;
	TupleTableSlot *slot;
	CommandId	command;
} Appender;

/* Appends a row: its first values, or those with these numbers. */
static void
append_row(Appender *appender, const Datum *values, const bool *nulls, const AttrNumber *numbers, int64 n)
{
	TupleTableSlot *slot = appender->slot;
	int			last = slot->tts_tupleDescriptor->natts - 1;

	ExecClearTuple(slot);
	for (int i = 0; i < last; i++)
	{
		int			at = numbers != NULL ? numbers[i] - 1 : i;

		slot->tts_values[i] = values[at];
		slot->tts_isnull[i] = nulls[at];
	}
	slot->tts_values[last] = Int64GetDatum(n);
	slot->tts_isnull[last] = false;
	ExecStoreVirtualTuple(slot);
	table_tuple_insert(appender->table, slot, appender->command, 0, NULL);
	ExecClearTuple(slot);
}

/* Receives a row of a statement: the columns, and the count. */
static void
take_counted(void *arg, const Datum *values, const bool *nulls)
{
	Appender   *appender = arg;
	int			last = RelationGetDescr(appender->table)->natts - 1;

	CHECK_FOR_INTERRUPTS();
	append_row(appender, values, nulls, NULL, DatumGetInt64(values[last]));
}

/* Assigns the transaction's and the command's id, which must be before workers start. */
static void
appender_begin(Appender *appender, Relation table)
{
	(void) GetCurrentTransactionId();
	appender->table = table;
	appender->slot = MakeSingleTupleTableSlot(RelationGetDescr(table), &TTSOpsVirtual);
	appender->command = GetCurrentCommandId(true);
}

static void
appender_end(Appender *appender)
{
	ExecDropSingleTupleTableSlot(appender->slot);
	CommandCounterIncrement();
}

static AttrNumber
column_number(const Store *store, Relation relation, int i)
{
	AttrNumber	number = get_attnum(RelationGetRelid(relation), store->columns[i]);

	if (number <= 0)
		rows_refuse_changed(store->columns[i], "The relation has no such column any more.");
	return number;
}

/* The base types of the columns of a store's table. */
static Oid *
table_types(TupleDesc table)
{
	Oid		   *types = palloc(sizeof(Oid) * table->natts);

	for (int i = 0; i < table->natts; i++)
		types[i] = TupleDescAttr(table, i)->attisdropped ? InvalidOid : getBaseType(TupleDescAttr(table, i)->atttypid);
	return types;
}

/* The columns in the form in which they are compared: texts by their bytes. */
static char *
column_list(const Store *store, Relation relation)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < store->ncolumns; i++)
	{
		AttrNumber	number = column_number(store, relation, i);
		Oid			collation = TupleDescAttr(RelationGetDescr(relation), number - 1)->attcollation;

		appendStringInfo(&list, "%sr.%s%s", i > 0 ? ", " : "", quote_identifier(store->columns[i]),
						 OidIsValid(collation) && !get_collation_isdeterministic(collation) ? " COLLATE pg_catalog.\"C\"" : "");
	}
	return list.data;
}

static void
run_counting(const char *statement, const List *relations, QueryEnvironment *environment, Appender *appender)
{
	TupleDesc	table = RelationGetDescr(appender->table);

	rows_read(statement, relations, NULL, environment, table->natts, table_types(table), take_counted, appender);
}

void
store_count_all(const Store *store, Relation relation, Relation table)
{
	const char *columns = column_list(store, relation);
	Appender	appender;

	appender_begin(&appender, table);
	/* the current state, even if the transaction still sees an older one */
	PushActiveSnapshot(GetLatestSnapshot());
	run_counting(psprintf("SELECT %s, pg_catalog.count(*) FROM ONLY %s r GROUP BY %s", columns,
						  relation_sql_name(RelationGetRelid(relation)), columns),
				 list_make1_oid(RelationGetRelid(relation)), NULL, &appender);
	PopActiveSnapshot();
	appender_end(&appender);
}

void
store_empty(Relation table)
{
	TupleTableSlot *slot = table_slot_create(table, NULL);
	Snapshot	snapshot;
	TableScanDesc scan;

	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	scan = table_beginscan(table, snapshot, 0, NULL, 0);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		simple_table_tuple_delete(table, &slot->tts_tid, snapshot);
	}
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	ExecDropSingleTupleTableSlot(slot);
	CommandCounterIncrement();
}

/* ------------------------------------------------------------------ triggers */

/* The store that a trigger counts for; NULL if the trigger does not belong to a store. */
static Store *
store_of_trigger(const TriggerData *data)
{
	const Trigger *trigger = data->tg_trigger;
	Store	   *store;
	char	   *end;
	int64		number;

	if (trigger->tgnargs != 1)
		return NULL;
	number = strtoll(trigger->tgargs[0], &end, 10);
	if (*end != '\0')
		return NULL;
	store = store_of_number(number);
	if (store == NULL || store->relation != RelationGetRelid(data->tg_relation) ||
		!store_lists_trigger(store, trigger->tgoid))
		return NULL;
	return store;
}

static void
require_trigger(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("trigger functions of tuple stores cannot be called from SQL"),
				 errhint("See anonopt.create_tuple_store.")));
}

/* Whether the counted columns of two rows are equal in every bit. */
static bool
same_columns(const Store *store, const AttrNumber *numbers, const TupleTableSlot *a, const TupleTableSlot *b)
{
	for (int i = 0; i < store->ncolumns; i++)
	{
		int			at = numbers[i] - 1;
		Form_pg_attribute column = TupleDescAttr(a->tts_tupleDescriptor, at);

		if (a->tts_isnull[at] != b->tts_isnull[at])
			return false;
		if (!a->tts_isnull[at] && !datum_image_eq(a->tts_values[at], b->tts_values[at], column->attbyval, column->attlen))
			return false;
	}
	return true;
}

/* Inserts a few rows without grouping: those before, which count -1, and those after. */
static void
append_few(const Store *store, const TriggerData *data, Appender *appender)
{
	TupleDesc	desc = RelationGetDescr(data->tg_relation);
	AttrNumber *numbers = palloc(sizeof(AttrNumber) * store->ncolumns);
	const Oid  *types = table_types(RelationGetDescr(appender->table));
	Tuplestorestate *rows[2] = {data->tg_oldtable, data->tg_newtable};
	TupleTableSlot *slots[2];
	int			pointers[2];
	bool		has[2] = {false, false};

	for (int i = 0; i < store->ncolumns; i++)
	{
		numbers[i] = column_number(store, data->tg_relation, i);
		rows_require_types(desc, numbers[i] - 1, 1, &types[i]);
	}
	for (int side = 0; side < 2; side++)
	{
		slots[side] = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
		if (rows[side] == NULL)
			continue;
		pointers[side] = tuplestore_alloc_read_pointer(rows[side], EXEC_FLAG_REWIND);
		tuplestore_select_read_pointer(rows[side], pointers[side]);
		tuplestore_rescan(rows[side]);
	}
	do
	{
		for (int side = 0; side < 2; side++)
		{
			if (rows[side] == NULL)
				continue;
			tuplestore_select_read_pointer(rows[side], pointers[side]);
			has[side] = tuplestore_gettupleslot(rows[side], true, false, slots[side]);
			if (has[side])
				slot_getallattrs(slots[side]);
		}
		if (has[0] && has[1] && same_columns(store, numbers, slots[0], slots[1]))
			continue;
		for (int side = 0; side < 2; side++)
			if (has[side])
				append_row(appender, slots[side]->tts_values, slots[side]->tts_isnull, numbers, side == 0 ? -1 : 1);
	} while (has[0] || has[1]);
	for (int side = 0; side < 2; side++)
		ExecDropSingleTupleTableSlot(slots[side]);
}

/* The statement that groups the changes of a trigger's statement. */
static char *
changes_statement(const Store *store, const TriggerData *data)
{
	const char *columns = column_list(store, data->tg_relation);
	StringInfoData names;

	if (data->tg_oldtable == NULL || data->tg_newtable == NULL)
		return psprintf("SELECT %s, %s pg_catalog.count(*) FROM %s r GROUP BY %s", columns,
						data->tg_newtable != NULL ? "" : "OPERATOR(pg_catalog.-)",
						data->tg_newtable != NULL ? "new_rows" : "old_rows", columns);
	initStringInfo(&names);
	for (int i = 0; i < store->ncolumns; i++)
		appendStringInfo(&names, "%sc%d", i > 0 ? ", " : "", i + 1);
	return psprintf("SELECT %s, pg_catalog.sum(n) FROM (SELECT %s, 1 FROM new_rows r UNION ALL SELECT %s, -1 FROM old_rows r)"
					" u (%s, n) GROUP BY %s HAVING pg_catalog.sum(n) OPERATOR(pg_catalog.<>) 0",
					names.data, columns, columns, names.data, names.data);
}

/* Inserts a statement's changes into the store's table. */
static void
append_changes(const Store *store, TriggerData *data, Relation table, int64 nrows)
{
	QueryEnvironment *environment = create_queryEnv();
	Appender	appender;

	appender_begin(&appender, table);
	if (nrows <= FEW_ROWS)
		append_few(store, data, &appender);
	else
	{
		const Trigger *trigger = data->tg_trigger;

		if (trigger->tgoldtable != NULL && data->tg_oldtable != NULL)
			rows_show(environment, trigger->tgoldtable, data->tg_oldtable, RelationGetRelid(data->tg_relation), NULL);
		if (trigger->tgnewtable != NULL && data->tg_newtable != NULL)
			rows_show(environment, trigger->tgnewtable, data->tg_newtable, RelationGetRelid(data->tg_relation), NULL);
		run_counting(changes_statement(store, data), NIL, environment, &appender);
	}
	appender_end(&appender);
}

/* Counts what a statement changed. */
OWN_FUNCTION(anonopt_count_changes)
{
	TriggerData *data;
	int64		nrows = 0;
	bool		truncated;
	Store	   *store;
	Relation	relation;
	Relation	table = NULL;

	require_trigger(fcinfo);
	data = (TriggerData *) fcinfo->context;
	relation = data->tg_relation;
	truncated = TRIGGER_FIRED_BY_TRUNCATE(data->tg_event);
	if (data->tg_oldtable != NULL)
		nrows += tuplestore_tuple_count(data->tg_oldtable);
	if (data->tg_newtable != NULL)
		nrows += tuplestore_tuple_count(data->tg_newtable);
	if (!truncated && nrows == 0)
		return PointerGetDatum(NULL);
	store = store_of_trigger(data);
	if (store == NULL)
		return PointerGetDatum(NULL);

	/* an update's transition tables contain rows of children, too */
	if (!relation->rd_rel->relhassubclass &&
		strcmp(store_fingerprint_columns(store, relation), store->fingerprints[FINGERPRINT_COLUMNS]) == 0)
		table = store_open_table(store, relation, RowExclusiveLock);
	if (table == NULL)
		store_note_uncounted(store->number);
	else if (truncated)
	{
		/*
		 * the relation is empty, so the store is current even if it was not
		 * before; PostgreSQL does not truncate a relation with pending
		 * trigger events
		 */
		store_empty(table);
		if (store_mismatch(store, relation, true) == NULL)
			record_counting(store, relation);
		else
			store_note_uncounted(store->number);
	}
	else
		append_changes(store, data, table, nrows);
	if (table != NULL)
		table_close(table, NoLock);
	return PointerGetDatum(NULL);
}

/* A subscription fires no statement triggers, and row triggers only as a replica. */
OWN_FUNCTION(anonopt_note_row)
{
	static int64 noted = 0;
	static TransactionId when = InvalidTransactionId;
	TriggerData *data;
	Store	   *store;

	require_trigger(fcinfo);
	if (!AmBackgroundWorkerProcess())
		return PointerGetDatum(NULL);
	data = (TriggerData *) fcinfo->context;
	store = store_of_trigger(data);
	if (store == NULL || (noted == store->number && when == GetCurrentTransactionId()))
		return PointerGetDatum(NULL);
	store_note_uncounted(store->number);
	noted = store->number;
	when = GetCurrentTransactionId();
	return PointerGetDatum(NULL);
}
