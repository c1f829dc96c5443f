/*
 * level_losses.h
 *	  What nodes lose without suppression: a sum over their levels.
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

/* Whether a loss is such a sum where nobody is suppressed, and more where somebody is. */
extern bool is_sum_of_levels(Objective loss);

extern LevelLosses *level_losses_create(const Population *population, Objective loss);

/*
 * What no node with such levels or higher ones loses less than: made as
 * measure() adds it up, by divisions and additions none of which turns the
 * order of two numbers, so that it holds to the last bit.
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
