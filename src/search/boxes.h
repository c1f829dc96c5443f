/*
 * boxes.h
 *	  Boxes of nodes searched for the one of least loss, as a worker pool's
 *	  work.
 */
#ifndef ANONOPT_BOXES_H
#define ANONOPT_BOXES_H

#include "engine/worker_pool.h"
#include "search/objective.h"

/* The nodes between a lowest and a highest one. */
typedef struct Box
{
	double		floor;			/* none of them costs less */
	int16		lowest[MAX_ATTRIBUTES];
	int16		highest[MAX_ATTRIBUTES];
} Box;

/* What is the same for all boxes of a search. */
typedef struct BoxOrder
{
	Promise		promise;
	Objective	loss;
	int64		deadline;		/* a timestamp, or 0 */
} BoxOrder;

/* The best node that is known. */
typedef struct BoxAnswer
{
	bool		found;
	double		cost;
	int			levels[MAX_ATTRIBUTES];
	Measures	measures;
} BoxAnswer;

/*
 * An item: a box, the cost from which on its nodes are left out, the best node
 * so far, and how many tuples to look at before the rest is handed back.
 */
typedef struct BoxItem
{
	Box			box;
	double		ceiling;
	int64		effort;
	BoxAnswer	answer;
} BoxItem;

/* A result: what is left of the box, and the best node now. */
typedef struct BoxResult
{
	BoxAnswer	answer;
	int64		evaluated;		/* nodes */
	int			nopen;
	Box			open[FLEXIBLE_ARRAY_MEMBER];
} BoxResult;

/* Whether boxes can be left out for such a loss. */
extern bool boxes_have_bounds(Objective loss);

/* How large a result may become. */
extern Size box_result_size(const Population *population);

/* All nodes of a lattice. */
extern void box_of_all(const Population *population, Box *box);

/* Begins a search in this process, searches a box, and ends the search. */
extern void *boxes_begin(Population *population, const void *order);
extern void boxes_work(void *state, const void *item, void *result);
extern void boxes_end(void *state);

#endif
