/*
 * lattice.h
 *	  Measures nodes of a lattice, also in workers, and finds nodes with known
 *	  values above or below others.
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

/* Called once per node, in their order; returning false ends the search, with workers a little later. */
typedef bool (*NodeVisitor) (void *arg, const int *levels, const Measures *measures);

/*
 * Measures every node, with the help of up to a number of workers if that pays
 * off and they are available; returns how many helped.  Workers stop at the
 * deadline, or 0; alone, it is the visitor who does.
 */
extern int	lattice_measure(Population *population, const Promise *promise, int workers, int64 deadline,
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

/* ------------------------------------------------- nodes with known values */

/* A set of them that finds those above or below a node. */
typedef struct KnownNodes KnownNodes;

/* The context must be within the population's. */
extern KnownNodes *known_nodes_create(const Population *population, MemoryContext context);

/*
 * Stores a node, numbered by those before it, with its value while there is
 * memory; returns false if it is not stored.
 */
extern bool known_nodes_add(KnownNodes *known, const int *levels, int64 value);

/*
 * The least value of the nodes that are nowhere below a node; PG_INT64_MAX if
 * there are none.
 */
extern int64 known_nodes_least_above(const KnownNodes *known, const int *levels);

/* Whether a node that is nowhere below a given one has at most the given value. */
extern bool known_nodes_any_as_low_above(const KnownNodes *known, const int *levels, int64 most);

/* Whether a stored node is nowhere below a given one, or nowhere above it. */
static inline bool
known_nodes_any_above(const KnownNodes *known, const int *levels)
{
	return known_nodes_any_as_low_above(known, levels, PG_INT64_MAX);
}

extern bool known_nodes_any_below(const KnownNodes *known, const int *levels);

/*
 * The number of the node with the least value among those nowhere above a
 * node; -1 if there are none.
 */
extern int64 known_nodes_least_below(const KnownNodes *known, const int *levels);

#endif
