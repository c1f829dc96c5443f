/*
 * bounded_costs.h
 *	  Costs of at most 0, which is the worst: what an archive's boxes cut.
 */
#ifndef ANONOPT_BOUNDED_COSTS_H
#define ANONOPT_BOUNDED_COSTS_H

#include "search/objective.h"

/* The side of an objective's boxes where none is given. */
extern double default_epsilon(Objective objective, const Population *population);

/* The most that there can be of an objective: the worst where less is better. */
extern double most_of(Objective objective, const Population *population);

/*
 * Costs of a node: as they are, or less the most that can be, so that the
 * worst is 0, as is what is not there.
 */
extern void bounded_costs(const Population *population, int nobjectives, const Objective *objectives,
						  const Measures *measures, double *costs);

#endif
