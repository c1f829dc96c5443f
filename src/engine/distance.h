/*
 * distance.h
 *	  The distance of a class's distribution of a sensitive value from
 *	  everyone's.
 */
#ifndef ANONOPT_DISTANCE_H
#define ANONOPT_DISTANCE_H

#include "engine/histogram.h"

/* Prepares data shared by the distances of all classes. */
extern struct DistanceTables *distance_prepare(const Histograms *histograms);

/* The distance of one histogram, in [0,1]. */
extern double distance_of(const Histograms *histograms, const ValueCount *entries, uint32 length, int64 size);

#endif
