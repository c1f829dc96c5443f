/*
 * histogram_parts.h
 *	  What a histogram is measured by: conditions and distances.
 */
#ifndef ANONOPT_HISTOGRAM_PARTS_H
#define ANONOPT_HISTOGRAM_PARTS_H

#include "engine/histogram.h"

/* -------------- conditions that promises set on the values of one column in */

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

/* -------------- the distance of a class's distribution of a sensitive value */

/* Prepares data shared by the distances of all classes. */
extern struct DistanceTables *distance_prepare(const Histograms *histograms);

/* The distance of one histogram, in [0,1]. */
extern double distance_of(const Histograms *histograms, const ValueCount *entries, uint32 length, int64 size);

#endif
