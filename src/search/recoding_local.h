/*
 * recoding_local.h
 *	  Improves classes by dissolving some and rebuilding them.
 */
#ifndef ANONOPT_RECODING_LOCAL_H
#define ANONOPT_RECODING_LOCAL_H

#include "base/prng.h"
#include "search/recoding_near.h"
#include "search/recoding_pool.h"

typedef struct LocalSearch LocalSearch;

extern LocalSearch *local_search_create(Classes *classes, const BoxTree *tree, uint64 seed);

/* Runs one round, or less if the watch ends the search; returns the gain. */
extern int64 local_search_round(LocalSearch *search, const RecodingWatch *watch);

#endif
