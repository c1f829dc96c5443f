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

/*
 * Of so many rows whose values are so far from those of all, how many are
 * suppressed at least wherever the rest is to be at t or nearer.
 */
extern int64 least_beyond_distance(int64 size, double distance, double t);

/*
 * The gain of beta and the disclosure that some part of a class has at least,
 * where fewer rows than all of it may be suppressed.
 */
extern double gain_of_rest(const Histograms *histograms, const Slice *slice, int64 rows, int64 suppressed);
extern double disclosure_of_rest(const Histograms *histograms, const Slice *slice, int64 rows, int64 suppressed);

#endif
