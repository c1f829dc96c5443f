/*
 * maximized_objectives.h
 *	  Objectives as values to be maximized: more is better and none is negative.
 */
#ifndef ANONOPT_MAXIMIZED_OBJECTIVES_H
#define ANONOPT_MAXIMIZED_OBJECTIVES_H

#include "search/objective.h"

/* The side of an objective's boxes where none is given. */
extern double default_epsilon(Objective objective, const Population *population);

/* Values of a node; a loss is its worst value minus itself, what is not there 0. */
extern void maximized_values(const Population *population, int nobjectives, const Objective *objectives,
							 const Measures *measures, double *values);

#endif
