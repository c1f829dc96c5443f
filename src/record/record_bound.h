/*
 * record_bound.h
 *	  Any goal, tuple by tuple, by bounds.
 */
#ifndef ANONOPT_RECORD_BOUND_H
#define ANONOPT_RECORD_BOUND_H

#include "record/record_run.h"

/* Anything, tuple by tuple, by bounds. */
extern void search_by_bounds(RecordRun *run);

#endif
