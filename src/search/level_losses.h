/*
 * level_losses.h
 *	  The loss of nodes without suppression, a sum over their levels.
 */
#ifndef ANONOPT_LEVEL_LOSSES_H
#define ANONOPT_LEVEL_LOSSES_H

#include "search/objective.h"

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

#endif
