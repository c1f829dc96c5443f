/*
 * narrow_population.c
 *	  Searches that need no sensitive or class column do without, until the end.
 */
#include "engine/narrow_population.h"

#include "engine/node_walk.h"
#include "miscadmin.h"

Population *
population_narrow(const Population *population)
{
	Population *narrow = palloc(sizeof(Population));

	*narrow = *population;
	narrow->ncolumns = 0;
	narrow->nsensitive = 0;
	return narrow;
}

/* Nodes to be put in the order of a walk. */
typedef struct WalkSort
{
	const NodeWalk *node_walk;
	const MeasuredNode *nodes;
} WalkSort;

static int
compare_on_walk(const void *a, const void *b, void *arg)
{
	const WalkSort *sort = arg;

	return node_walk_compare(sort->node_walk, sort->nodes[*(const int *) a].levels, sort->nodes[*(const int *) b].levels);
}

void
remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes)
{
	NodeWalk   *node_walk = node_walk_create(population, MOST_LEVELS_FIRST);
	WalkSort	sort = {node_walk, nodes};
	Measurer   *measurer = measurer_create(population, promise);
	int		   *order = palloc(sizeof(int) * (nnodes + 1));

	for (int i = 0; i < nnodes; i++)
		order[i] = i;
	qsort_arg(order, nnodes, sizeof(int), compare_on_walk, &sort);
	for (int i = 0; i < nnodes; i++)
	{
		Recodings	node;
		const TupleTable *classes = node_walk_classes(node_walk, nodes[order[i]].levels, &node);

		CHECK_FOR_INTERRUPTS();
		measure(measurer, node, classes, &nodes[order[i]].measures);
	}
	node_walk_free(node_walk);
	pfree(order);
}
