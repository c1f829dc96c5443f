/*
 * boxes.h
 *	  The worker-pool task that searches boxes of nodes for the least loss.
 */
#ifndef ANONOPT_BOXES_H
#define ANONOPT_BOXES_H

#include "engine/worker_pool.h"
#include "search/objective.h"

/* The nodes between a lowest and a highest one. */
typedef struct Box
{
	double		floor;			/* lower bound of their cost */
	int16		lowest[MAX_ATTRIBUTES];
	int16		highest[MAX_ATTRIBUTES];
} Box;

/* Data common to all boxes of a search. */
typedef struct BoxOrder
{
	Promise		promise;
	Objective	loss;
	int64		deadline;		/* a timestamp, or 0 */
} BoxOrder;

/* The best node known. */
typedef struct BoxAnswer
{
	bool		found;
	double		cost;
	int			levels[MAX_ATTRIBUTES];
	Measures	measures;
} BoxAnswer;

/*
 * An item: a box, the cost from which on its nodes are excluded, the best node
 * so far, and how many tuples to visit before the rest is returned.
 */
typedef struct BoxItem
{
	Box			box;
	double		ceiling;
	int64		effort;
	BoxAnswer	answer;
} BoxItem;

/* A result: the rest of the box, and the best node so far. */
typedef struct BoxResult
{
	BoxAnswer	answer;
	int64		evaluated;		/* nodes */
	int			nopen;
	Box			open[FLEXIBLE_ARRAY_MEMBER];
} BoxResult;

/* Whether a loss has bounds by which boxes can be dropped. */
extern bool boxes_have_bounds(Objective loss);

/* The largest size of a result. */
extern Size box_result_size(const Population *population);

/* All nodes of a lattice. */
extern void box_of_all(const Population *population, Box *box);

/* Begins a search in this process, searches a box, and ends the search. */
extern void *boxes_begin(Population *population, const void *order);
extern const struct PoolWork search_boxes_work;
extern void boxes_work(void *state, const void *item, void *result);
extern void boxes_end(void *state);

#endif
