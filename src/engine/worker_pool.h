/*
 * worker_pool.h
 *	  Workers that help a search, and when they pay.
 */
#ifndef ANONOPT_WORKER_POOL_H
#define ANONOPT_WORKER_POOL_H

#include "base/compat.h"

#include "access/parallel.h"
#include "engine/population.h"

/* -------------------- starts workers that share a population and other data */

/*
 * Enters parallel mode and lays out the population and chunks of the given
 * sizes in shared memory; returns NULL, outside parallel mode, if there is
 * none.
 */
extern ParallelContext *parallel_begin(const char *entry, int workers, const Population *population,
									   int nchunks, const Size *sizes, void **chunks);

/* Launches workers; if none came, ends the set-up and returns false. */
extern bool parallel_launch(ParallelContext *context);

/* Waits for the workers and leaves parallel mode; returns the number of workers. */
extern int	parallel_end(ParallelContext *context);

/* The worker's side. */
extern Population *parallel_population(shm_toc *toc);
extern void *parallel_chunk(shm_toc *toc, int chunk);

/* The available tasks; workers find a task by its number. */
typedef enum PoolTask
{
	TASK_MEASURE_NODES,
	TASK_EVALUATE_CUTS,
	TASK_RECODE_BLOCK,
	TASK_SEARCH_BOXES,
	TASK_SEARCH_PARTS,
	POOL_TASKS
} PoolTask;

/* Items and results are plain bytes, because they pass through shared memory. */
typedef struct PoolWork
{
	/* state that a process prepares once, from the population and an argument */
	void	   *(*begin) (Population *population, const void *argument);
	void		(*work) (void *state, const void *item, void *result);
} PoolWork;

/* Tasks defined by rooms above this one. */
extern const PoolWork recode_block_work;
extern const PoolWork search_boxes_work;
extern const PoolWork search_parts_work;

typedef struct WorkerPool WorkerPool;

/* A search's order to a pool. */
typedef struct PoolOrder
{
	PoolTask	task;
	Population *population;
	const void *argument;
	Size		argument_size;
	Size		item_size;
	Size		result_size;
	int			most_items;		/* a batch */
} PoolOrder;

/* Starts up to a number of workers; if none are available, the work is done here. */
extern WorkerPool *worker_pool_begin(const PoolOrder *order, int workers);

/*
 * The same for a pool without workers, once its work has turned out to be
 * worth it.
 */
extern void worker_pool_call(WorkerPool *pool, const PoolOrder *order, int workers);

/* The order's argument, shared by all processes of a pool. */
extern void *worker_pool_argument(const WorkerPool *pool);

/* Processes a batch; results are in the order of the items. */
extern void worker_pool_do(WorkerPool *pool, int nitems, const void *items, void *results);

/* Stops the workers; returns their number. */
extern int	worker_pool_end(WorkerPool *pool);

#endif
