/*
 * record_run.h
 *	  A search for records' generalizations while it goes on: what all ways to
 *	  search share.
 */
#ifndef ANONOPT_RECORD_RUN_H
#define ANONOPT_RECORD_RUN_H

#include "record/record_search.h"

typedef struct RecordRun
{
	RecordSearch *search;
	MemoryContext context;		/* gone when the search ends */
	const Population *population;
	const RecordModel *model;
	int			nmatches;
	Matches   **matches;		/* by dictionary */
	const HeldDictionary *dictionaries;
	uint32	   *leaves;			/* nattrs a tuple */
	int64		nnodes;			/* PG_INT64_MAX for more than can be told */
	int64		stride[MAX_ATTRIBUTES]; /* of a level in a node's number */
} RecordRun;

static inline const uint32 *
leaves_of(const RecordRun *run, uint32 tuple)
{
	return run->leaves + (Size) tuple * run->population->nattrs;
}

/* Makes room for the answers, in the search. */
extern RecordRun *record_run_begin(RecordSearch *search);

/* Levels of a node by its number. */
extern void levels_of_node(const RecordRun *run, int64 node, int *levels);

/* Offers a node to a tuple: its answer if it is better than the one there is. */
extern void offer_node(RecordRun *run, uint32 tuple, const int *levels, double risk, double utility);

/* Goes to a node: counts who fits there. */
extern void go_to_node(RecordRun *run, const int *levels);

/* The risk of a tuple at the node that matches are at: the mean over the dictionaries. */
extern double risk_at(RecordRun *run, uint32 tuple, const int *levels);

/* Whether the time is over, which is then remembered. */
extern bool out_of_time(RecordRun *run);

#endif
