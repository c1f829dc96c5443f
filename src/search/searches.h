/*
 * searches.h
 *	  The searches for nodes.
 */
#ifndef ANONOPT_SEARCHES_H
#define ANONOPT_SEARCHES_H

#include "search/boxes.h"
#include "search/front.h"
#include "search/objective.h"
#include "search/preference.h"

/* ---------------------------------- the exact front of a lattice, by bounds */

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

/* -------------------- the node of least loss that keeps a promise, by boxes */

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

extern const struct PoolWork search_parts_work;

extern void optimum_search(OptimumSearch *search);

/* --------------- POkA: Pareto-optimal k-anonymous nodes by depth and height */

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

/* ------------------------ PBG-EA: an evolutionary search for property based */

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

/* --------------------------------------------------- nodes by bias and loss */

typedef enum Efficiency
{
	EFFICIENCY_STRONG,			/* no other node is nowhere worse and
								 * somewhere better */
	EFFICIENCY_WEAK,			/* no node is better in both */
	EFFICIENCY_NONE
} Efficiency;

typedef struct JudgedNode
{
	int		   *levels;
	int64		k;
	double		necd;
	double		nwp;
	double		ach;
	double		deviation;
	double	   *costs;			/* by the preference's measures */
	Efficiency	efficiency;
} JudgedNode;

typedef struct EfficiencySearch
{
	Population *population;
	Promise		promise;		/* including k and the limit */
	Preference	preference;
	int			workers;

	Size		nnodes;
	JudgedNode *nodes;			/* that keep the promise; the chosen one first */
	int64		evaluated;
	int64		largest_k;		/* of all nodes, without suppression */
	int			helped;
} EfficiencySearch;

extern void efficiency_search(EfficiencySearch *search);

/*
 * The nodes that keep a promise and that none beats in bias, loss and the
 * preference's other measures: for any preference, the closest node is among
 * them.  At most a given number of nodes are measured.
 */
extern NodeFront *efficient_level_nodes(Population *population, const Promise *promise, const Preference *preference,
										int64 most_nodes, int workers);

#endif
