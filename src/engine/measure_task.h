/*
 * measure_task.h
 *	  The worker-pool task that measures nodes one by one.
 */
#ifndef ANONOPT_MEASURE_TASK_H
#define ANONOPT_MEASURE_TASK_H

#include "engine/measure.h"
#include "engine/worker_pool.h"

/* Items are levels, results are Measures, and the argument is a Promise. */
typedef struct NodeItem
{
	int			levels[MAX_ATTRIBUTES];
} NodeItem;

extern const PoolWork measure_nodes_work;

#endif
