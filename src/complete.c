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

/* What orders nodes so that each shares most with the one before. */
typedef struct PathSort
{
	const int  *order;
	int			nattrs;
	int		   *const *levels;
} PathSort;

static int
compare_on_path(const void *a, const void *b, void *arg)
{
	const PathSort *sort = arg;
	const int  *x = sort->levels[*(const int *) a];
	const int  *y = sort->levels[*(const int *) b];

	for (int depth = 0; depth < sort->nattrs; depth++)
		if (x[sort->order[depth]] != y[sort->order[depth]])
			return x[sort->order[depth]] < y[sort->order[depth]] ? -1 : 1;
	return 0;
}

void
complete_measures(Population *population, const Promise *promise, int nnodes,
				  int *const *levels, Measures **measures)
{
	Path	   *path = path_create(population, MOST_LEVELS_FIRST);
	PathSort	sort = {path_order(path), population->nattrs, levels};
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
