/*
 * condition.h
 *	  Conditions that promises set on the values of one column in each class.
 */
#ifndef ANONOPT_CONDITION_H
#define ANONOPT_CONDITION_H

#include "engine/histogram.h"

/* Prepares to check histograms, after everybody has been counted. */
extern void conditions_prepare(Histograms *histograms);

/* Computes which conditions a histogram breaks, and its other requested measures. */
extern void conditions_judge(Histograms *histograms, Slice *slice, const ValueCount *entries, int64 size);

#endif
