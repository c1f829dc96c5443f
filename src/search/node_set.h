/*
 * node_set.h
 *	  Nodes of a lattice, numbered in order of arrival.
 */
#ifndef ANONOPT_NODE_SET_H
#define ANONOPT_NODE_SET_H

#include "base/key_counter.h"
#include "engine/population.h"

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

#endif
