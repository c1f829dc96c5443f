/*
 * bounded_costs.h
 *	  Costs of at most 0, the worst, which an archive divides into boxes.
 */
#ifndef ANONOPT_BOUNDED_COSTS_H
#define ANONOPT_BOUNDED_COSTS_H

#include "search/objective.h"

/* The default side of an objective's boxes. */
extern double default_epsilon(Objective objective, const Population *population);

/*
 * The largest possible value of an objective, which is the worst if less is
 * better.
 */
extern double most_of(Objective objective, const Population *population);

/*
 * The costs of a node, shifted so that the worst is 0; a missing measure costs
 * 0 as well.
 */
extern void bounded_costs(const Population *population, int nobjectives, const Objective *objectives,
						  const Measures *measures, double *costs);

#endif
