/*
 * achievement.c
 *	  The achievement function: how close a generalization comes to a
 *	  publisher's preference.
 */
#include "search/achievement.h"

#include <math.h>

/* The utopian point, slightly better than the ideal in both. */
#define UTOPIA (-1e-6)

double
achievement(double necd, double nwp, double necd_preferred, double nwp_preferred)
{
	double		bias = 1 / (necd_preferred - UTOPIA);
	double		loss = 1 / (nwp_preferred - UTOPIA);
	double		weight = bias / (bias + loss);

	return Max(weight * (necd - UTOPIA), (1 - weight) * (nwp - UTOPIA));
}

/* The utopian value of a measure: near a large ideal, UTOPIA would be rounded away. */
static double
utopian_value(double ideal)
{
	return fabs(ideal) > 1e6 ? ideal - fabs(ideal) * 1e-12 : ideal + UTOPIA;
}

double
achievement_of(int n, const double *values, const double *preferences, const double *weights, const double *ideal)
{
	double		sum = 0;
	double		largest = -HUGE_VAL;

	for (int i = 0; i < n; i++)
		sum += weights[i] / (preferences[i] - utopian_value(ideal[i]));
	for (int i = 0; i < n; i++)
	{
		double		utopian = utopian_value(ideal[i]);

		/* without weight, an infinite value counts as 0, too */
		if (weights[i] == 0)
			largest = Max(largest, 0);
		else
			largest = Max(largest, weights[i] / (preferences[i] - utopian) / sum * (values[i] - utopian));
	}
	return largest;
}
