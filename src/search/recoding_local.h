/*
 * recoding_local.h
 *	  Classes bettered by taking some apart and putting them together anew.
 */
#ifndef ANONOPT_RECODING_LOCAL_H
#define ANONOPT_RECODING_LOCAL_H

#include "base/prng.h"
#include "search/recoding_near.h"
#include "search/recoding_pool.h"

typedef struct LocalSearch LocalSearch;

extern LocalSearch *local_search_create(Classes *classes, const BoxTree *tree, uint64 seed);

/* One round, or less where the watch says that it is over; returns what was gained. */
extern int64 local_search_round(LocalSearch *search, const RecodingWatch *watch);

#endif
