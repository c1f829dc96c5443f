/*
 * known_nodes.h
 *	  A set of nodes with known values that finds those above or below a node.
 */
#ifndef ANONOPT_KNOWN_NODES_H
#define ANONOPT_KNOWN_NODES_H

#include "engine/population.h"

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
