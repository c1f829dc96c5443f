/*
 * stored_rows.c
 *	  Runs each query to its end, and then passes its rows on from a store.
 *
 * PostgreSQL passes on a row while the executor that produced it is still
 * running.  A replacement of the executor, such as that of Citus, may store
 * rows first and pass them on after the executor has ended, when a row that
 * points into its memory is invalid.  With this module loaded, a session's
 * queries that return rows to our code are run that way.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_MODULE_MAGIC;

#if PG_VERSION_NUM >= 180000
#define RUN_ARGUMENTS QueryDesc *query, ScanDirection direction, uint64 count
#define RUN(query, direction, count) ExecutorRun(query, direction, count)
#define RUN_STANDARD() standard_ExecutorRun(query, direction, count)
#else
#define RUN_ARGUMENTS QueryDesc *query, ScanDirection direction, uint64 count, bool once
#define RUN(query, direction, count) ExecutorRun(query, direction, count, true)
#define RUN_STANDARD() standard_ExecutorRun(query, direction, count, once)
#endif

extern PGDLLEXPORT void _PG_init(void);

static bool nested = false;

/* Runs a query's plan, with its parameters and snapshot, into a store. */
static Tuplestorestate *
run_into_store(QueryDesc * query)
{
	Tuplestorestate *store = tuplestore_begin_heap(false, false, work_mem);
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	QueryDesc  *copy = CreateQueryDesc(query->plannedstmt, query->sourceText, query->snapshot, InvalidSnapshot,
									   receiver, query->params, query->queryEnv, 0);

	SetTuplestoreDestReceiverParams(receiver, store, CurrentMemoryContext, false, NULL, NULL);
	ExecutorStart(copy, 0);
	RUN(copy, ForwardScanDirection, 0);
	ExecutorFinish(copy);
	ExecutorEnd(copy);
	FreeQueryDesc(copy);
	return store;
}

static void
hand_on(QueryDesc * query, Tuplestorestate *store)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(query->tupDesc, &TTSOpsMinimalTuple);
	DestReceiver *receiver = query->dest;

	query->estate->es_processed = 0;
	receiver->rStartup(receiver, query->operation, query->tupDesc);
	while (tuplestore_gettupleslot(store, true, false, slot) && receiver->receiveSlot(slot, receiver))
		query->estate->es_processed++;
	receiver->rShutdown(receiver);
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(store);
}

/* The server's own receivers expect its own executor; ours have an unknown kind. */
static void
run_stored(RUN_ARGUMENTS)
{
	if (nested || query->operation != CMD_SELECT || query->dest->mydest != DestNone || query->dest == None_Receiver)
	{
		RUN_STANDARD();
		return;
	}
	nested = true;
	PG_TRY();
	{
		Tuplestorestate *store = run_into_store(query);

		nested = false;
		hand_on(query, store);
	}
	PG_FINALLY();
	{
		nested = false;
	}
	PG_END_TRY();
}

void
_PG_init(void)
{
	ExecutorRun_hook = run_stored;
}
