/*
 * record_bound.h
 *	  Searches for any goal, tuple by tuple, using bounds.
 */
#ifndef ANONOPT_RECORD_BOUND_H
#define ANONOPT_RECORD_BOUND_H

#include "record/record_run.h"

/*
 * Offers random nodes that are just useful enough for some tuple, as first
 * answers.
 */
extern void offer_samples(RecordRun *run);

/* Anything, tuple by tuple, by bounds. */
extern void search_by_bounds(RecordRun *run);

#endif
