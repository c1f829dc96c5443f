/*
 * lower_bounds.c
 *	  Lower bounds of costs, by which searches leave out nodes.
 */
#include "search/lower_bounds.h"

#include <math.h>

#include "engine/lattice.h"

/* ------------------------------ losses without suppression: sums over levels */

bool
is_sum_of_levels(Objective loss)
{
	return loss == OBJECTIVE_GLM || loss == OBJECTIVE_NWP;
}

void
level_losses_raise(LevelLosses *losses, const Population *population, Objective loss, const int *lowest, const int *highest,
				   const int128 *more)
{
	double		weights = 0;

	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		for (int level = lowest[a]; level <= highest[a]; level++)
		{
			losses->loss[a][level] = attribute_loss(attr, attr->hierarchy->levels[level].loss + more[level]);
			if (loss == OBJECTIVE_NWP)
				losses->loss[a][level] *= attr->weight / weights;
		}
		more += attr->hierarchy->height + 1;
	}
}

LevelLosses *
level_losses_create(const Population *population, Objective loss)
{
	LevelLosses *losses = palloc0(sizeof(LevelLosses));
	int			lowest[MAX_ATTRIBUTES] = {0};
	int			highest[MAX_ATTRIBUTES];
	int128	   *nothing = palloc0(sizeof(int128) * level_losses_room(population));

	losses->nattrs = population->nattrs;
	losses->divisor = loss == OBJECTIVE_NWP ? population->people : 1;
	for (int a = 0; a < population->nattrs; a++)
	{
		highest[a] = population->attrs[a].hierarchy->height;
		losses->loss[a] = palloc(sizeof(double) * (highest[a] + 1));
	}
	level_losses_raise(losses, population, loss, lowest, highest, nothing);
	pfree(nothing);
	return losses;
}

int
level_losses_room(const Population *population)
{
	int			room = 1;

	for (int a = 0; a < population->nattrs; a++)
		room += population->attrs[a].hierarchy->height + 1;
	return room;
}

void
level_losses_free(LevelLosses *losses)
{
	for (int a = 0; a < losses->nattrs; a++)
		pfree(losses->loss[a]);
	pfree(losses);
}

/* ------------------ costs of at most 0, the worst, which an archive divides */

double
default_epsilon(Objective objective, const Population *population)
{
	switch (objective)
	{
		case OBJECTIVE_NWP:
		case OBJECTIVE_CM:
		case OBJECTIVE_NECD:
		case OBJECTIVE_BELOW_2K:
			return 1.0 / population->people;
		case OBJECTIVE_T:
		case OBJECTIVE_ENTROPY_L:
		case OBJECTIVE_GINI:
			return 0.01;
		default:
			return objective_model(objective) < 0 || models[objective_model(objective)]->range == RANGE_COUNT ? 1 : 0.01;
	}
}

double
most_of(Objective objective, const Population *population)
{
	double		people = (double) population->people;
	uint32		fewest_values = PG_UINT32_MAX;
	const Model *model;

	switch (objective)
	{
		case OBJECTIVE_K:
		case OBJECTIVE_SUPPRESSED:
			return people;
		case OBJECTIVE_L:
		case OBJECTIVE_ENTROPY_L:
			for (int column = 0; column < population->nsensitive; column++)
				fewest_values = Min(fewest_values, population->columns[column]->nvalues);
			return fewest_values;
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
		case OBJECTIVE_GINI:
		case OBJECTIVE_BELOW_2K:
			return 1;
		case OBJECTIVE_SUM_LN_K:
			return people * log(people);
		default:
			model = models[objective_model(objective)];
			return model->worst == NULL ? 1 : model->worst(people);
	}
}

void
bounded_costs(const Population *population, const Objectives *objectives, const Measures *measures, double *costs)
{
	for (int i = 0; i < objectives->n; i++)
	{
		/* a node that breaks a promise is worst in everything */
		double		cost = measures->feasible ? objective_cost(objectives->of[i], measures) : HUGE_VAL;

		if (!isinf(cost) && !objective_rises(objectives->of[i]))
			cost -= most_of(objectives->of[i], population);

		/* equal costs have equal bytes: 0 - Max(…) is never -0 */
		costs[i] = isinf(cost) ? 0 : 0 - Max(-cost, 0);
	}
}

/* -------------- lower bounds of a node's costs, derived from measured nodes */

/*
 * GLM and NWP are least without suppression, when they are a sum over the
 * attributes' levels.
 *
 * Without a promise, the k of a node is at most that of any node above it
 * (search/exact.c).  So is the sum of squares of all its classes, since classes
 * only merge: at the node above, that sum is sum_k plus the squares of the
 * suppressed classes, each smaller than k.
 *
 * Other objectives have no bound, nor do these two under a promise.
 */

struct LeastCosts
{
	const Population *population;
	Objectives	objectives;
	KnownNodes *ks;				/* k of measured nodes, or NULL */
	KnownNodes *squares;		/* upper bounds of their sums of squares, or
								 * NULL */
	LevelLosses *glm;
	LevelLosses *nwp;
};

LeastCosts *
least_costs_create(const Population *population, const Promise *promise, const Objectives *objectives)
{
	LeastCosts *least = MemoryContextAllocZero(population->context, sizeof(LeastCosts));

	least->population = population;
	least->objectives = *objectives;
	for (int i = 0; i < objectives->n && !promise_given(promise, population); i++)
	{
		if (objectives->of[i] == OBJECTIVE_K)
			least->ks = known_nodes_create(population, population->context);
		/* a class of few persons may have many rows */
		if (objectives->of[i] == OBJECTIVE_SUM_K && !population->has_persons)
			least->squares = known_nodes_create(population, population->context);
	}
	least->glm = level_losses_create(population, OBJECTIVE_GLM);
	least->nwp = level_losses_create(population, OBJECTIVE_NWP);
	return least;
}

void
least_costs_learn(LeastCosts *least, const int *levels, const Measures *measures)
{
	double		squares = measures->sum_k + (double) measures->suppressed * (measures->k - 1);

	if (measures->classes == 0)
		return;
	if (least->ks != NULL)
		known_nodes_add(least->ks, levels, measures->k);
	if (least->squares != NULL && squares < 9e18)
		known_nodes_add(least->squares, levels, (int64) ceil(squares));
}

void
least_costs_of(const LeastCosts *least, const int *levels, double *costs)
{
	/* the best possible measures, where there are bounds */
	Measures	best = {.classes = 1,.feasible = true};

	best.glm = level_losses_sum(least->glm, levels);
	best.nwp = level_losses_sum(least->nwp, levels);
	if (least->ks != NULL)
		best.k = known_nodes_least_above(least->ks, levels);
	if (least->squares != NULL)
		best.sum_k = (double) known_nodes_least_above(least->squares, levels);
	bounded_costs(least->population, &least->objectives, &best, costs);
	for (int i = 0; i < least->objectives.n; i++)
	{
		Objective	objective = least->objectives.of[i];

		if (!is_sum_of_levels(objective) && !(objective == OBJECTIVE_K && least->ks != NULL) &&
			!(objective == OBJECTIVE_SUM_K && least->squares != NULL))
			costs[i] = -HUGE_VAL;
	}
}
