/*
 * least_costs.h
 *	  Lower bounds of a node's costs, derived from measured nodes.
 */
#ifndef ANONOPT_LEAST_COSTS_H
#define ANONOPT_LEAST_COSTS_H

#include "search/objective.h"

typedef struct LeastCosts LeastCosts;

/* Creates bounds for some objectives, in the population's context. */
extern LeastCosts *least_costs_create(const Population *population, const Promise *promise, int nobjectives,
									  const Objective *objectives);

/* Learns from a measured node. */
extern void least_costs_learn(LeastCosts *least, const int *levels, const Measures *measures);

/* Lower bounds of a node's bounded costs (search/bounded_costs.h). */
extern void least_costs_of(const LeastCosts *least, const int *levels, double *costs);

#endif
