/*
 * record_bound.h
 *	  Searches for any goal, class by class, using bounds.
 */
#ifndef ANONOPT_RECORD_BOUND_H
#define ANONOPT_RECORD_BOUND_H

#include "record/record_run.h"

/* Anything, class by class, by bounds. */
extern void search_by_bounds(RecordRun *run);

#endif
