/*
 * worker_pool.c
 *	  One piece of work on item after item, by this process and by workers.
 *
 * Workers stay for a whole search, each with its own copy of what the work
 * needs.  A batch is laid out in shared memory; whoever is free takes the
 * next item.  Items are numbered through all batches, so that a worker that
 * comes late never takes one of a batch that is over.  What an item's result
 * is does not depend on who makes it.
 */
#include "engine/worker_pool.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "engine/cut_task.h"
#include "engine/measure_task.h"
#include "engine/shared_population.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/shm_toc.h"

#define KEY_HEADER UINT64CONST(0xA707101)
#define KEY_POPULATION UINT64CONST(0xA707102)
#define KEY_ARGUMENT UINT64CONST(0xA707103)
#define KEY_ITEMS UINT64CONST(0xA707104)
#define KEY_RESULTS UINT64CONST(0xA707105)

typedef struct SharedPool
{
	PoolTask	task;
	Size		item_size;
	Size		result_size;
	int			most_items;
	pg_atomic_uint64 next;		/* the item to be taken next */
	pg_atomic_uint64 end;		/* the item behind the batch's last */
	pg_atomic_uint64 done;		/* items that have a result */
	pg_atomic_uint32 dismissed;
	ConditionVariable begun;	/* a batch, or the end */
	ConditionVariable finished; /* a batch */
} SharedPool;

/* One process's side. */
struct WorkerPool
{
	const PoolWork *work;
	Size		item_size;
	Size		result_size;
	void	   *state;
	ParallelContext *context;	/* the leader's; NULL without workers */
	SharedPool *shared;
	char	   *items;
	char	   *results;
};

static const PoolWork *const works[POOL_TASKS] = {
	[TASK_MEASURE_NODES] = &measure_nodes_work,
	[TASK_EVALUATE_CUTS] = &evaluate_cuts_work
};

PGDLLEXPORT void anonopt_pool_worker(dsm_segment *segment, shm_toc *toc);

/* Takes an item of the batch; false where none is left. */
static bool
take_item(SharedPool *shared, uint64 *item)
{
	*item = pg_atomic_read_u64(&shared->next);
	while (*item < pg_atomic_read_u64(&shared->end))
		if (pg_atomic_compare_exchange_u64(&shared->next, item, *item + 1))
			return true;
	return false;
}

/* Works until no item is left. */
static void
work_off(WorkerPool *pool)
{
	SharedPool *shared = pool->shared;
	uint64		item;

	while (take_item(shared, &item))
	{
		Size		place = item % shared->most_items;

		CHECK_FOR_INTERRUPTS();
		pool->work->work(pool->state, pool->items + place * pool->item_size,
						 pool->results + place * pool->result_size);
		if (pg_atomic_add_fetch_u64(&shared->done, 1) == pg_atomic_read_u64(&shared->end))
			ConditionVariableBroadcast(&shared->finished);
	}
}

/* What a worker does. */
void
anonopt_pool_worker(dsm_segment *segment, shm_toc *toc)
{
	WorkerPool	pool = {0};
	SharedPool *shared = shm_toc_lookup(toc, KEY_HEADER, false);
	Population *population = shared_population_read(shm_toc_lookup(toc, KEY_POPULATION, false), CurrentMemoryContext);

	pool.work = works[shared->task];
	pool.item_size = shared->item_size;
	pool.result_size = shared->result_size;
	pool.shared = shared;
	pool.items = shm_toc_lookup(toc, KEY_ITEMS, false);
	pool.results = shm_toc_lookup(toc, KEY_RESULTS, false);
	pool.state = pool.work->begin(population, shm_toc_lookup(toc, KEY_ARGUMENT, false));
	for (;;)
	{
		work_off(&pool);
		ConditionVariablePrepareToSleep(&shared->begun);
		while (pg_atomic_read_u32(&shared->dismissed) == 0 &&
			   pg_atomic_read_u64(&shared->next) == pg_atomic_read_u64(&shared->end))
			ConditionVariableSleep(&shared->begun, PG_WAIT_EXTENSION);
		ConditionVariableCancelSleep();
		if (pg_atomic_read_u32(&shared->dismissed) != 0)
			break;
	}
}

static char *
share_bytes(ParallelContext *context, uint64 key, Size size)
{
	char	   *bytes = shm_toc_allocate(context->toc, size);

	shm_toc_insert(context->toc, key, bytes);
	return bytes;
}

