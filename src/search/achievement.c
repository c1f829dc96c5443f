/*
 * achievement.c
 *	  What a publisher would accept, and how near a generalization comes.
 */
#include "search/achievement.h"

/* The utopian point, a little better than what is ideal in both. */
#define UTOPIA (-1e-6)

double
achievement(double necd, double nwp, const Preference *preference)
{
	double		bias = 1 / (preference->necd - UTOPIA);
	double		loss = 1 / (preference->nwp - UTOPIA);
	double		weight = bias / (bias + loss);

	return Max(weight * (necd - UTOPIA), (1 - weight) * (nwp - UTOPIA));
}

double
preference_deviation(double necd, double nwp, const Preference *preference)
{
	return necd + nwp - preference->necd - preference->nwp;
}
