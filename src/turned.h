/*
 * turned.h
 *	  Objectives turned so that more is better and none is negative.
 */
#ifndef ANONOPT_TURNED_H
#define ANONOPT_TURNED_H

#include "objective.h"

/* The side of an objective's boxes where none is given. */
extern double default_epsilon(Objective objective, const Population *population);

/* Values of a node; a loss is its worst value minus itself, what is not there 0. */
extern void turned_values(const Population *population, int nobjectives, const Objective *objectives,
						  const Measures *measures, double *values);

#endif
