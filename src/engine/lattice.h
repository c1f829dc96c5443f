/*
 * lattice.h
 *	  Measures all nodes of a lattice, also in workers.
 */
#ifndef ANONOPT_LATTICE_H
#define ANONOPT_LATTICE_H

#include "engine/measure.h"
#include "engine/worker_pool.h"

/* The highest node. */
static inline void
top_levels(const Population *population, int *levels)
{
	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].max_level;
}

/* The levels that an attribute may have. */
static inline int
span_of(const Population *population, int a)
{
	return population->attrs[a].max_level - population->attrs[a].min_level + 1;
}

/* The number of nodes. */
static inline double
lattice_nodes(const Population *population)
{
	double		nodes = 1;

	for (int a = 0; a < population->nattrs; a++)
		nodes *= span_of(population, a);
	return nodes;
}

/* Measures the highest node on its own. */
extern void measure_top(const Population *population, const Promise *promise, Measures *result);

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

/* Measures the nodes found in a narrow population again, with every column. */
extern void remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes);

#endif
