/*
 * condition.h
 *	  What classes must keep of the values of one column.
 */
#ifndef ANONOPT_CONDITION_H
#define ANONOPT_CONDITION_H

#include "engine/histogram.h"

/* Prepares to judge histograms, once everybody is counted. */
extern void conditions_prepare(Histograms *histograms);

/* Finds out which conditions a histogram breaks, and what is asked of it beside. */
extern void conditions_judge(Histograms *histograms, Slice *slice, const ValueCount *entries, int64 size);

#endif
