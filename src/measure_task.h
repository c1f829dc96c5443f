/*
 * measure_task.h
 *	  Nodes measured one by one, as a crew's work.
 */
#ifndef ANONOPT_MEASURE_TASK_H
#define ANONOPT_MEASURE_TASK_H

#include "crew.h"
#include "measure.h"

/* Items are levels, results Measures, the argument is a Promise. */
typedef struct NodeItem
{
	int			levels[MAX_ATTRIBUTES];
} NodeItem;

extern const CrewWork measure_nodes_work;

#endif
