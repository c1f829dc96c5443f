/*
 * worker_pool.c
 *	  Workers that help a search.
 *
 * Workers live for a whole search, each with its own copy of the task's state.
 * A batch is laid out in shared memory, and any free process takes the next
 * item.  Items are numbered across all batches, so that a late worker never
 * takes an item of a finished batch.  An item's result does not depend on the
 * process that computes it.
 */
#include "engine/worker_pool.h"

#include "access/xact.h"
#include "base/progress.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/shm_toc.h"
#include "utils/wait_event.h"

/* Data in shared memory. */
enum
{
	CHUNK_HEADER,
	CHUNK_ARGUMENT,
	CHUNK_ITEMS,
	CHUNK_RESULTS,
	CHUNK_POPULATION,
	CHUNKS
};

#define KEY_OF(chunk) (UINT64CONST(0xA707000) + (chunk))

typedef struct SharedPool
{
	char		work[NAMEDATALEN];	/* its name */
	Size		item_size;
	Size		result_size;
	int			most_items;
	pg_atomic_uint64 next;		/* the item to be taken next */
	pg_atomic_uint64 end;		/* the item behind the batch's last */
	pg_atomic_uint64 done;		/* items with a result */
	pg_atomic_uint32 dismissed;
	ConditionVariable begun;	/* a batch, or the end */
	ConditionVariable finished; /* a batch */
} SharedPool;

/* The state of one process. */
struct WorkerPool
{
	const PoolWork *work;
	Size		item_size;
	Size		result_size;
	void	   *state;
	ParallelContext *context;	/* the leader's; NULL without workers */
	SharedPool *shared;
	void	   *argument;
	char	   *items;
	char	   *results;
};

/* Kinds of work, by which workers find what the leader has named. */
static const PoolWork *const *works;
static int	nworks;

void
worker_pool_register(const PoolWork *const *all, int n)
{
	works = all;
	nworks = n;
}

PGDLLEXPORT void anonopt_pool_worker(dsm_segment *segment, shm_toc *toc);

/* Works until no item of the batch is left. */
static void
work_off(WorkerPool *pool)
{
	SharedPool *shared = pool->shared;
	uint64		item = pg_atomic_read_u64(&shared->next);

	while (item < pg_atomic_read_u64(&shared->end))
	{
		Size		place = item % shared->most_items;

		if (!pg_atomic_compare_exchange_u64(&shared->next, &item, item + 1))
			continue;
		CHECK_FOR_INTERRUPTS();
		pool->work->work(pool->state, pool->items + place * pool->item_size,
						 pool->results + place * pool->result_size);
		if (pg_atomic_add_fetch_u64(&shared->done, 1) == pg_atomic_read_u64(&shared->end))
			ConditionVariableBroadcast(&shared->finished);
		item = pg_atomic_read_u64(&shared->next);
	}
}

