/*
 * searches.h
 *	  The searches for nodes.
 */
#ifndef ANONOPT_SEARCHES_H
#define ANONOPT_SEARCHES_H

#include "base/key_counter.h"
#include "base/prng.h"
#include "engine/cuts.h"
#include "engine/worker_pool.h"
#include "search/front.h"
#include "search/objective.h"

/* ---------------------------------- the exact front of a lattice, by bounds */

typedef struct ExactSearch
{
	Population *population;
	Promise		promise;
	bool		feasible_only;	/* nodes that break the promise too often do
								 * not count */
	Objectives	objectives;
	int64		deadline;		/* a timestamp, or 0 */
	int			workers;		/* at most */

	NodeFront  *front;
	int64		evaluated;		/* distinct nodes measured */
	int			helped;			/* workers that helped */
	bool		in_time;		/* the front is proven */
	Measures	nearest;		/* the node that breaks the promise least, if
								 * none keeps it */
} ExactSearch;

extern const struct PoolWork search_parts_work;

extern void exact_search(ExactSearch *search);

/* -------------------- the node of least loss that keeps a promise, by boxes */

/* Data common to all boxes of a search. */
typedef struct BoxOrder
{
	Promise		promise;
	Objective	loss;
	int64		deadline;		/* a timestamp, or 0 */
} BoxOrder;

/* The best node known. */
typedef struct BoxAnswer
{
	bool		found;
	double		cost;
	int			levels[MAX_ATTRIBUTES];
	Measures	measures;
} BoxAnswer;

/* Whether a loss has bounds by which boxes can be dropped, even if people are left out whose classes remain. */
extern bool boxes_have_bounds(Objective loss, bool classes_shrink);

extern const struct PoolWork search_boxes_work;

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

extern void optimum_search(OptimumSearch *search);

/* --------------- POkA: Pareto-optimal k-anonymous nodes by depth and height */

typedef struct PokaSearch
{
	Population *population;
	Promise		promise;		/* what is promised, and the limit */
	Objective	loss;
	int			depth;
	const int  *start;			/* the first base; NULL: the top */
	bool		bounds;			/* whether bounds may end a climb */
	bool		repair;			/* whether to look below what a search finds */
	int			workers;		/* at most */

	int			nfound;
	Size		capacity;
	MeasuredNode *found;		/* in the order of discovery */
	int64		evaluated;
	int			helped;			/* workers that helped */
} PokaSearch;

extern void poka_search(PokaSearch *search);

/* ---------- PBG-EA: an evolutionary search for property based generalizations */

typedef struct Evolution
{
	Population *population;
	Promise		promise;		/* what is promised, and the limit */
	Objectives	objectives;
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
	int64		deadline;		/* a timestamp, or 0 */
	uint64		seed;
	int			workers;

	bool		in_time;		/* all iterations were made */
	int			nfound;
	MeasuredNode *found;		/* the archive, best first objective first */
	int64		evaluated;
	int			helped;
} Evolution;

extern void pbg_ea(Evolution *evolution);

/* ------------- preferences of a publisher, and how close values come to them */

/* Bias and loss, and any other measures. */
#define MAX_PREFERRED MAX_OBJECTIVES
#define FIRST_FURTHER 2

/* All numbers are costs: less is better. */
typedef struct Preference
{
	Objectives	measures;		/* at least bias and loss */
	double		preferred[MAX_PREFERRED];
	double		weights[MAX_PREFERRED];
	double		ideal[MAX_PREFERRED];
	bool		has_weights;	/* or an ideal point; otherwise all weights
								 * are 1, and 0 is ideal */
} Preference;

/* A preference for bias and loss alone. */
extern void preference_begin(Preference *preference, double necd, double nwp);

/* Adds another measure. */
extern void preference_add(Preference *preference, Objective measure, double preferred, double ideal);

/* The achievement function of costs: less is closer, in every direction. */
extern double preference_achievement(const Preference *preference, const double *costs);

/* The sum by which costs exceed the preferred ones. */
extern double preference_deviation(const Preference *preference, const double *costs);

/*
 * The best value of a measure of which more is better, as a cost: that of a
 * single class of all people.
 */
extern double best_of_one_class(const Population *population, Objective measure);

/*
 * The achievement function of any number of values, each with its preference,
 * its ideal and its importance; preferences are nowhere below the ideal point.
 */
