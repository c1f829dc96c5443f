/*
 * pbg_ea.h
 *	  PBG-EA: an evolutionary search for property based generalizations.
 */
#ifndef ANONOPT_PBG_EA_H
#define ANONOPT_PBG_EA_H

#include "search/objective.h"

/* The input and result of a search. */
typedef struct Evolution
{
	Population *population;
	Promise		promise;		/* what is promised, and the limit */
	int			nobjectives;
	Objective	objectives[MAX_OBJECTIVES];
	double		epsilon[MAX_OBJECTIVES];
	int			size;			/* nodes per generation */
	int			iterations;
	double		crossover;
	double		mutation;
	double		local_search;	/* the share of offspring that are new
								 * neighbours of the archive */
	bool		stays;			/* a mutation beyond an end leaves the level */
	bool		copies;			/* a node may be several parents */
	bool		bounds;			/* nodes that cannot enter the archive are not
								 * measured */
	int64		most_nodes;		/* nodes that may be measured, or 0 */
	uint64		seed;
	int			workers;

	int			nfound;
	MeasuredNode *found;		/* the archive, best first objective first */
	int64		evaluated;
	int			helped;
} Evolution;

extern void pbg_ea(Evolution *evolution);

#endif
