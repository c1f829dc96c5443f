/*
 * optimum.h
 *	  The node of least loss that keeps a promise, by boxes.
 */
#ifndef ANONOPT_OPTIMUM_H
#define ANONOPT_OPTIMUM_H

#include "search/boxes.h"

/* The input and result of a search. */
typedef struct OptimumSearch
{
	Population *population;
	BoxOrder	order;
	int			workers;		/* at most */
	int64		effort;			/* tuples to visit before boxes are handed
								 * out, and for each of those; 0 for the
								 * default */

	BoxAnswer	answer;
	double		bound;			/* lower bound of the cost of nodes that keep
								 * the promise */
	int64		evaluated;		/* nodes whose suppression was counted */
	int			helped;			/* workers that helped */
	bool		in_time;		/* the answer is proven */
	Measures	nearest;		/* the top, if nothing was found */
} OptimumSearch;

extern void optimum_search(OptimumSearch *search);

#endif
