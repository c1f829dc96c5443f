/*
 * record_parts.h
 *	  Declarations shared by the steps of searching a generalization per record.
 */
#ifndef ANONOPT_RECORD_PARTS_H
#define ANONOPT_RECORD_PARTS_H

#include "postgres.h"

#include "lib/pairingheap.h"
#include "record/record_search.h"

/* ----------------- state and steps of a search for records' generalizations */

typedef struct RecordRun
{
	RecordSearch *search;
	MemoryContext context;		/* freed when the search ends */
	const Population *population;
	const RecordModel *model;
	int			nmatches;
	Matches   **matches;		/* by dictionary */
	const HeldDictionary *dictionaries;
	int64	   *people;			/* work space, by dictionary */
	uint32	   *leaves;			/* nattrs per tuple */
	int64		nnodes;			/* PG_INT64_MAX if too many to count */
	int64		stride[MAX_ATTRIBUTES]; /* of a level in a node's number */
	uint64	   *counted;		/* by node, a bit; NULL if there are too many */
} RecordRun;

static inline const uint32 *
leaves_of(const RecordRun *run, uint32 tuple)
{
	return run->leaves + (Size) tuple * run->population->nattrs;
}

/* Allocates the answers, in the search. */
extern RecordRun *record_run_begin(RecordSearch *search);

/* The levels of a node, given its number. */
extern void levels_of_node(const RecordRun *run, int64 node, int *levels);

/* Offers a node to a tuple, which counts the visit. */
extern void visit_node(RecordRun *run, uint32 tuple, const int *levels, double risk, double utility);

/* Offers a node to a tuple, which takes it as its answer if it is better. */
extern void offer_node(RecordRun *run, uint32 tuple, const int *levels, double risk, double utility);

/* Counts a node some of whose classes were computed. */
static inline void
count_node(RecordRun *run, int64 node)
{
	uint64		bit = UINT64CONST(1) << (node % 64);

	if (run->counted == NULL || (run->counted[node / 64] & bit) != 0)
		return;
	run->counted[node / 64] |= bit;
	run->search->evaluated++;
}

/* Moves to a node and counts the matching entries there. */
extern void go_to_node(RecordRun *run, const int *levels);

/* The mean risk of a weight over the dictionaries, given the people that match in each. */
extern double mean_risk(const RecordRun *run, double weight, const int64 *people);

/* The risk of a tuple at the current node. */
extern double risk_at(RecordRun *run, uint32 tuple, const int *levels);

/* Whether the time limit has passed, which is then remembered. */
extern bool out_of_time(RecordRun *run);

/* Offers random nodes that are just useful enough for some tuple, as first answers. */
extern void offer_samples(RecordRun *run);

/* Ends the count of visits to nodes by tuples that have seen samples and both ends. */
extern void count_visits(const RecordRun *run);

/* ----------------- BTDA and ARUBA as in the paper, for any risk and utility */

#define MAX_WALK_DIMENSIONS 6

/* A lattice whose node (0, …, 0) is the most general; values in row-major order. */
typedef struct WalkLattice
{
	int			ndims;
	int			size[MAX_WALK_DIMENSIONS];
	int			nnodes;
	const double *risk;
	const double *utility;
	double		least_utility;

	int			nvisited;
	int		   *visited;		/* in order */
	bool	   *seen;
	pairingheap_node *queued;	/* by node, for btda */
	int			best;			/* or -1 */
} WalkLattice;

extern void walk_btda(WalkLattice *lattice);
extern void walk_aruba(WalkLattice *lattice);
extern void walk_branch_and_bound(WalkLattice *lattice);

/* ------------- what the completions of some chosen levels can reach at best */

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

/*
 * The prospect of tuples with the same labels chosen, given their weight and
 * utility, and the risk of a weight of 1.
 */
extern Prospect prospect_of(const Reach *reach, int depth, double weight, double utility, double risk_of_one);

/* Whether no completion can be better than a tuple's answer so far. */
static inline bool
is_hopeless(const Reach *reach, const Prospect *prospect, uint32 tuple)
{
	const RecordSearch *search = reach->run->search;
	const RecordAnswer *best = answer_of(search, tuple);

	if (!best->found)
		return false;
	switch (search->goal)
	{
		case GOAL_MOST_UTILITY:
			return prospect->utility < best->utility || (prospect->utility == best->utility && prospect->risk > best->risk);
		case GOAL_BALANCE:
			return prospect->risk - search->bound * prospect->utility > best->risk - search->bound * best->utility;
		default:
			return prospect->risk > best->risk || (prospect->risk == best->risk && prospect->utility < best->utility);
	}
}

/* ---------------------------------------------------------------- searches */

/* For any goal, if labels need only be alike: node by node, by bounds. */
extern void search_alike(RecordRun *run);

/* For any goal: class by class, by bounds. */
extern void search_by_bounds(RecordRun *run);

/* For the least risk, if it is monotone: by the frontier. */
extern void search_frontier(RecordRun *run);

/* Counts the nodes that a search from the top by risk visits, given the answers. */
extern void count_general_first(RecordRun *run);

#endif
