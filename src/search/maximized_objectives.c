/*
 * maximized_objectives.c
 *	  Objectives as values to be maximized: more is better and none is negative.
 */
#include "search/maximized_objectives.h"

#include <math.h>

double
default_epsilon(Objective objective, const Population *population)
{
	switch (objective)
	{
		case OBJECTIVE_NWP:
		case OBJECTIVE_CM:
		case OBJECTIVE_NECD:
			return 1.0 / population->people;
		case OBJECTIVE_T:
		case OBJECTIVE_ENTROPY_L:
			return 0.01;
		default:
			return 1;
	}
}

/* The fewest distinct values of a sensitive column: no class has more in each. */
static double
fewest_values(const Population *population)
{
	uint32		fewest = PG_UINT32_MAX;

	for (int column = 0; column < population->nsensitive; column++)
		fewest = Min(fewest, population->columns[column]->nvalues);
	return fewest;
}

/* The most a maximized value can be. */
static double
maximized_limit(Objective objective, const Population *population)
{
	double		people = (double) population->people;

	switch (objective)
	{
		case OBJECTIVE_K:
		case OBJECTIVE_SUPPRESSED:
			return people;
		case OBJECTIVE_L:
		case OBJECTIVE_ENTROPY_L:
			return fewest_values(population);
		case OBJECTIVE_CLASSES:
			return population->tuples->ntuples;
		case OBJECTIVE_GLM:
			return people * population->nattrs;
		case OBJECTIVE_DCN:
		case OBJECTIVE_SUM_K:
		case OBJECTIVE_SUM_L:
		case OBJECTIVE_SUM_OTHER:
			return people * people;
		case OBJECTIVE_T:
		case OBJECTIVE_NWP:
		case OBJECTIVE_CM:
		case OBJECTIVE_NECD:
			return 1;
		default:
			elog(ERROR, "no such objective");
			return 0;
	}
}

void
maximized_values(const Population *population, int nobjectives, const Objective *objectives,
				 const Measures *measures, double *values)
{
	for (int i = 0; i < nobjectives; i++)
	{
		double		cost = objective_cost(objectives[i], measures);

		if (isinf(cost))
			values[i] = 0;
		else if (objective_rises(objectives[i]))
			values[i] = -cost;
		else
			values[i] = Max(maximized_limit(objectives[i], population) - cost, 0);
	}
}
