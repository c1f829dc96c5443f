/*
 * bounded_costs.c
 *	  Costs of at most 0, the worst, which an archive divides into boxes.
 */
#include "search/bounded_costs.h"

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
		case OBJECTIVE_ALPHA:
		case OBJECTIVE_BETA:
		case OBJECTIVE_DISCLOSURE:
		case OBJECTIVE_PRESENCE:
		case OBJECTIVE_AVERAGE_RISK:
			return 0.01;
		default:
			return 1;
	}
}

/* The fewest distinct values of any sensitive column, an upper bound of l. */
static double
fewest_values(const Population *population)
{
	uint32		fewest = PG_UINT32_MAX;

	for (int column = 0; column < population->nsensitive; column++)
		fewest = Min(fewest, population->columns[column]->nvalues);
	return fewest;
}

double
most_of(Objective objective, const Population *population)
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
		case OBJECTIVE_ALPHA:
		case OBJECTIVE_PRESENCE:
		case OBJECTIVE_AVERAGE_RISK:
			return 1;
		case OBJECTIVE_K_MAP:
		case OBJECTIVE_BETA:
			return people;
		case OBJECTIVE_DISCLOSURE:
			return log(people);
		default:
			elog(ERROR, "no such objective");
			return 0;
	}
}

void
bounded_costs(const Population *population, int nobjectives, const Objective *objectives,
			  const Measures *measures, double *costs)
{
	for (int i = 0; i < nobjectives; i++)
	{
		/* a node that breaks a promise is worst in everything */
		double		cost = measures->feasible ? objective_cost(objectives[i], measures) : HUGE_VAL;

		if (!isinf(cost) && !objective_rises(objectives[i]))
			cost -= most_of(objectives[i], population);

		/*
		 * 0 - Max(…) is never a negative zero; equal costs must have equal
		 * bytes
		 */
		costs[i] = isinf(cost) ? 0 : 0 - Max(-cost, 0);
	}
}
