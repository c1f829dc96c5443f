/*
 * narrow_population.h
 *	  Lets searches that need no sensitive or class column work without, until
 *	  the end.
 */
#ifndef ANONOPT_NARROW_POPULATION_H
#define ANONOPT_NARROW_POPULATION_H

#include "engine/measure.h"

/* The same population without counted columns, which is searched much faster. */
extern Population *population_narrow(const Population *population);

/* Measures the nodes found in a narrow population again, with every column. */
extern void remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes);

#endif