/* The main function of a worker. */
void
anonopt_pool_worker(dsm_segment *segment, shm_toc *toc)
{
	WorkerPool	pool = {0};
	SharedPool *shared = shm_toc_lookup(toc, KEY_OF(CHUNK_HEADER), false);
	Population *population = shared_population_read(shm_toc_lookup(toc, KEY_OF(CHUNK_POPULATION), false), CurrentMemoryContext);

	for (int i = 0; i < nworks; i++)
		if (strcmp(works[i]->name, shared->work) == 0)
			pool.work = works[i];
	if (pool.work == NULL)
		elog(ERROR, "no work is called \"%s\"", shared->work);
	pool.item_size = shared->item_size;
	pool.result_size = shared->result_size;
	pool.shared = shared;
	pool.items = shm_toc_lookup(toc, KEY_OF(CHUNK_ITEMS), false);
	pool.results = shm_toc_lookup(toc, KEY_OF(CHUNK_RESULTS), false);
	pool.state = pool.work->begin(population, shm_toc_lookup(toc, KEY_OF(CHUNK_ARGUMENT), false));
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

/* Allocates the shared data and fills in what does not change. */
static void
share_order(ParallelContext *context, const PoolOrder *order, const Size *sizes, void **chunks)
{
	SharedPool *shared;

	for (int i = 0; i < CHUNKS; i++)
	{
		chunks[i] = shm_toc_allocate(context->toc, sizes[i]);
		shm_toc_insert(context->toc, KEY_OF(i), chunks[i]);
	}
	shared_population_write(order->population, chunks[CHUNK_POPULATION]);
	memcpy(chunks[CHUNK_ARGUMENT], order->argument, order->argument_size);
	shared = chunks[CHUNK_HEADER];
	strlcpy(shared->work, order->work->name, NAMEDATALEN);
	shared->item_size = order->item_size;
	shared->result_size = order->result_size;
	shared->most_items = order->most_items;
	pg_atomic_init_u64(&shared->next, 0);
	pg_atomic_init_u64(&shared->end, 0);
	pg_atomic_init_u64(&shared->done, 0);
	pg_atomic_init_u32(&shared->dismissed, 0);
	ConditionVariableInit(&shared->begun);
	ConditionVariableInit(&shared->finished);
}

/*
 * Without shared memory or without a worker, the pool has no context: the
 * search continues alone.
 */
void
worker_pool_call(WorkerPool *pool, const PoolOrder *order, int workers)
{
	Size		sizes[CHUNKS] = {sizeof(SharedPool), order->argument_size, mul_size(order->item_size, order->most_items),
	mul_size(order->result_size, order->most_items), 0};
	void	   *chunks[CHUNKS];
	ParallelContext *context;

	if (workers == 0 || IsParallelWorker())
		return;
	sizes[CHUNK_POPULATION] = shared_population_write(order->population, NULL);
	EnterParallelMode();
	context = CreateParallelContext("anonopt", "anonopt_pool_worker", workers);
	for (int i = 0; i < CHUNKS; i++)
		shm_toc_estimate_chunk(&context->estimator, sizes[i]);
	shm_toc_estimate_keys(&context->estimator, CHUNKS);
	InitializeParallelDSM(context);
	if (context->seg != NULL)
	{
		share_order(context, order, sizes, chunks);
		LaunchParallelWorkers(context);
	}
	if (context->nworkers_launched == 0)
	{
		DestroyParallelContext(context);
		ExitParallelMode();
		return;
	}
	pool->context = context;
	pool->shared = chunks[CHUNK_HEADER];
	pool->argument = chunks[CHUNK_ARGUMENT];
	pool->items = chunks[CHUNK_ITEMS];
	pool->results = chunks[CHUNK_RESULTS];
}

WorkerPool *
worker_pool_begin(const PoolOrder *order, int workers)
{
	WorkerPool *pool = palloc0(sizeof(WorkerPool));

	pool->work = order->work;
	pool->item_size = order->item_size;
	pool->result_size = order->result_size;
	pool->argument = unconstify(void *, order->argument);
	pool->state = pool->work->begin(order->population, order->argument);
	if (workers > 0)
		worker_pool_call(pool, order, workers);
	return pool;
}

void *
worker_pool_argument(const WorkerPool *pool)
{
	return pool->argument;
}

/* Copies a batch to or from its ring in shared memory. */
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
		for (int i = 0; i < nitems; i++)
		{
			CHECK_FOR_INTERRUPTS();
			pool->work->work(pool->state, (const char *) items + i * pool->item_size, (char *) results + i * pool->result_size);
		}
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
worker_pool_do_until(WorkerPool *pool, int nitems, const void *items, void *results, int64 deadline, bool *in_time)
{
	/* an item for each process, then the deadline is asked */
	int			share = deadline == 0 ? nitems : pool->context == NULL ? 1 : 1 + pool->context->nworkers_launched;
	int			done = 0;

	while (done < nitems)
	{
		int			n = Min(share, nitems - done);

		worker_pool_do(pool, n, (const char *) items + done * pool->item_size, (char *) results + done * pool->result_size);
		done += n;
		if (time_is_up(deadline, in_time))
			break;
	}
	return done;
}

int
worker_pool_end(WorkerPool *pool)
{
	int			workers;

	if (pool->context == NULL)
		return 0;
	pg_atomic_write_u32(&pool->shared->dismissed, 1);
	ConditionVariableBroadcast(&pool->shared->begun);
	workers = pool->context->nworkers_launched;
	WaitForParallelWorkersToFinish(pool->context);
	DestroyParallelContext(pool->context);
	ExitParallelMode();
	pool->context = NULL;
	return workers;
}
