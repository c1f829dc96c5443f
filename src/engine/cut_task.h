/*
 * cut_task.h
 *	  The worker-pool task that evaluates cuts one by one.
 */
#ifndef ANONOPT_CUT_TASK_H
#define ANONOPT_CUT_TASK_H

#include "engine/cuts.h"
#include "engine/measure.h"
#include "engine/worker_pool.h"

/*
 * An item is two cuts of nwords words: one that is nowhere coarser than any in
 * its batch, and the one to evaluate.
 */
typedef struct CutArgument
{
	int			nwords;
	int64		k;				/* smaller classes are suppressed, */
	int64		limit;			/* if no more people are in them and somebody
								 * remains */
	bool		wants_measures; /* all of them, not just the three */
	bool		looks_closer;	/* more than k is promised: */
	Promise		promise;		/* this, including k */
} CutArgument;

/* As measure() computes them for a node. */
typedef struct CutResult
{
	int64		k;				/* of the remaining classes; less than
								 * requested if nothing could be suppressed */
	double		necd;
	double		nwp;
	Measures	measures;		/* if requested: the same cut, without
								 * suppression if it is not feasible */
} CutResult;

extern const PoolWork evaluate_cuts_work;

#endif
