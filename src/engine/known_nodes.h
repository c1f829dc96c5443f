/*
 * known_nodes.h
 *	  Nodes of which something is known, and which of them are above or below
 *	  another.
 */
#ifndef ANONOPT_KNOWN_NODES_H
#define ANONOPT_KNOWN_NODES_H

#include "engine/population.h"

typedef struct KnownNodes KnownNodes;

/* The context is within the population's. */
extern KnownNodes *known_nodes_create(const Population *population, MemoryContext context);

/*
 * Remembers a value of a node, by the number of those before it, while there
 * is memory; false where it is forgotten.
 */
extern bool known_nodes_add(KnownNodes *known, const int *levels, int64 value);

/* The least value of the nodes that are nowhere below one; PG_INT64_MAX without any. */
extern int64 known_nodes_least_above(const KnownNodes *known, const int *levels);

/* Whether a node that is nowhere below one has such a value or less. */
extern bool known_nodes_any_as_low_above(const KnownNodes *known, const int *levels, int64 most);

/* Whether a node is nowhere below one, or nowhere above it. */
extern bool known_nodes_any_above(const KnownNodes *known, const int *levels);
extern bool known_nodes_any_below(const KnownNodes *known, const int *levels);

/* The number of the node with the least value of those that are nowhere above one; -1 without any. */
extern int64 known_nodes_least_below(const KnownNodes *known, const int *levels);

#endif
