/*
 * record_reach.h
 *	  What the completions of some chosen levels can reach at best.
 */
#ifndef ANONOPT_RECORD_REACH_H
#define ANONOPT_RECORD_REACH_H

#include "record/record_best.h"

/* Steps of utility in the table of least weights. */
#define REACH_BINS 128

/* Bounds that hold for every tuple, by the number of attributes chosen. */
typedef struct Reach
{
	const RecordRun *run;
	int			order[MAX_ATTRIBUTES];	/* in which attributes are chosen */
	double		utility_slack;
	double		most_utility[MAX_ATTRIBUTES + 1];	/* of the others */
	double		most_weight[MAX_ATTRIBUTES + 1];
	double		bin;			/* utility of one */
	double		(*least_weight)[REACH_BINS + 1];	/* with at least this many
													 * bins */
} Reach;

/* What completions can reach at best. */
typedef struct Prospect
{
	bool		possible;		/* whether any can be an answer */
	double		risk;
	double		utility;
} Prospect;

extern Reach *reach_create(const RecordRun *run);

/* The weight and the utility of the labels chosen for a tuple. */
extern double chosen_weight(const Reach *reach, int depth, uint32 tuple, const int *levels);
extern double chosen_utility(const Reach *reach, int depth, uint32 tuple, const int *levels);

/* The mean risk of a weight of 1, given the people that match by dictionary. */
extern double risk_of_one(const RecordRun *run, const int64 *people);

/*
 * The prospect of tuples with the same labels chosen, given their weight and
 * utility, and the risk of a weight of 1.
 */
extern Prospect prospect_of(const Reach *reach, int depth, double weight, double utility, double risk_of_one);

/* Whether no completion can be better than a tuple's best so far. */
static inline bool
is_hopeless(const Reach *reach, const Prospect *prospect, const BestSoFar *best)
{
	const RecordSearch *search = reach->run->search;

	switch (search->goal)
	{
		case GOAL_MOST_UTILITY:
			return prospect->utility < best->utility || (prospect->utility == best->utility && prospect->risk > best->risk);
		case GOAL_BALANCE:
			return prospect->risk - search->bound * prospect->utility > best->cost;
		default:
			return prospect->risk > best->risk || (prospect->risk == best->risk && prospect->utility < best->utility);
	}
}

#endif
