/*
 * recoding_block.h
 *	  Classes of some tuples bettered, as a worker pool's work.
 */
#ifndef ANONOPT_RECODING_BLOCK_H
#define ANONOPT_RECODING_BLOCK_H

#include "engine/worker_pool.h"
#include "search/recoding_classes.h"
#include "search/recoding_near.h"

/* Tuples of a block at most. */
#define BLOCK_TUPLES 16384

/* What is to be bettered. */
typedef struct BlockItem
{
	uint32		ntuples;
	uint64		seed;
	int64		limit;			/* of people who may be suppressed */
	uint32		tuple[BLOCK_TUPLES];	/* of the population */
	uint32		class_of[BLOCK_TUPLES]; /* any numbers, or NO_CLASS:
										 * suppressed */
} BlockItem;

typedef struct BlockResult
{
	uint32		nclasses;		/* numbers are below */
	double		gain;			/* what its people together lose less than
								 * before, in [0,1] a person */
	uint32		class_of[BLOCK_TUPLES];
} BlockResult;

/* Tells who watches how much is lost. */
extern void tell_loss(const RecodingWatch *watch, const Classes *classes);

/* Betters classes until rest, or until the watch says that it is over. */
extern void better_classes(Classes *classes, const BoxTree *tree, uint64 seed, const RecodingWatch *watch);

#endif
