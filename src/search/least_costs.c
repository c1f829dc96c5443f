/*
 * least_costs.c
 *	  Lower bounds of a node's costs, derived from measured nodes.
 *
 * GLM and NWP are least without suppression, when they are a sum over the
 * attributes' levels (search/exact.c).
 *
 * Without a promise, the k of a node is at most that of any node above it (see
 * there, too).  So is the sum of squares of all its classes, since classes
 * only merge: at the node above, that sum is sum_k plus the squares of the
 * suppressed classes, each smaller than k.
 *
 * Other objectives have no bound, nor do these two under a promise.
 */
#include "search/least_costs.h"

#include <math.h>

#include "engine/known_nodes.h"
#include "search/bounded_costs.h"

struct LeastCosts
{
	const Population *population;
	int			nobjectives;
	Objective	objectives[MAX_OBJECTIVES];
	bool		bounds_classes; /* nothing is promised */
	KnownNodes *ks;				/* k of measured nodes */
	KnownNodes *squares;		/* upper bounds of their sums of squares */
	double		weights;
	double	   *loss[MAX_ATTRIBUTES];	/* by attribute and level */
};

LeastCosts *
least_costs_create(const Population *population, const Promise *promise, int nobjectives, const Objective *objectives)
{
	LeastCosts *least = MemoryContextAllocZero(population->context, sizeof(LeastCosts));

	least->population = population;
	least->nobjectives = nobjectives;
	memcpy(least->objectives, objectives, sizeof(Objective) * nobjectives);
	least->bounds_classes = !promise_given(promise, population);
	least->ks = known_nodes_create(population, population->context);
	least->squares = known_nodes_create(population, population->context);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		least->weights += attr->weight;
		least->loss[a] = MemoryContextAlloc(population->context, sizeof(double) * (attr->hierarchy->height + 1));
		for (int level = 0; level <= attr->hierarchy->height; level++)
			least->loss[a][level] = attribute_loss(attr, attr->hierarchy->levels[level].loss);
	}
	return least;
}

static bool
has_bound(const LeastCosts *least, Objective objective)
{
	switch (objective)
	{
		case OBJECTIVE_GLM:
		case OBJECTIVE_NWP:
			return true;
		case OBJECTIVE_K:
			return least->bounds_classes;
		case OBJECTIVE_SUM_K:
			/* a class of few persons may have many rows */
			return least->bounds_classes && !least->population->has_persons;
		default:
			return false;
	}
}

static bool
is_asked(const LeastCosts *least, Objective objective)
{
	for (int i = 0; i < least->nobjectives; i++)
		if (least->objectives[i] == objective)
			return has_bound(least, objective);
	return false;
}

void
least_costs_learn(LeastCosts *least, const int *levels, const Measures *measures)
{
	double		squares = measures->sum_k + (double) measures->suppressed * (measures->k - 1);

	if (measures->classes == 0)
		return;
	if (is_asked(least, OBJECTIVE_K))
		known_nodes_add(least->ks, levels, measures->k);
	if (is_asked(least, OBJECTIVE_SUM_K) && squares < 9e18)
		known_nodes_add(least->squares, levels, (int64) ceil(squares));
}

/* The best possible measures of a node, where there are bounds. */
static Measures
best_measures(const LeastCosts *least, const int *levels)
{
	Measures	best = {.classes = 1,.feasible = true};

	for (int a = 0; a < least->population->nattrs; a++)
	{
		double		loss = least->loss[a][levels[a]];

		best.glm += loss;
		best.nwp += least->population->attrs[a].weight / least->weights * loss;
	}
	best.nwp /= least->population->people;
	best.k = known_nodes_least_above(least->ks, levels);
	best.sum_k = (double) known_nodes_least_above(least->squares, levels);
	return best;
}

void
least_costs_of(const LeastCosts *least, const int *levels, double *costs)
{
	Measures	best = best_measures(least, levels);

	bounded_costs(least->population, least->nobjectives, least->objectives, &best, costs);
	for (int i = 0; i < least->nobjectives; i++)
		if (!has_bound(least, least->objectives[i]))
			costs[i] = -HUGE_VAL;
}
