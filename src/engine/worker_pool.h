/*
 * worker_pool.h
 *	  One piece of work on item after item, by this process and by workers.
 */
#ifndef ANONOPT_WORKER_POOL_H
#define ANONOPT_WORKER_POOL_H

#include "engine/population.h"

/* What can be done; workers find it by its number. */
typedef enum PoolTask
{
	TASK_MEASURE_NODES,
	TASK_EVALUATE_CUTS,
	TASK_RECODE_BLOCK,
	TASK_SEARCH_BOXES,
	TASK_SEARCH_PARTS,
	POOL_TASKS
} PoolTask;

/* Items and results are plain bytes: they travel through shared memory. */
typedef struct PoolWork
{
	/* what a process prepares once, from the population and an argument */
	void	   *(*begin) (Population *population, const void *argument);
	void		(*work) (void *state, const void *item, void *result);
} PoolWork;

/* The work of tasks that a room above this one does. */
extern const PoolWork recode_block_work;
extern const PoolWork search_boxes_work;
extern const PoolWork search_parts_work;

typedef struct WorkerPool WorkerPool;

/* What a search hands to a pool. */
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

/* Calls up to so many workers, if they are to be had; without any the work is done here. */
extern WorkerPool *worker_pool_begin(const PoolOrder *order, int workers);

/* The same for a pool that has none, once its work has turned out to be worth it. */
extern void worker_pool_call(WorkerPool *pool, const PoolOrder *order, int workers);

/* The order's argument as all processes of a pool see it: what is written there, others read. */
extern void *worker_pool_argument(const WorkerPool *pool);

/* Does a batch; results stand in the order of the items. */
extern void worker_pool_do(WorkerPool *pool, int nitems, const void *items, void *results);

/* Sends the workers home; returns how many there were. */
extern int	worker_pool_end(WorkerPool *pool);

#endif
