/*
 * recoding_block.h
 *	  The worker-pool task that improves the classes of a block of tuples.
 */
#ifndef ANONOPT_RECODING_BLOCK_H
#define ANONOPT_RECODING_BLOCK_H

#include "engine/worker_pool.h"
#include "search/recoding_classes.h"
#include "search/recoding_near.h"

/* The most tuples of a block. */
#define BLOCK_TUPLES 16384

/* A block to improve. */
typedef struct BlockItem
{
	uint32		ntuples;
	uint64		seed;
	int64		limit;			/* of people who may be suppressed */
	uint32		tuple[BLOCK_TUPLES];	/* of the population */
	uint32		class_of[BLOCK_TUPLES]; /* any numbers; NO_CLASS if suppressed */
} BlockItem;

typedef struct BlockResult
{
	uint32		nclasses;		/* numbers are below */
	double		gain;			/* reduction of its people's total loss, in
								 * [0,1] per person */
	uint32		class_of[BLOCK_TUPLES];
} BlockResult;

/* Reports the loss to the watch. */
extern void tell_loss(const RecodingWatch *watch, const Classes *classes);

/* Improves classes until rounds gain too little, or the watch ends the search. */
extern void better_classes(Classes *classes, const BoxTree *tree, uint64 seed, const RecodingWatch *watch);

#endif
