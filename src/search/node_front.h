/*
 * node_front.h
 *	  The nodes that no other node beats, one per cost vector.
 */
#ifndef ANONOPT_NODE_FRONT_H
#define ANONOPT_NODE_FRONT_H

#include "search/front.h"
#include "search/objective.h"

typedef struct NodeFront
{
	Front	   *front;			/* of measured nodes */
	int			nobjectives;
	Objective	objectives[MAX_OBJECTIVES];
	int			nattrs;
} NodeFront;

extern NodeFront *node_front_create(MemoryContext context, int nobjectives, const Objective *objectives, int nattrs);

static inline int
node_front_size(const NodeFront *front)
{
	return front->front->nmembers;
}

static inline MeasuredNode *
node_front_nodes(const NodeFront *front)
{
	return (MeasuredNode *) front->front->members;
}

/* Offers a measured node; members that it beats are dropped. */
extern void node_front_offer(NodeFront *front, const int *levels, const Measures *measures);

/*
 * Whether a member beats all nodes with these lower bounds of costs: it is
 * better, or equal and comes first, given the least levels of those nodes.
 */
extern bool node_front_beats(const NodeFront *front, const double *costs, const int *levels);

/* Sorts the members, after the last one was offered. */
extern void node_front_sort(NodeFront *front);

/* Sorts nodes by the first objective, best first. */
extern void sort_nodes(MeasuredNode *nodes, int n, int nobjectives, const Objective *objectives, int nattrs);

#endif
