/*
 * narrow_population.c
 *	  Lets searches that need no sensitive or class column work without, until
 *	  the end.
 *
 * Every search needs the persons in a class.
 */
#include "engine/narrow_population.h"

#include "engine/class_cache.h"
#include "miscadmin.h"

Population *
population_narrow(const Population *population)
{
	Population *narrow = palloc(sizeof(Population));

	*narrow = *population;
	if (population->has_conditions)
		return narrow;
	narrow->ncolumns = 0;
	narrow->nsensitive = 0;
	narrow->has_label = false;
	if (population->has_persons)
	{
		int			column = population->ncolumns - 1;

		narrow->ncolumns = 1;
		narrow->columns = &population->columns[column];
		narrow->tuples = palloc(sizeof(TupleTable));
		*narrow->tuples = *population->tuples;
		narrow->tuples->slices = &population->tuples->slices[column];
	}
	return narrow;
}

static int
compare_nodes(const void *a, const void *b, void *arg)
{
	const Population *population = arg;
	const MeasuredNode *const *x = a;
	const MeasuredNode *const *y = b;

	return compare_levels((*x)->levels, (*y)->levels, population->nattrs);
}

/* Finest nodes first, since the classes of others are computed from theirs. */
void
remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes)
{
	ClassCache *cache = class_cache_create(population);
	Measurer   *measurer = measurer_create(population, promise);
	MeasuredNode **order = palloc(sizeof(MeasuredNode *) * (nnodes + 1));

	for (int i = 0; i < nnodes; i++)
		order[i] = &nodes[i];
	if (nnodes > 1)
		qsort_arg(order, nnodes, sizeof(MeasuredNode *), compare_nodes, population);
	for (int i = 0; i < nnodes; i++)
	{
		Recodings	node;
		const TupleTable *classes = class_cache_classes(cache, order[i]->levels, &node);

		CHECK_FOR_INTERRUPTS();
		measure(measurer, node, classes, &order[i]->measures);
	}
	class_cache_free(cache);
	pfree(order);
}
