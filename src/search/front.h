/*
 * front.h
 *	  The nodes that no other is better than, one a vector of costs.
 */
#ifndef ANONOPT_FRONT_H
#define ANONOPT_FRONT_H

#include "search/objective.h"

typedef struct FrontMember
{
	double		costs[MAX_OBJECTIVES];
	int		   *levels;
	Measures	measures;
} FrontMember;

typedef struct Front
{
	MemoryContext context;
	int			nobjectives;
	Objective	objectives[MAX_OBJECTIVES];
	int			nattrs;
	int			nmembers;
	Size		capacity;
	FrontMember *members;
} Front;

extern Front *front_create(MemoryContext context, int nobjectives, const Objective *objectives, int nattrs);

/* Offers a measured node; members that it beats are dropped. */
extern void front_offer(Front *front, const int *levels, const Measures *measures);

/*
 * Whether a member beats whatever costs at least so much: by being better,
 * or by coming first among equals where levels are the least of those nodes.
 */
extern bool front_beats(const Front *front, const double *costs, const int *levels);

/* Puts the members in order: best first objective first. */
extern void front_sort(Front *front);

#endif
