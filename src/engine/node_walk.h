/*
 * node_walk.h
 *	  Classes of one node after another, each from what it shares with the last.
 */
#ifndef ANONOPT_NODE_WALK_H
#define ANONOPT_NODE_WALK_H

#include "engine/population.h"

typedef struct NodeWalk NodeWalk;

/* Attributes with most levels stand last in the order, or first. */
typedef enum WalkOrder
{
	MOST_LEVELS_LAST,
	MOST_LEVELS_FIRST
} WalkOrder;

extern NodeWalk *node_walk_create(Population *population, WalkOrder order);
extern void node_walk_free(NodeWalk *node_walk);

/* The attribute of each depth. */
extern const int *node_walk_order(const NodeWalk *node_walk);

/* Orders nodes so that each shares most of the path with the one before. */
extern int	node_walk_compare(const NodeWalk *node_walk, const int *a, const int *b);

/*
 * The classes of a node within the declared levels, valid until the next
 * call; and how its attributes are shown.  Cheapest where the last depths
 * differ most often, and go up.
 */
extern const TupleTable *node_walk_classes(NodeWalk *node_walk, const int *levels, Recodings *node);

#endif
