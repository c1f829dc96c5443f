/*
 * lattice.c
 *	  All nodes of a lattice, each with its classes.
 *
 * Nodes come in the order of their levels, the attribute with most levels
 * turning fastest: then almost every node's table is one linear pass over
 * the node's before.
 */
#include "lattice.h"

#include "miscadmin.h"
#include "path.h"

/* The next node in order; false after the last. */
static bool
next_levels(const Population *population, const int *order, int *levels)
{
	for (int depth = population->nattrs - 1; depth >= 0; depth--)
	{
		int			a = order[depth];

		if (levels[a] < population->attrs[a].max_level)
		{
			levels[a]++;
			return true;
		}
		levels[a] = population->attrs[a].min_level;
	}
	return false;
}

void
lattice_walk(Population *population, NodeVisitor visit, void *arg)
{
	Path	   *path = path_create(population, MOST_LEVELS_LAST);
	int			levels[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].min_level;
	do
	{
		Recodings	node;
		const TupleTable *classes = path_classes(path, levels, &node);

		CHECK_FOR_INTERRUPTS();
		visit(arg, levels, node, classes);
	} while (next_levels(population, path_order(path), levels));
	path_free(path);
}
