/*
 * worker_pool.h
 *	  Workers that help a search, and when they pay.
 */
#ifndef ANONOPT_WORKER_POOL_H
#define ANONOPT_WORKER_POOL_H

#include "base/compat.h"

#include "access/parallel.h"
#include "engine/population.h"

/*
 * Workers pay for work that takes so many milliseconds alone; with less, they
 * would come too late.
 */
#define WORTH_WORKERS 30.0

/* Items and results are plain bytes, because they pass through shared memory. */
typedef struct PoolWork
{
	const char *name;			/* by which workers find it */

	/* state that a process prepares once, from the population and an argument */
	void	   *(*begin) (Population *population, const void *argument);
	void		(*work) (void *state, const void *item, void *result);
} PoolWork;

/* Makes all kinds of work known to workers; called when the library is loaded. */
extern void worker_pool_register(const PoolWork *const *all, int n);

typedef struct WorkerPool WorkerPool;

/* A search's order to a pool. */
typedef struct PoolOrder
{
	const PoolWork *work;
	Population *population;
	const void *argument;
	Size		argument_size;
	Size		item_size;
	Size		result_size;
	int			most_items;		/* a batch */
} PoolOrder;

/* Starts up to a number of workers; if none are available, the work is done here. */
extern WorkerPool *worker_pool_begin(const PoolOrder *order, int workers);

/* Starts them for a pool without workers, once its work has turned out to be worth it. */
extern void worker_pool_call(WorkerPool *pool, const PoolOrder *order, int workers);

/* The order's argument, shared by all processes of a pool. */
extern void *worker_pool_argument(const WorkerPool *pool);

/* Processes a batch; results are in the order of the items. */
extern void worker_pool_do(WorkerPool *pool, int nitems, const void *items, void *results);

/* Processes a batch, or the first items of it until a deadline; returns their number. */
extern int	worker_pool_do_until(WorkerPool *pool, int nitems, const void *items, void *results, int64 deadline, bool *in_time);

/* Stops the workers; returns their number. */
extern int	worker_pool_end(WorkerPool *pool);

#endif
