/*
 * least_costs.h
 *	  What a node costs at least, told from nodes that were measured.
 */
#ifndef ANONOPT_LEAST_COSTS_H
#define ANONOPT_LEAST_COSTS_H

#include "search/objective.h"

typedef struct LeastCosts LeastCosts;

/* Objectives are those whose costs are to be told; in the population's context. */
extern LeastCosts *least_costs_create(const Population *population, const Promise *promise, int nobjectives,
									  const Objective *objectives);

/* Learns from a node that was measured. */
extern void least_costs_learn(LeastCosts *least, const int *levels, const Measures *measures);

/* Bounded costs (search/bounded_costs.h) that a node's own are nowhere below. */
extern void least_costs_of(const LeastCosts *least, const int *levels, double *costs);

#endif
