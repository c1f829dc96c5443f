/*
 * store_read.c
 *	  Reads a tuple store instead of its relation.
 *
 * The store's table is scanned here, under the caller's snapshot, without
 * needing rights on it; the caller's rights are checked on the relation. Rows
 * are encoded as they come.  If values have to be cast first, or counts added
 * up, rows are kept in memory or a temporary file, where an ordinary statement
 * of the caller sees them as stored_tuples.
 *
 * A store is current if its fingerprint is unchanged, no change is uncounted,
 * this session is not in the middle of a write, and its snapshot is not from
 * between a write and its count.
 */
#include "store/store_parts.h"

#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/relations.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define STORED_TUPLES "stored_tuples"

/* Why the caller may not get a relation's tuples without reading it, or NULL. */
static const char *
why_not_readable(const StoreRead *read, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);
	List	   *columns = NIL;

	if (check_enable_rls(oid, InvalidOid, true) == RLS_ENABLED)
		return "row security applies to you";
	for (int i = 0; i < read->ncolumns; i++)
		columns = lappend_int(columns, get_attnum(oid, read->store->columns[read->places[i]]));
	if (object_aclcheck(NamespaceRelationId, RelationGetNamespace(relation), GetUserId(), ACL_USAGE) != ACLCHECK_OK ||
		!may_select(oid, columns))
		return "you may not read the relation";
	return NULL;
}

/*
 * Why a store is not current, or NULL.  A session may not see a write without
 * its count.  Within triggers, changes by a foreign key may be uncounted
 * although their statement has ended.  A transaction's fixed snapshot does not
 * show the state at the time when the transaction itself counted.
 */
static const char *
why_not_current(const Store *store, Relation relation)
{
	const char *problem;

	if (!store->tracked)
		return "it is not tracked";
	problem = store_mismatch(store, relation, false);
	if (problem != NULL)
		return problem;
	if (relation->rd_rel->relhassubclass)
		return "the relation has children";
	if (is_distributed(RelationGetRelid(relation)))
		return "the relation is distributed";
	if (store_has_uncounted(store->number, GetActiveSnapshot()))
		return "changes could not be counted";
	if (is_replicated_to(RelationGetRelid(relation)))
		return "a subscription writes to the relation";
	if (IsolationUsesXactSnapshot() && store_of_number(store->number)->own)
		return "this transaction has counted it";
	if (relation->rd_refcnt > 1 || DatumGetInt32(OidFunctionCall0(F_PG_TRIGGER_DEPTH)) > 0)
		return "a statement or trigger of this session has not ended";
	if (GetActiveSnapshot()->curcid != GetCurrentCommandId(false))
		return "this session has written since its snapshot";
	return NULL;
}

/* Checks a store for use by the caller; also sets whether it can be read at all. */
static StoreRead *
check_store(Store *store, const Dataset *dataset, Relation relation, bool *readable)
{
	StoreRead  *read = palloc0(sizeof(StoreRead));
	char	  **columns;
	int			narguments = 0;
	Relation	table;
	const char *guard;

	*readable = false;
	read->store = store;
	read->table = store_table(store);
	read->ncolumns = counted_columns(dataset, &columns);
	read->places = palloc(sizeof(int) * (read->ncolumns + 1));
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];

		/* a sensitive column may be read in addition to its leaves */
		if (role_is_counted(declared->role))
			narguments += declared->role == ROLE_SENSITIVE && OidIsValid(declared->hierarchy) ? 2 : 1;
	}
	/* our aggregate takes them and a count */
	if (narguments > FUNC_MAX_ARGS - 3)
		read->problem = "too many columns are declared";
	for (int i = 0; i < read->ncolumns && read->problem == NULL; i++)
	{
		read->places[i] = find_name(columns[i], (const char *const *) store->columns, store->ncolumns);
		if (read->places[i] < 0)
			read->problem = "it lacks a declared column";
	}
	if (read->problem != NULL)
		return read;
	read->problem = why_not_current(store, relation);
	table = store_open_table(store, relation, AccessShareLock);
	if (table == NULL)
		return read;
	relation_close(table, NoLock);
	guard = why_not_readable(read, relation);
	if (guard != NULL)
		read->problem = guard;
	/* nobody counts what shards hold */
	*readable = guard == NULL && !is_distributed(RelationGetRelid(relation));
	return read;
}

