/*
 * efficient.h
 *	  Level nodes by bias and loss.
 */
#ifndef ANONOPT_EFFICIENT_H
#define ANONOPT_EFFICIENT_H

#include "search/achievement.h"
#include "search/node_front.h"

typedef enum Efficiency
{
	EFFICIENCY_STRONG,			/* no node is nowhere worse and somewhere
								 * better */
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
	Efficiency	efficiency;
} JudgedNode;

/* Nobody is suppressed. */
typedef struct EfficiencySearch
{
	Population *population;
	int64		k;
	Preference	preference;
	int			workers;

	Size		nnodes;
	JudgedNode *nodes;			/* of at least that k; the chosen one first */
	int64		evaluated;
	int64		largest_k;		/* of all nodes */
	int			helped;
} EfficiencySearch;

extern void efficiency_search(EfficiencySearch *search);

/*
 * The level nodes of at least a k, so many people suppressed at most, that
 * none beats in bias and loss: whatever is preferred, the nearest is among
 * them.  At most so many nodes are measured.
 */
extern NodeFront *efficient_level_nodes(Population *population, int64 k, int64 limit, int64 most_nodes, int workers);

#endif
