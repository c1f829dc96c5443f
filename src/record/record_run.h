/*
 * record_run.h
 *	  State and steps of a search for records' generalizations, shared by all
 *	  algorithms.
 */
#ifndef ANONOPT_RECORD_RUN_H
#define ANONOPT_RECORD_RUN_H

#include "record/record_search.h"

typedef struct RecordRun
{
	RecordSearch *search;
	MemoryContext context;		/* freed when the search ends */
	const Population *population;
	const RecordModel *model;
	int			nmatches;
	Matches   **matches;		/* by dictionary */
	const HeldDictionary *dictionaries;
	uint32	   *leaves;			/* nattrs per tuple */
	int64		nnodes;			/* PG_INT64_MAX if too many to count */
	int64		stride[MAX_ATTRIBUTES]; /* factor of a level in a node's
										 * number */
	uint64	   *counted;		/* by node, a bit; NULL if there are too many */
} RecordRun;

static inline const uint32 *
leaves_of(const RecordRun *run, uint32 tuple)
{
	return run->leaves + (Size) tuple * run->population->nattrs;
}

/* An array in the current context, within the budget of the whole call. */
extern void *record_alloc(const Population *population, Size element, Size n);

/* Allocates the answers, in the search. */
extern RecordRun *record_run_begin(RecordSearch *search);

/* The levels of a node, given its number. */
extern void levels_of_node(const RecordRun *run, int64 node, int *levels);

/* The number of a node, given its levels. */
extern int64 number_of_node(const RecordRun *run, const int *levels);

/* Offers a node to a tuple, which takes it as its answer if it is better. */
extern void offer_node(RecordRun *run, uint32 tuple, const int *levels, double risk, double utility);

/* The order of preference of nodes: less is better. */
extern double record_cost(const RecordSearch *search, double risk, double utility);

/* Prepares to count each node once. */
extern void count_nodes_once(RecordRun *run);

/* Counts a node some of whose classes were computed. */
static inline void
count_node(RecordRun *run, int64 node)
{
	uint64		bit = UINT64CONST(1) << (node % 64);

	if (run->counted == NULL || (run->counted[node / 64] & bit) != 0)
		return;
	run->counted[node / 64] |= bit;
	run->search->evaluated++;
}

/* Counts the lowest and the highest node. */
static inline void
count_ends(RecordRun *run)
{
	if (run->nnodes == PG_INT64_MAX)
		return;
	count_node(run, 0);
	count_node(run, run->nnodes - 1);
}

/* Moves to a node and counts the matching entries there. */
extern void go_to_node(RecordRun *run, const int *levels);

/* The risk of a tuple at the current node: the mean over the dictionaries. */
extern double risk_at(RecordRun *run, uint32 tuple, const int *levels);

/* Whether the time limit has passed, which is then remembered. */
extern bool out_of_time(RecordRun *run);

#endif
