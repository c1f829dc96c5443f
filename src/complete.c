/*
 * complete.c
 *	  Searches that need no sensitive or class column do without, until the end.
 */
#include "complete.h"

#include "miscadmin.h"
#include "path.h"

Population *
population_narrow(const Population *population)
{
	Population *narrow = palloc(sizeof(Population));

	*narrow = *population;
	narrow->ncolumns = 0;
	narrow->nsensitive = 0;
	return narrow;
}

/* Nodes to be put in the order of a path. */
typedef struct PathSort
{
	const Path *path;
	int		   *const *levels;
} PathSort;

static int
compare_on_path(const void *a, const void *b, void *arg)
{
	const PathSort *sort = arg;

	return path_compare(sort->path, sort->levels[*(const int *) a], sort->levels[*(const int *) b]);
}

void
complete_measures(Population *population, const Promise *promise, int nnodes,
				  int *const *levels, Measures **measures)
{
	Path	   *path = path_create(population, MOST_LEVELS_FIRST);
	PathSort	sort = {path, levels};
	Measurer   *measurer = measurer_create(population, promise);
	int		   *order = palloc(sizeof(int) * (nnodes + 1));

	for (int i = 0; i < nnodes; i++)
		order[i] = i;
	qsort_arg(order, nnodes, sizeof(int), compare_on_path, &sort);
	for (int i = 0; i < nnodes; i++)
	{
		Recodings	node;
		const TupleTable *classes = path_classes(path, levels[order[i]], &node);

		CHECK_FOR_INTERRUPTS();
		measure(measurer, node, classes, measures[order[i]]);
	}
	path_free(path);
	pfree(order);
}