/* Whether a store is better to read than another: current, the data set's own, narrower. */
static bool
is_better(const StoreRead *a, const StoreRead *b, const Dataset *dataset)
{
	bool		own = strcmp(a->store->dataset, dataset->name) == 0;

	if (b == NULL)
		return true;
	if ((a->problem == NULL) != (b->problem == NULL))
		return a->problem == NULL;
	if (own || strcmp(b->store->dataset, dataset->name) == 0)
		return own;
	return a->store->ncolumns < b->store->ncolumns;
}

/*
 * The best readable store of a data set's relation, or else its own store.
 * Only the caller may have the relation open: a second reference means that a
 * statement of this session has not ended.
 */
static StoreRead *
best_store(const Dataset *dataset, Relation relation, bool describe)
{
	StoreRead  *best = NULL;
	List	   *stores;
	ListCell   *cell;

	/* other relations have no stores */
	if (dataset->name == NULL || dataset->count_column != NULL || relation->rd_rel->relkind != RELKIND_RELATION)
		return NULL;
	stores = stores_of_relation(dataset->relation, GetActiveSnapshot());
	foreach(cell, stores)
	{
		Store	   *store = lfirst(cell);
		bool		readable;
		StoreRead  *read = check_store(store, dataset, relation, &readable);

		if ((readable || (describe && strcmp(store->dataset, dataset->name) == 0)) && is_better(read, best, dataset))
			best = read;
	}
	return best;
}

StoreRead *
store_to_read(const Dataset *dataset, Relation relation, bool any)
{
	StoreRead  *read = best_store(dataset, relation, false);

	return read == NULL || (read->problem != NULL && !any) ? NULL : read;
}

StoreRead *
store_to_describe(const Dataset *dataset)
{
	Relation	relation = try_relation_open(dataset->relation, AccessShareLock);
	StoreRead  *read;

	if (relation == NULL)
		return NULL;
	read = best_store(dataset, relation, true);
	relation_close(relation, NoLock);
	if (read != NULL && read->problem != NULL && strcmp(read->store->dataset, dataset->name) != 0)
		return NULL;
	return read;
}

/*
 * Without negative counts, rows need not be added up, because counting tuples
 * does that.  Otherwise tuples that cancel out must be left out, since their
 * values may no longer have a leaf.  Counts of a store that is not current may
 * add up to a negative number.
 */
char *
store_source(const StoreRead *read)
{
	const char *count = store_count_name(read->store);
	StringInfoData columns;

	if (!read->is_grouped)
		return pstrdup(STORED_TUPLES " r");
	initStringInfo(&columns);
	for (int i = 0; i < read->ncolumns; i++)
		appendStringInfo(&columns, "%ss.%s", i > 0 ? ", " : "", quote_identifier(read->store->columns[read->places[i]]));
	return psprintf("(SELECT %s, pg_catalog.sum(s.%s)::pg_catalog.int8 AS %s FROM " STORED_TUPLES " s GROUP BY %s"
					" HAVING pg_catalog.sum(s.%s) OPERATOR(pg_catalog.%s) 0) r",
					columns.data, count, count, columns.data, count, read->problem == NULL ? "<>" : ">");
}

/* Fails unless a store's table has the store's columns followed by a count. */
static void
require_shape(const StoreRead *read, TupleDesc table)
{
	Oid			count = INT8OID;

	rows_require_types(table, read->store->ncolumns, 1, &count);
	if (table->natts != read->store->ncolumns + 1)
		rows_refuse_changed(NameStr(TupleDescAttr(table, table->natts - 1)->attname), "It is not a column of the tuple store.");
	for (int i = 0; i < read->store->ncolumns; i++)
		if (TupleDescAttr(table, i)->attisdropped)
			rows_refuse_changed(read->store->columns[i], "It has been dropped from the tuple store.");
}

