/*
 * condition.h
 *	  Conditions that promises set on the values of one column in each class.
 */
#ifndef ANONOPT_CONDITION_H
#define ANONOPT_CONDITION_H

#include "engine/histogram.h"

/* Models whose measures need further properties of each histogram. */
#define RATIO_MODELS (MODEL_BIT(MODEL_BETA) | MODEL_BIT(MODEL_DISCLOSURE))

/* Prepares to check histograms, after everybody has been counted. */
extern void conditions_prepare(Histograms *histograms);

/* Computes which conditions a histogram breaks, and its other requested measures. */
extern void conditions_judge(Histograms *histograms, Slice *slice, const ValueCount *entries, int64 size);

/*
 * The least number of rows suppressed at every node where the rest is within
 * t, given the number of rows and the distance of their values from
 * everyone's.
 */
extern int64 least_beyond_distance(int64 size, double distance, double t);

/*
 * Lower bounds of the gain (beta) and of the disclosure of some part of a
 * class, if fewer than all of its rows may be suppressed.
 */
extern double gain_of_rest(const Histograms *histograms, const Slice *slice, int64 rows, int64 suppressed);
extern double disclosure_of_rest(const Histograms *histograms, const Slice *slice, int64 rows, int64 suppressed);

/*
 * The rows of the most frequent value divided by those of the l-th and rarer
 * ones; c must be greater.
 */
extern double recursive_ratio(const Slice *slice, const ValueCount *entries, int64 size, double l);

#endif
