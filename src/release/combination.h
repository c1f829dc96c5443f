/*
 * combination.h
 *	  What several contents together reveal about a person.
 */
#ifndef ANONOPT_COMBINATION_H
#define ANONOPT_COMBINATION_H

#include "release/placed_content.h"

/* What readers of several contents know about each tuple. */
typedef struct Combination
{
	uint32	   *group_of;		/* group of tuples that look alike in all of
								 * them */
	bool	   *shown;			/* shown in any of them */
} Combination;

extern Combination combination_begin(const Population *population);

/*
 * Splits the groups by one more content; returns the smallest group of people
 * who are shown anywhere, or 0 if there is none.
 */
extern int64 combination_add(Combination *combination, const Population *population, const PlacedContent *content);

#endif
