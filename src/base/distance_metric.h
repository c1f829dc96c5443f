/*
 * distance_metric.h
 *	  The distances of t-closeness.
 */
#ifndef ANONOPT_DISTANCE_METRIC_H
#define ANONOPT_DISTANCE_METRIC_H

/* How far one sensitive value is from another, for t-closeness. */
typedef enum Distance
{
	DISTANCE_EQUAL,
	DISTANCE_ORDERED,
	DISTANCE_HIERARCHICAL
} Distance;

#endif
