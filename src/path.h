/*
 * path.h
 *	  Classes of one node after another, each from what it shares with the last.
 */
#ifndef ANONOPT_PATH_H
#define ANONOPT_PATH_H

#include "population.h"

typedef struct Path Path;

/* Attributes with most levels stand last in the order, or first. */
typedef enum PathOrder
{
	MOST_LEVELS_LAST,
	MOST_LEVELS_FIRST
} PathOrder;

extern Path *path_create(Population *population, PathOrder order);
extern void path_free(Path *path);

/* The attribute of each depth. */
extern const int *path_order(const Path *path);

/* Orders nodes so that each shares most of the path with the one before. */
extern int	path_compare(const Path *path, const int *a, const int *b);

/*
 * The classes of a node within the declared levels, valid until the next
 * call; and how its attributes are shown.  Cheapest where the last depths
 * differ most often, and go up.
 */
extern const TupleTable *path_classes(Path *path, const int *levels, Recodings *node);

#endif
