/*
 * poka.h
 *	  POkA: Pareto-optimal k-anonymous nodes by depth and height search.
 */
#ifndef ANONOPT_POKA_H
#define ANONOPT_POKA_H

#include "search/objective.h"

typedef struct PokaSearch
{
	Population *population;
	Promise		promise;		/* what is promised, and the limit */
	Objective	loss;
	int			depth;
	const int  *start;			/* the first base; NULL: the top */
	int			workers;		/* at most */

	int			nfound;
	Size		capacity;
	MeasuredNode *found;		/* in the order of discovery */
	int64		evaluated;
	int			helped;			/* workers that helped */
} PokaSearch;

extern void poka_search(PokaSearch *search);

#endif
