/*
 * cut_task.h
 *	  Cuts evaluated one by one, as a worker pool's work.
 */
#ifndef ANONOPT_CUT_TASK_H
#define ANONOPT_CUT_TASK_H

#include "engine/cuts.h"
#include "engine/worker_pool.h"

/*
 * An item is two cuts of nwords words: one that is nowhere coarser than any
 * of its batch, and the one to be evaluated.  The argument is nwords, an int.
 */
typedef struct CutResult
{
	int64		smallest;		/* class */
	int64		largest;
} CutResult;

extern const PoolWork evaluate_cuts_work;

#endif