/*
 * Visits the rows of a store's table: the values of some columns and the count.
 * Returns whether some count is negative, which may end the scan before it.
 */
static bool
scan_rows(const StoreRead *read, const int *places, int ncolumns, const Oid *types, bool only_added, StoredVisitor visit, void *arg)
{
	Relation	table = table_open(read->table, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL, 0);
	Datum	   *values = palloc(sizeof(Datum) * (ncolumns + 1));
	bool	   *nulls = palloc(sizeof(bool) * (ncolumns + 1));
	int			last = read->store->ncolumns;
	bool		negative = false;

	require_shape(read, RelationGetDescr(table));
	for (int i = 0; i < ncolumns && types != NULL; i++)
		rows_require_types(RelationGetDescr(table), places[i], 1, &types[i]);
	while (!(negative && only_added) && table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		negative = negative || slot->tts_isnull[last] || DatumGetInt64(slot->tts_values[last]) < 0;
		for (int i = 0; i <= ncolumns; i++)
		{
			int			place = i < ncolumns ? places[i] : last;

			values[i] = slot->tts_values[place];
			nulls[i] = slot->tts_isnull[place];
		}
		if (!(negative && only_added))
			visit(arg, values, nulls, DatumGetInt64(values[ncolumns]));
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, NoLock);
	return negative;
}

bool
store_read_feed(const StoreRead *read, const int *places, int ncolumns, const Oid *types, StoredVisitor visit, void *arg)
{
	return !scan_rows(read, places, ncolumns, types, true, visit, arg);
}

int
store_read_place(const StoreRead *read, const char *column, Oid *type)
{
	*type = get_atttype(read->table, get_attnum(read->table, column));
	return find_name(column, (const char *const *) read->store->columns, read->store->ncolumns);
}

/* Keeps a row and its count. */
static void
keep_row(void *arg, const Datum *values, const bool *nulls, int64 count)
{
	StoreRead  *read = arg;

	tuplestore_putvalues(read->rows, read->desc, unconstify(Datum *, values), unconstify(bool *, nulls));
}

void
store_read_scan(StoreRead *read)
{
	Relation	table = table_open(read->table, AccessShareLock);

	require_shape(read, RelationGetDescr(table));
	read->desc = CreateTemplateTupleDesc(read->ncolumns + 1);
	for (int i = 0; i < read->ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(table), read->places[i]);

		TupleDescInitEntry(read->desc, i + 1, read->store->columns[read->places[i]], column->atttypid, column->atttypmod, 0);
		TupleDescInitEntryCollation(read->desc, i + 1, column->attcollation);
	}
	TupleDescInitEntry(read->desc, read->ncolumns + 1, store_count_name(read->store), INT8OID, -1, 0);
	TupleDescFinalize(read->desc);
	table_close(table, NoLock);
	read->rows = tuplestore_begin_heap(false, false, work_mem);
	read->is_grouped = scan_rows(read, read->places, read->ncolumns, NULL, false, keep_row, read);
}

void
store_read_tell(const StoreRead *read)
{
	if (read->problem != NULL)
		ereport(NOTICE,
				(errmsg("tuple store %s is read although it is not current", relation_sql_name(read->table)),
				 errdetail("Its tuples were counted at %s, and it is not current: %s.",
						   timestamptz_to_str(read->store->counted_at), read->problem)));
}

QueryEnvironment *
store_read_show(StoreRead *read)
{
	QueryEnvironment *environment = create_queryEnv();

	rows_show(environment, STORED_TUPLES, read->rows, InvalidOid, read->desc);
	return environment;
}

void
store_read_end(StoreRead *read)
{
	tuplestore_end(read->rows);
	read->rows = NULL;
}