extern double achievement_of(int n, const double *values, const double *preferences, const double *weights,
							 const double *ideal);

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
	double	   *costs;			/* by the preference's measures */
	double		ach;
	double		deviation;
	Efficiency	efficiency;
} JudgedNode;

typedef struct EfficiencySearch
{
	Population *population;
	Promise		promise;		/* including k and the limit */
	Preference	preference;
	int			workers;

	Size		nnodes;
	Size		capacity;
	JudgedNode *nodes;			/* that keep the promise; the chosen one first */
	int64		evaluated;
	int64		largest_k;		/* of all nodes, without suppression */
	int			helped;
} EfficiencySearch;

extern void efficiency_search(EfficiencySearch *search);

/* ---------- NSGA-II over cuts: the closest to a preference that is k-anonymous */

/*
 * A cut's classes smaller than k are suppressed if that stays within the limit
 * and somebody remains.  Otherwise the cut is not feasible and is measured
 * without suppression, so that its k shows how far it is from k.
 */

typedef struct Nsga2Settings
{
	Population *population;
	Promise		promise;		/* including k and the limit */
	int			size;			/* solutions per generation */
	double		crossover;
	double		mutation;
	uint64		seed;
	bool		along_tree[MAX_ATTRIBUTES]; /* cuts follow the hierarchy's
											 * tree */
	bool		unseeded;		/* a generation begins with any cuts */
	bool		copies;			/* a generation may hold one twice */
	bool		plain;			/* as the paper has it */
	Preference	preference;		/* of the same measures in all searches */
	int			evaluations;	/* in all, to judge whether workers pay */
	int64		deadline;		/* a timestamp, or 0 */
	int			workers;
} Nsga2Settings;

/* An evaluated cut; k and its costs do not depend on the preference. */
typedef struct Solution
{
	int64		k;
	double		ach;			/* under the current preference */
	double		deviation;
} Solution;

#define NO_SOLUTION PG_UINT32_MAX

typedef struct Nsga2
{
	Nsga2Settings settings;
	CutSpace   *space;
	uint32		evaluated;		/* number of solutions */
	KeyCounter *known;			/* their cuts */
	Solution   *solutions;		/* by number */
	double	   *costs;			/* by number, and by the preference's measures */
	uint32		chosen;			/* the feasible solution closest to the
								 * preference, or NO_SOLUTION */
	bool		in_time;		/* all evaluations were made */

	/* of the search only */
	Size		capacity;
	Size		costs_capacity;
	Prng		prng;
	WorkerPool *pool;			/* to be ended after the last search */
	NodeFront  *level_nodes;	/* the efficient ones */
	int64		unvisited;		/* nodes that may be measured for them */
	int64		half_time;		/* when no more are, or 0 */
	Preference	preference;
	int64		requested;		/* evaluations, including repeated ones */
	int			nparents;
	struct Member *parents;		/* sorted by the paper's selection */
	uint64	   *items;			/* of a batch */
	CutResult  *results;
} Nsga2;

extern Nsga2 *nsga2_begin(const Nsga2Settings *settings);

/*
 * Searches under a preference, for a number of evaluations or until the deadline;
 * earlier ones are reused.
 */
extern void nsga2_search(Nsga2 *search, const Preference *preference, int evaluations);

static inline const double *
nsga2_costs(const Nsga2 *search, uint32 number)
{
	return search->costs + (Size) number * search->settings.preference.measures.n;
}

static inline const uint64 *
nsga2_cut(const Nsga2 *search, uint32 number)
{
	return search->known->keys + (Size) number * search->known->nwords;
}

/* The solutions that no other beats in both ach and k, closest first; their number. */
extern uint32 nsga2_front(const Nsga2 *search, uint32 **numbers);

/* ------------------------------------------- how near a front is to another */

typedef struct Quality
{
	double		convergence_error;
	double		representation_ratio;
	double		igd_plus;
	int64		minimal;		/* exact nodes, including duplicates */
	int64		boxes;			/* their boxes that no other dominates */
	int64		measured;		/* nodes of the lattice */
	int			helped;			/* workers that helped */
} Quality;

/* Measures every node, and compares the given ones with the exact ones. */
extern void archive_quality(Population *population, const Promise *promise, const Objectives *objectives, const double *epsilon,
							int nnodes, int *const *levels, int workers, Quality *quality);

/*
 * Measures only the given nodes: the volume they cover up to a reference,
 * given by one value per objective.
 */
extern double nodes_hypervolume(Population *population, const Promise *promise, const Objectives *objectives,
								int nnodes, int *const *levels, const double *reference);

#endif
