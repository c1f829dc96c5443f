/*
 * optimum.h
 *	  The node of least loss that keeps a promise, by boxes.
 */
#ifndef ANONOPT_OPTIMUM_H
#define ANONOPT_OPTIMUM_H

#include "search/boxes.h"

/* What a search was asked, and what came of it. */
typedef struct OptimumSearch
{
	Population *population;
	BoxOrder	order;
	int			workers;		/* that may help */
	int64		effort;			/* tuples to look at before boxes are handed
								 * out, and at each of those; 0: as it pays */

	BoxAnswer	answer;
	double		bound;			/* no node that keeps the promise costs less */
	int64		evaluated;		/* nodes of which it was asked what they
								 * suppress */
	int			helped;			/* workers that did */
	bool		in_time;		/* the answer is proven */
	Measures	nearest;		/* the top, if nothing was found */
} OptimumSearch;

extern void optimum_search(OptimumSearch *search);

#endif
