/*
 * narrow_population.h
 *	  Searches that need no sensitive or class column do without, until the end.
 */
#ifndef ANONOPT_NARROW_POPULATION_H
#define ANONOPT_NARROW_POPULATION_H

#include "engine/measure.h"

/* The same people without what is counted beside them: searched much faster. */
extern Population *population_narrow(const Population *population);

/* Measures nodes found in a narrow population again, with every column. */
extern void remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes);

#endif
