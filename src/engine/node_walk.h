/*
 * node_walk.h
 *	  Classes of a sequence of nodes, each computed from what it shares with
 *	  the last.
 */
#ifndef ANONOPT_NODE_WALK_H
#define ANONOPT_NODE_WALK_H

#include "engine/population.h"

typedef struct NodeWalk NodeWalk;

/* Whether attributes with the most levels come last in the order, or first. */
typedef enum WalkOrder
{
	MOST_LEVELS_LAST,
	MOST_LEVELS_FIRST
} WalkOrder;

extern NodeWalk *node_walk_create(Population *population, WalkOrder order);
extern void node_walk_free(NodeWalk *node_walk);

/* The attribute of each depth. */
extern const int *node_walk_order(const NodeWalk *node_walk);

/*
 * Returns the classes of a node within the declared levels, valid until the
 * next call, and the recodings of its attributes.  Cheapest if mostly the last
 * depths change, and upwards.
 */
extern const TupleTable *node_walk_classes(NodeWalk *node_walk, const int *levels, Recodings *node);

#endif
