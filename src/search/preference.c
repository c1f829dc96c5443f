/*
 * preference.c
 *	  A publisher's preference for several measures, and how close a
 *	  generalization comes to it.
 */
#include "search/preference.h"

#include "search/achievement.h"

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
	int			i = preference->n++;

	preference->measures[i] = measure;
	preference->preferred[i] = preferred;
	preference->weights[i] = 1;
	preference->ideal[i] = ideal;
}

void
preference_costs(const Preference *preference, const Measures *measures, double *costs)
{
	for (int i = 0; i < preference->n; i++)
		costs[i] = objective_cost(preference->measures[i], measures);
}

double
preference_achievement(const Preference *preference, const double *costs)
{
	if (preference->n == FIRST_FURTHER && !preference->has_weights)
		return achievement(costs[0], costs[1], preference->preferred[0], preference->preferred[1]);
	return achievement_of(preference->n, costs, preference->preferred, preference->weights, preference->ideal);
}

double
preference_deviation(const Preference *preference, const double *costs)
{
	double		deviation = 0;

	for (int i = 0; i < preference->n; i++)
		deviation += costs[i];
	for (int i = 0; i < preference->n; i++)
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
	Promise		nothing = {.has_k = true,.k = 1,.keeps_all = true};
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);
	Measures	measures;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;
		bool	   *keep = palloc0(sizeof(bool) * (hierarchy->levels[0].nlabels + 1));
		Recoding   *recoding = recoding_cut(hierarchy, &hierarchy->levels[0], keep);

		recoding_weigh(population, a, recoding);
		node[a] = recoding;
		pfree(keep);
	}
	measure_alone(measurer_create(population, &nothing), node, &measures);
	return objective_cost(measure, &measures);
}
