/*
 * preference.c
 *	  A publisher's preference for several measures, and how close a
 *	  generalization comes to it.
 */
#include "search/searches.h"

#include <math.h>

/* The utopian point, slightly better than the ideal in both. */
#define UTOPIA (-1e-6)

void
preference_begin(Preference *preference, double necd, double nwp)
{
	memset(preference, 0, sizeof(Preference));
	preference_add(preference, OBJECTIVE_NECD, necd, 0);
	preference_add(preference, OBJECTIVE_NWP, nwp, 0);
}

void
preference_add(Preference *preference, Objective measure, double preferred, double ideal)
{
	int			i = preference->measures.n++;

	preference->measures.of[i] = measure;
	preference->preferred[i] = preferred;
	preference->weights[i] = 1;
	preference->ideal[i] = ideal;
}

double
preference_achievement(const Preference *preference, const double *costs)
{
	if (preference->measures.n == FIRST_FURTHER && !preference->has_weights)
	{
		double		bias = 1 / (preference->preferred[0] - UTOPIA);
		double		loss = 1 / (preference->preferred[1] - UTOPIA);
		double		weight = bias / (bias + loss);

		return Max(weight * (costs[0] - UTOPIA), (1 - weight) * (costs[1] - UTOPIA));
	}
	return achievement_of(preference->measures.n, costs, preference->preferred, preference->weights, preference->ideal);
}

double
preference_deviation(const Preference *preference, const double *costs)
{
	double		deviation = 0;

	for (int i = 0; i < preference->measures.n; i++)
		deviation += costs[i];
	for (int i = 0; i < preference->measures.n; i++)
		deviation -= preference->preferred[i];
	return deviation;
}

/*
 * No class has more people, or more different values, than a single class of
 * all people, and by concavity the least entropy of several classes is at most
 * that of all people.
 */
double
best_of_one_class(const Population *population, Objective measure)
{
	Promise		nothing = {.k = 1,.keeps_all = true};
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);
	Measures	measures;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;
		bool	   *keep = palloc0(sizeof(bool) * (hierarchy->levels[0].nlabels + 1));

		node[a] = weighed_cut(population, a, &hierarchy->levels[0], keep);
		pfree(keep);
	}
	measure_alone(measurer_create(population, &nothing), node, &measures);
	return objective_cost(measure, &measures);
}

/* --------------- the achievement function: how close a generalization comes */

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
