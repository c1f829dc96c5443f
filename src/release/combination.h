/*
 * combination.h
 *	  What several contents tell of a person together.
 */
#ifndef ANONOPT_COMBINATION_H
#define ANONOPT_COMBINATION_H

#include "release/placed_content.h"

/* What readers of several contents know of each tuple. */
typedef struct Combination
{
	uint32	   *group_of;		/* alike in all of them */
	bool	   *shown;			/* in any of them */
} Combination;

extern Combination combination_begin(const Population *population);

/* Parts what is alike so far by one content more; returns the smallest group of people who are shown anywhere, 0 for none. */
extern int64 combination_add(Combination *combination, const Population *population, const PlacedContent *content);

#endif
