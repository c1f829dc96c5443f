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
#include "engine/population_copies.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/shm_toc.h"
#include "utils/wait_event.h"

/* -------------------- starts workers that share a population and other data */

/*
 * If no shared memory or no worker is available, nothing here fails: the
 * search continues alone.
 */

#define KEY_POPULATION UINT64CONST(0xA707000)
#define KEY_CHUNKS UINT64CONST(0xA707001)

static void
leave(ParallelContext *context)
{
	DestroyParallelContext(context);
	ExitParallelMode();
}

static void *
share(ParallelContext *context, uint64 key, Size size)
{
	void	   *bytes = shm_toc_allocate(context->toc, size);

	shm_toc_insert(context->toc, key, bytes);
	return bytes;
}

static ParallelContext *
parallel_begin(const char *entry, int workers, const Population *population, int nchunks, const Size *sizes,
			   void **chunks)
{
	Size		population_size = shared_population_size(population);
	ParallelContext *context;

	EnterParallelMode();
	context = CreateParallelContext("anonopt", entry, workers);
	shm_toc_estimate_chunk(&context->estimator, population_size);
	for (int i = 0; i < nchunks; i++)
		shm_toc_estimate_chunk(&context->estimator, sizes[i]);
	shm_toc_estimate_keys(&context->estimator, nchunks + 1);
	InitializeParallelDSM(context);
	if (context->seg == NULL)
	{
		leave(context);
		return NULL;
	}
	shared_population_write(population, share(context, KEY_POPULATION, population_size));
	for (int i = 0; i < nchunks; i++)
		chunks[i] = share(context, KEY_CHUNKS + i, sizes[i]);
	return context;
}

static bool
parallel_launch(ParallelContext *context)
{
	LaunchParallelWorkers(context);
	if (context->nworkers_launched > 0)
		return true;
	leave(context);
	return false;
}

static int
parallel_end(ParallelContext *context)
{
	int			workers = context->nworkers_launched;

	WaitForParallelWorkersToFinish(context);
	leave(context);
	return workers;
}

static Population *
parallel_population(shm_toc *toc)
{
	return shared_population_read(shm_toc_lookup(toc, KEY_POPULATION, false), CurrentMemoryContext);
}

static void *
parallel_chunk(shm_toc *toc, int chunk)
{
	return shm_toc_lookup(toc, KEY_CHUNKS + chunk, false);
}

/* Data in shared memory beside the population. */
enum
{
	CHUNK_HEADER,
	CHUNK_ARGUMENT,
	CHUNK_ITEMS,
	CHUNK_RESULTS,
	CHUNKS
};

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
#define MOST_WORKS 16

static const PoolWork *works[MOST_WORKS];
static int	nworks;

void
worker_pool_register(const PoolWork *work)
{
	if (nworks == MOST_WORKS)
		elog(ERROR, "too many kinds of work");
	works[nworks++] = work;
}

static const PoolWork *
find_work(const char *name)
{
	for (int i = 0; i < nworks; i++)
		if (strcmp(works[i]->name, name) == 0)
			return works[i];
	elog(ERROR, "no work is called \"%s\"", name);
	return NULL;
}

PGDLLEXPORT void anonopt_pool_worker(dsm_segment *segment, shm_toc *toc);

/* Takes an item of the batch; returns false if none is left. */
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

/* The main function of a worker. */
void
anonopt_pool_worker(dsm_segment *segment, shm_toc *toc)
{
	WorkerPool	pool = {0};
	SharedPool *shared = parallel_chunk(toc, CHUNK_HEADER);
	Population *population = parallel_population(toc);

	pool.work = find_work(shared->work);
	pool.item_size = shared->item_size;
	pool.result_size = shared->result_size;
	pool.shared = shared;
	pool.items = parallel_chunk(toc, CHUNK_ITEMS);
	pool.results = parallel_chunk(toc, CHUNK_RESULTS);
	pool.state = pool.work->begin(population, parallel_chunk(toc, CHUNK_ARGUMENT));
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

static SharedPool *
share_pool(SharedPool *shared, const PoolOrder *order)
{
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
	return shared;
}

/* Starts workers; if none come, the pool has no context. */
void
worker_pool_call(WorkerPool *pool, const PoolOrder *order, int workers)
{
	Size		sizes[CHUNKS] = {sizeof(SharedPool), order->argument_size,
	mul_size(order->item_size, order->most_items), mul_size(order->result_size, order->most_items)};
	void	   *chunks[CHUNKS];
	ParallelContext *context;

	if (workers == 0 || IsParallelWorker())
		return;
	context = parallel_begin("anonopt_pool_worker", workers, order->population, CHUNKS, sizes, chunks);
	if (context == NULL)
		return;
	pool->shared = share_pool(chunks[CHUNK_HEADER], order);
	memcpy(chunks[CHUNK_ARGUMENT], order->argument, order->argument_size);
	pool->items = chunks[CHUNK_ITEMS];
	pool->results = chunks[CHUNK_RESULTS];
	if (!parallel_launch(context))
		return;
	pool->context = context;
	pool->argument = chunks[CHUNK_ARGUMENT];
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

static void
do_alone(WorkerPool *pool, int nitems, const char *items, char *results)
{
	for (int i = 0; i < nitems; i++)
	{
		CHECK_FOR_INTERRUPTS();
		pool->work->work(pool->state, items + i * pool->item_size, results + i * pool->result_size);
	}
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
	workers = parallel_end(pool->context);
	pool->context = NULL;
	return workers;
}
