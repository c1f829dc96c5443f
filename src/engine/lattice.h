/*
 * lattice.h
 *	  Measures all nodes of a lattice, also in workers.
 */
#ifndef ANONOPT_LATTICE_H
#define ANONOPT_LATTICE_H

#include "engine/measure.h"
#include "engine/worker_pool.h"

/* Called once per node, in their order; returning false ends the search. */
typedef bool (*NodeVisitor) (void *arg, const int *levels, const Measures *measures);

/*
 * Measures every node, with the help of up to a number of workers if that pays
 * off and they are available; returns how many helped.
 */
extern int	lattice_measure(Population *population, const Promise *promise, int workers,
							NodeVisitor visit, void *arg);

/* ---------------------- the worker-pool task that measures nodes one by one */

/* Items are levels, results are Measures, and the argument is a Promise. */
typedef struct NodeItem
{
	int			levels[MAX_ATTRIBUTES];
} NodeItem;

extern const PoolWork measure_nodes_work;
extern const PoolWork measure_parts_work;

#endif
