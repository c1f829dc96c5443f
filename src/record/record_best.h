/*
 * record_best.h
 *	  The best answers so far, close together.
 */
#ifndef ANONOPT_RECORD_BEST_H
#define ANONOPT_RECORD_BEST_H

#include "record/record_run.h"

/* The best answer for a tuple so far; worse than any if there is none. */
typedef struct BestSoFar
{
	double		cost;
	double		risk;
	double		utility;
	int64		visited;
} BestSoFar;

/* What is best now, by tuple. */
extern BestSoFar *best_so_far(const RecordRun *run);

/* Offers a visited node to a tuple. */
extern void offer_to_best(RecordRun *run, BestSoFar *all, uint32 tuple, const int *levels, double risk, double utility);

/* Adds the visits to the answers. */
extern void count_best_visits(const RecordRun *run, const BestSoFar *all);

#endif
