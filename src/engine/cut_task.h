/*
 * cut_task.h
 *	  Cuts evaluated one by one, as a worker pool's work.
 */
#ifndef ANONOPT_CUT_TASK_H
#define ANONOPT_CUT_TASK_H

#include "engine/cuts.h"
#include "engine/measure.h"
#include "engine/worker_pool.h"

/*
 * An item is two cuts of nwords words: one that is nowhere coarser than any
 * of its batch, and the one to be evaluated.
 */
typedef struct CutArgument
{
	int			nwords;
	int64		k;				/* smaller classes are suppressed, */
	int64		limit;			/* if no more people are in them and somebody
								 * remains */
	bool		looks_closer;	/* more than k is promised: */
	Promise		promise;		/* this, k among it */
} CutArgument;

/* As measure says it of a node. */
typedef struct CutResult
{
	int64		k;				/* of what remains; less than asked for where
								 * nothing could be suppressed */
	double		necd;
	double		nwp;
} CutResult;

extern const PoolWork evaluate_cuts_work;

#endif
