/*
 * condition.h
 *	  Conditions that promises set on the values of one column in each class.
 */
#ifndef ANONOPT_CONDITION_H
#define ANONOPT_CONDITION_H

#include "engine/histogram.h"

/* Prepares to check histograms, and to keep figures, after everybody has been counted. */
extern void conditions_prepare(Histograms *histograms);

/* Computes which conditions a histogram breaks, and the figures to be kept. */
extern void conditions_judge(Histograms *histograms, Slice *slice, const ValueCount *entries, int64 size);

/* A histogram of a number of rows, as models see it. */
static inline ClassValues
class_values(const Histograms *h, const Slice *slice, const ValueCount *entries, int64 size)
{
	ClassValues values = {size, slice->length, entries, slice->most, slice->entropy, slice->distance, h->people, h->total, h->values,
	h->surprise, h->lenient};

	return values;
}

#endif
