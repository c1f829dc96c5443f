/*
 * lower_bounds.h
 *	  Lower bounds of costs, by which searches leave out nodes.
 */
#ifndef ANONOPT_LOWER_BOUNDS_H
#define ANONOPT_LOWER_BOUNDS_H

#include "search/objective.h"

/* ------------------------------ losses without suppression: sums over levels */

typedef struct LevelLosses
{
	int			nattrs;
	double		divisor;
	double	   *loss[MAX_ATTRIBUTES];	/* by attribute and level */
} LevelLosses;

/* Whether a loss is such a sum without suppression, and larger with it. */
extern bool is_sum_of_levels(Objective loss);

extern LevelLosses *level_losses_create(const Population *population, Objective loss);

/*
 * Sets them for levels between two nodes, if people lose more than by their
 * labels, given by attribute and level.
 */
extern void level_losses_raise(LevelLosses *losses, const Population *population, Objective loss, const int *lowest,
							   const int *highest, const int128 *more);
extern int	level_losses_room(const Population *population);
extern void level_losses_free(LevelLosses *losses);

/*
 * A lower bound of the loss of nodes with these or higher levels.  It is
 * computed as in measure(), by divisions and additions that preserve order, so
 * it holds to the last bit.
 */
static inline double
level_losses_sum(const LevelLosses *losses, const int *levels)
{
	double		sum = 0;

	for (int a = 0; a < losses->nattrs; a++)
		sum += losses->loss[a][levels[a]];
	return sum / losses->divisor;
}

/* ------------------ costs of at most 0, the worst, which an archive divides */

/* The default side of an objective's boxes. */
extern double default_epsilon(Objective objective, const Population *population);

/* The largest possible value of an objective, which is the worst if less is better. */
extern double most_of(Objective objective, const Population *population);

/* The costs of a node, shifted so that the worst is 0, as is that of a missing measure. */
extern void bounded_costs(const Population *population, const Objectives *objectives, const Measures *measures, double *costs);

/* -------------- lower bounds of a node's costs, derived from measured nodes */

typedef struct LeastCosts LeastCosts;

/* Creates bounds for some objectives, in the population's context. */
extern LeastCosts *least_costs_create(const Population *population, const Promise *promise, const Objectives *objectives);

/* Learns from a measured node. */
extern void least_costs_learn(LeastCosts *least, const int *levels, const Measures *measures);

/* Lower bounds of a node's bounded costs. */
extern void least_costs_of(const LeastCosts *least, const int *levels, double *costs);

#endif
