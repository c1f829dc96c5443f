/*
 * exact.h
 *	  The exact front of a lattice, by bounds.
 */
#ifndef ANONOPT_EXACT_H
#define ANONOPT_EXACT_H

#include "search/node_front.h"

/* The input and result of a search. */
typedef struct ExactSearch
{
	Population *population;
	Promise		promise;
	bool		feasible_only;	/* nodes that break the promise too often do
								 * not count */
	int			nobjectives;
	Objective	objectives[MAX_OBJECTIVES];
	int64		deadline;		/* a timestamp, or 0 */
	int			workers;		/* at most */

	NodeFront  *front;
	int64		evaluated;		/* distinct nodes measured */
	int			helped;			/* workers that helped */
	bool		in_time;		/* the front is proven */
	Measures	nearest;		/* the node that breaks the promise least, if
								 * none keeps it */
} ExactSearch;

extern void exact_search(ExactSearch *search);

#endif
