/*
 * efficient.h
 *	  Nodes by bias and loss.
 */
#ifndef ANONOPT_EFFICIENT_H
#define ANONOPT_EFFICIENT_H

#include "search/node_front.h"
#include "search/preference.h"

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