/* Lays out what all share; false where there is no shared memory. */
static bool
share_pool(WorkerPool *pool, const PoolOrder *order)
{
	ParallelContext *context = pool->context;
	Size		items_size = mul_size(order->item_size, order->most_items);
	Size		results_size = mul_size(order->result_size, order->most_items);
	Size		population_size = shared_population_size(order->population);

	shm_toc_estimate_chunk(&context->estimator, sizeof(SharedPool));
	shm_toc_estimate_chunk(&context->estimator, population_size);
	shm_toc_estimate_chunk(&context->estimator, order->argument_size);
	shm_toc_estimate_chunk(&context->estimator, items_size);
	shm_toc_estimate_chunk(&context->estimator, results_size);
	shm_toc_estimate_keys(&context->estimator, 5);
	InitializeParallelDSM(context);
	if (context->seg == NULL)
		return false;

	pool->shared = (SharedPool *) share_bytes(context, KEY_HEADER, sizeof(SharedPool));
	pool->shared->task = order->task;
	pool->shared->item_size = order->item_size;
	pool->shared->result_size = order->result_size;
	pool->shared->most_items = order->most_items;
	pg_atomic_init_u64(&pool->shared->next, 0);
	pg_atomic_init_u64(&pool->shared->end, 0);
	pg_atomic_init_u64(&pool->shared->done, 0);
	pg_atomic_init_u32(&pool->shared->dismissed, 0);
	ConditionVariableInit(&pool->shared->begun);
	ConditionVariableInit(&pool->shared->finished);
	shared_population_write(order->population, share_bytes(context, KEY_POPULATION, population_size));
	memcpy(share_bytes(context, KEY_ARGUMENT, order->argument_size), order->argument, order->argument_size);
	pool->items = share_bytes(context, KEY_ITEMS, items_size);
	pool->results = share_bytes(context, KEY_RESULTS, results_size);
	return true;
}

WorkerPool *
worker_pool_begin(const PoolOrder *order, int workers)
{
	WorkerPool *pool = palloc0(sizeof(WorkerPool));

	pool->work = works[order->task];
	pool->item_size = order->item_size;
	pool->result_size = order->result_size;
	pool->state = pool->work->begin(order->population, order->argument);
	if (workers <= 0 || IsParallelWorker())
		return pool;
	EnterParallelMode();
	pool->context = CreateParallelContext("anonopt", "anonopt_pool_worker", workers);
	if (share_pool(pool, order))
		LaunchParallelWorkers(pool->context);
	if (pool->context->nworkers_launched == 0)
	{
		DestroyParallelContext(pool->context);
		ExitParallelMode();
		pool->context = NULL;
	}
	return pool;
}

static void
do_alone(WorkerPool *pool, int nitems, const char *items, char *results)
{
	for (int i = 0; i < nitems; i++)
	{
		CHECK_FOR_INTERRUPTS();
		pool->work->work(pool->state, items + i * pool->item_size, results + i * pool->result_size);
	}
}

/* Copies a batch to or from the ring that shared memory holds it in. */
static void
copy_ring(char *ring, Size size, uint64 first, int nitems, int most_items, char *bytes, bool into_ring)
{
	for (int i = 0; i < nitems; i++)
	{
		char	   *place = ring + (first + i) % most_items * size;

		memcpy(into_ring ? place : bytes + i * size, into_ring ? bytes + i * size : place, size);
	}
}

void
worker_pool_do(WorkerPool *pool, int nitems, const void *items, void *results)
{
	SharedPool *shared = pool->shared;
	uint64		first;

	if (pool->context == NULL || nitems == 0)
	{
		do_alone(pool, nitems, items, results);
		return;
	}
	Assert(nitems <= shared->most_items);
	first = pg_atomic_read_u64(&shared->end);
	copy_ring(pool->items, pool->item_size, first, nitems, shared->most_items, unconstify(void *, items), true);
	pg_write_barrier();
	pg_atomic_write_u64(&shared->end, first + nitems);
	if (nitems > 1)
		ConditionVariableBroadcast(&shared->begun);
	work_off(pool);
	ConditionVariablePrepareToSleep(&shared->finished);
	while (pg_atomic_read_u64(&shared->done) < first + nitems)
		ConditionVariableSleep(&shared->finished, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
	pg_read_barrier();
	copy_ring(pool->results, pool->result_size, first, nitems, shared->most_items, results, false);
}

int
worker_pool_end(WorkerPool *pool)
{
	int			workers;

	if (pool->context == NULL)
		return 0;
	pg_atomic_write_u32(&pool->shared->dismissed, 1);
	ConditionVariableBroadcast(&pool->shared->begun);
	WaitForParallelWorkersToFinish(pool->context);
	workers = pool->context->nworkers_launched;
	DestroyParallelContext(pool->context);
	ExitParallelMode();
	pool->context = NULL;
	return workers;
}
