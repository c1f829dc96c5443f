/*
 * shared_nodes.h
 *	  Sets of nodes, in this process or shared by workers, and their measures.
 */
#ifndef ANONOPT_SHARED_NODES_H
#define ANONOPT_SHARED_NODES_H

#include "base/key_counter.h"
#include "engine/lattice.h"
#include "port/atomics.h"

/* The most nodes shared between two rounds, after which the leader takes over all. */
#define SHARED_NODES 1024

/* A node, and what follows from it. */
typedef struct ToldNode
{
	Measures	measures;
	bool		broken;			/* it breaks k or l too often */
	int			levels[MAX_ATTRIBUTES];
} ToldNode;

typedef struct SharedNode
{
	pg_atomic_uint32 ready;
	ToldNode	node;
} SharedNode;

typedef struct SharedNodes
{
	/* set while no other process is at work */
	uint32		round;			/* number of restarts */
	uint32		nknown;			/* nodes that were measured before */

	/* by all */
	pg_atomic_uint32 ntaken;	/* places taken, or more once it is full */
	SharedNode	nodes[SHARED_NODES];
} SharedNodes;

/* Restarts, while no other process is at work. */
extern void shared_nodes_begin(SharedNodes *shared, const ToldNode *known, uint32 nknown);

/* Takes a place for a node that is about to be measured; false if none is left. */
extern bool shared_nodes_take(SharedNodes *shared, uint32 *place);

extern void shared_nodes_tell(SharedNodes *shared, uint32 place, const ToldNode *node);

/* The node at a place; NULL if there is none yet. */
extern const ToldNode *shared_nodes_at(SharedNodes *shared, uint32 place);

/* ------------------------- nodes of a lattice, numbered in order of arrival */

#define NO_NODE PG_UINT32_MAX

typedef struct NodeSet
{
	int			nattrs;
	KeyField	fields[MAX_ATTRIBUTES]; /* of the levels in a key */
	KeyCounter *counter;
} NodeSet;

extern NodeSet *nodeset_create(MemoryContext context, const Population *population);

/* The number of a node, or NO_NODE. */
extern uint32 nodeset_find(NodeSet *set, const int *levels);

/* The number of a node, which is added if it is new. */
extern uint32 nodeset_add(NodeSet *set, const int *levels);

/* The levels of a node, given its number. */
extern void nodeset_levels(const NodeSet *set, uint32 number, int *levels);

static inline uint32
nodeset_size(const NodeSet *set)
{
	return set->counter->nkeys;
}

/* ------------------------ nodes that are measured once, many at a time */

typedef struct MeasuredSet
{
	NodeSet    *nodes;			/* every node that occurred */
	uint32		nmeasured;		/* the first of them */
	Size		capacity;
	Measures   *measures;		/* by number in nodes */
	NodeItem   *items;			/* of a batch */
	int64		deadline;		/* a timestamp, or 0 */
	bool		in_time;
	PoolOrder	order;
	WorkerPool *pool;
} MeasuredSet;

/* Creates a set, given the most nodes that are added before they are measured. */
extern MeasuredSet *measured_set_create(Population *population, const Promise *promise, int most_items, int64 deadline,
										int workers);

/* Measures the nodes added since the last time, or the first of them until the deadline. */
extern void measured_set_complete(MeasuredSet *set);

#endif
