/*
 * record_frontier.c
 *	  Finds the least risk by the frontier, if risk is monotone.
 *
 * A record's least risk is found among its feasible nodes that have no
 * feasible generalization directly above: a path up from any feasible node
 * through feasible ones ends at one of them, and the risk never rises on the
 * way.  They are found by visiting every node, once for all records, not by
 * each record's moving from neighbour to neighbour as in record_walk.c.  They
 * depend only on a record's utilities; records with the same utilities at all
 * levels, a profile, share them.  The paper's frontier is larger: of its nodes
 * only one of those directly above need be infeasible.
 *
 * Of several nodes with the least risk the one with the most utility is
 * wanted, and it may lie below these: a lower node with the least risk is
 * reached from one of them, down through nodes with the same risk.  These
 * steps are taken height by height, so that each node's classes are computed
 * at most once more.
 */
#include "record/record_parts.h"

#include <float.h>
#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/key_counter.h"
#include "base/progress.h"

/* Tuples by profile: those of profile p are tuples[start[p]] to tuples[start[p + 1] - 1]. */
typedef struct Profiles
{
	uint32		nprofiles;
	uint32	   *start;
	uint32	   *tuples;
	bool	   *flagged;		/* at the current node */
} Profiles;

/* A node that has a tuple's least risk so far. */
typedef struct LeastRisk
{
	uint32		node;			/* its number; there are few enough for a full
								 * pass */
	uint32		tuple;
	double		risk;
} LeastRisk;

/* The risk of all records of a class, if it was computed at this visit. */
typedef struct ClassRisk
{
	double		risk;
	int64		visit;
} ClassRisk;

typedef struct Frontier
{
	RecordRun  *run;
	double	   *best;			/* by tuple: the answer's risk, if any */
	int64	   *visits;			/* by profile */
	Profiles	profiles;
	Size		nleast;
	Size		capacity;
	LeastRisk  *least;
	int64		node;			/* visited last */

	/* if all records of a class have the same risk */
	const uint32 *classes;		/* by tuple, or NULL */
	ClassRisk  *risks;			/* by class */
	int64		visit;
} Frontier;

/*
 * The number of a leaf's utilities within the attribute; leaves with the same
 * utilities at all levels share a number.
 */
static uint32 *
utility_classes(const RecordRun *run, int a)
{
	const Attribute *attr = &run->population->attrs[a];
	int			nlevels = attr->max_level - attr->min_level + 1;
	KeyCounter *counter = key_counter_create(CurrentMemoryContext, nlevels, 64);
	uint32	   *class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) attr->hierarchy->nleaves + 1));

	for (uint32 leaf = 0; leaf < attr->hierarchy->nleaves; leaf++)
	{
		uint64	   *key = key_counter_candidate(counter);

		for (int i = 0; i < nlevels; i++)
			memcpy(&key[i], &run->model->gain[a][attr->min_level + i][leaf], sizeof(uint64));
		class_of[leaf] = key_counter_add(counter, 1);
	}
	return class_of;
}

static void
make_profiles(const RecordRun *run, Profiles *profiles)
{
	const Population *population = run->population;
	uint32		ntuples = population->tuples->ntuples;
	uint32	   *classes[MAX_ATTRIBUTES];
	KeyCounter *counter = key_counter_create(CurrentMemoryContext, population->nattrs, 64);
	uint32	   *profile_of = population_alloc(population, sizeof(uint32), (Size) ntuples + 1);

	for (int a = 0; a < population->nattrs; a++)
		classes[a] = utility_classes(run, a);
	for (uint32 i = 0; i < ntuples; i++)
	{
		uint64	   *key = key_counter_candidate(counter);

		for (int a = 0; a < population->nattrs; a++)
			key[a] = classes[a][leaves_of(run, i)[a]];
		profile_of[i] = key_counter_add(counter, 1);
	}
	profiles->nprofiles = counter->nkeys;
	profiles->start = population_alloc(population, sizeof(uint32), (Size) counter->nkeys + 1);
	profiles->tuples = population_alloc(population, sizeof(uint32), (Size) ntuples + 1);
	profiles->flagged = population_alloc(population, sizeof(bool), (Size) counter->nkeys + 1);
	group_by_class(profile_of, ntuples, counter->nkeys, NULL, profiles->start, profiles->tuples);
	pfree(profile_of);
}

/* Whether a node is feasible for a record, and none directly above is. */
static bool
is_highest_feasible(const RecordRun *run, const uint32 *leaves, int *levels)
{
	double		bound = run->search->bound;
	bool		highest = true;

	if (!(record_utility(run->model, leaves, levels) >= bound))
		return false;
	for (int a = 0; a < run->population->nattrs && highest; a++)
	{
		if (levels[a] == run->population->attrs[a].max_level)
			continue;
		levels[a]++;
		highest = !(record_utility(run->model, leaves, levels) >= bound);
		levels[a]--;
	}
	return highest;
}

/* Passes over the lattice that take longer do not count what is needed. */
#define MAX_COUNTED 100000000

/*
 * Expects what the whole frontier needs: at worst every node without a feasible
 * generalization directly above has its tuple's least risk, and as many steps
 * lead down from them.  A lattice that takes too long to count is taken to go
 * on as it began.
 */
static void
expect_frontier(const Frontier *frontier)
{
	const RecordRun *run = frontier->run;
	const Profiles *profiles = &frontier->profiles;
	Size		capacity = Max(frontier->capacity, 64);
	double		most = 0;
	int			levels[MAX_ATTRIBUTES];

	if ((double) run->nnodes * profiles->nprofiles > MAX_COUNTED)
		most = (double) frontier->nleast / (frontier->node + 1) * run->nnodes;
	else
		for (int64 node = 0; node < run->nnodes; node++)
		{
			levels_of_node(run, node, levels);
			for (uint32 p = 0; p < profiles->nprofiles; p++)
				if (is_highest_feasible(run, leaves_of(run, profiles->tuples[profiles->start[p]]), levels))
					most += profiles->start[p + 1] - profiles->start[p];
		}
	while (capacity < most)
		capacity *= 2;
	budget_expect_further(run->context, sizeof(LeastRisk) * 3 * capacity);
}

/* Drops nodes whose risk is no longer the least. */
static void
forget_beaten(Frontier *frontier)
{
	Size		kept = 0;

	for (Size i = 0; i < frontier->nleast; i++)
		if (frontier->least[i].risk == answer_of(frontier->run->search, frontier->least[i].tuple)->risk)
			frontier->least[kept++] = frontier->least[i];
	frontier->nleast = kept;
}

/* Stores a node at which a tuple's risk is at most the least so far. */
static void
keep_least(Frontier *frontier, uint32 tuple, int64 node, double risk)
{
	MemoryContext context = frontier->run->context;

	frontier->node = node;
	if (frontier->nleast == frontier->capacity)
	{
		forget_beaten(frontier);
		if (frontier->nleast >= frontier->capacity / 4 * 3)
		{
			if (!budget_allows(context, 2 * sizeof(LeastRisk) * frontier->capacity))
				expect_frontier(frontier);
			frontier->least = budget_grow(context, frontier->least, sizeof(LeastRisk), &frontier->capacity);
		}
	}
	frontier->least[frontier->nleast++] = (LeastRisk)
	{
		node, tuple, risk
	};
}

/* The risk of a tuple at the visited node, computed once for its class. */
static inline double
risk_here(Frontier *frontier, uint32 tuple, const int *levels)
{
	ClassRisk  *class;

	if (frontier->classes == NULL)
		return risk_at(frontier->run, tuple, levels);
	class = &frontier->risks[frontier->classes[tuple]];
	if (class->visit != frontier->visit)
	{
		class->visit = frontier->visit;
		class->risk = risk_at(frontier->run, tuple, levels);
	}
	return class->risk;
}

/* Visits a node for all tuples of the flagged profiles. */
static void
visit_profiles(Frontier *frontier, int64 node, const int *levels)
{
	RecordRun  *run = frontier->run;
	const Profiles *profiles = &frontier->profiles;

	frontier->visit++;
	for (uint32 p = 0; p < profiles->nprofiles; p++)
	{
		if (!profiles->flagged[p])
			continue;
		frontier->visits[p]++;
		for (uint32 i = profiles->start[p]; i < profiles->start[p + 1]; i++)
		{
			uint32		tuple = profiles->tuples[i];
			double		risk = risk_here(frontier, tuple, levels);

			if (risk > frontier->best[tuple])
				continue;
			keep_least(frontier, tuple, node, risk);
			offer_node(run, tuple, levels, risk, record_utility(run->model, leaves_of(run, tuple), levels));
			frontier->best[tuple] = answer_of(run->search, tuple)->risk;
		}
	}
}

static void
visit_highest(Frontier *frontier)
{
	RecordRun  *run = frontier->run;
	const Profiles *profiles = &frontier->profiles;
	int			levels[MAX_ATTRIBUTES];

	for (int64 node = 0; node < run->nnodes && !out_of_time(run); node++)
	{
		bool		any = false;

		levels_of_node(run, node, levels);
		for (uint32 p = 0; p < profiles->nprofiles; p++)
		{
			profiles->flagged[p] = is_highest_feasible(run, leaves_of(run, profiles->tuples[profiles->start[p]]), levels);
			any = any || profiles->flagged[p];
		}
		if (!any)
			continue;
		go_to_node(run, levels);
		run->search->evaluated++;
		progress_update(run->search->evaluated, 0);
		visit_profiles(frontier, node, levels);
	}
	for (uint32 p = 0; p < profiles->nprofiles; p++)
		for (uint32 i = profiles->start[p]; i < profiles->start[p + 1]; i++)
			answer_of(run->search, profiles->tuples[i])->visited += frontier->visits[p];
}

static int
sum_of_levels(const RecordRun *run, int64 node)
{
	int			levels[MAX_ATTRIBUTES];
	int			sum = 0;

	levels_of_node(run, node, levels);
	for (int a = 0; a < run->population->nattrs; a++)
		sum += levels[a];
	return sum;
}

/* Steps to be taken from one height. */
typedef struct Layer
{
	Size		n;
	Size		capacity;
	LeastRisk  *steps;
} Layer;

/*
 * A lower bound of the risk of a node directly below another, which matches no
 * more entries, given the weights shown at both.  With several dictionaries
 * only a mean is known, not the number of matching entries of each, so it is
 * rounded down.  A risk too small for all its digits does not reveal that
 * number at all: any number may match.
 */
static double
least_risk_below(const RecordRun *run, double weight, double risk, double weight_below)
{
	if (risk < DBL_MIN)
		return record_risk(run->model->risk, weight_below, PG_INT64_MAX);
	/* one dictionary: the number of matching entries follows from the risk */
	if (run->nmatches == 1)
		return record_risk(run->model->risk, weight_below, llround((run->model->risk == RISK_IDENTITY ? 1 : weight) / risk));
	if (run->model->risk == RISK_IDENTITY)
		return risk;
	return risk / weight * weight_below * (1 - 1e-12);
}

/*
 * Adds the nodes directly below one with the least risk to the layer below.  A
 * node below matches no more entries; if its weight alone makes its risk
 * exceed the least, it is left out.
 */
static void
step_down(const RecordRun *run, const LeastRisk *from, Layer *below)
{
	const uint32 *leaves = leaves_of(run, from->tuple);
	int			levels[MAX_ATTRIBUTES];
	double		weight;

	levels_of_node(run, from->node, levels);
	weight = record_weight(run->model, from->tuple, leaves, levels);
	for (int a = 0; a < run->population->nattrs; a++)
	{
		LeastRisk	step = *from;

		if (levels[a] == run->population->attrs[a].min_level)
			continue;
		levels[a]--;
		if (least_risk_below(run, weight, from->risk, record_weight(run->model, from->tuple, leaves, levels)) <= from->risk)
		{
			step.node -= run->stride[a];
			if (below->n == below->capacity)
				below->steps = budget_grow(run->context, below->steps, sizeof(LeastRisk), &below->capacity);
			below->steps[below->n++] = step;
		}
		levels[a]++;
	}
}

/* Takes a layer's steps, each once; continues where the risk is still the least. */
static void
take_steps(RecordRun *run, Layer *layer, Layer *below)
{
	int			levels[MAX_ATTRIBUTES];
	int64		at = -1;		/* the node that matches are at */

	qsort(layer->steps, layer->n, sizeof(LeastRisk), compare_uint32_pairs);
	for (Size i = 0; i < layer->n; i++)
	{
		LeastRisk  *step = &layer->steps[i];
		double		risk;

		if (i > 0 && compare_uint32_pairs(step, step - 1) == 0)
			continue;
		if (step->node != at)
		{
			if (out_of_time(run))
				return;
			at = step->node;
			levels_of_node(run, at, levels);
			go_to_node(run, levels);
			run->search->evaluated++;
		}
		answer_of(run->search, step->tuple)->visited++;
		risk = risk_at(run, step->tuple, levels);
		if (risk > step->risk)
			continue;
		offer_node(run, step->tuple, levels, risk, record_utility(run->model, leaves_of(run, step->tuple), levels));
		step_down(run, step, below);
	}
}

/* Searches for more utility at the least risk, from the highest node down. */
static void
descend(Frontier *frontier)
{
	RecordRun  *run = frontier->run;
	int			highest = sum_of_levels(run, run->nnodes - 1);
	Layer	   *layers = palloc0(sizeof(Layer) * (highest + 1));

	for (Size i = 0; i < frontier->nleast; i++)
	{
		int			height = sum_of_levels(run, frontier->least[i].node);

		if (height > 0)
			step_down(run, &frontier->least[i], &layers[height - 1]);
	}
	for (int height = highest; height >= 0; height--)
	{
		take_steps(run, &layers[height], &layers[Max(height - 1, 0)]);
		if (layers[height].steps != NULL)
			pfree(layers[height].steps);
	}
}

void
search_frontier(RecordRun *run)
{
	Frontier	frontier = {.run = run};
	uint32		ntuples = run->population->tuples->ntuples;
	uint32		limit;

	make_profiles(run, &frontier.profiles);
	/* data needed for every tuple at every node are stored close together */
	frontier.best = budget_alloc(sizeof(double), (Size) ntuples + 1);
	for (uint32 i = 0; i < ntuples; i++)
		frontier.best[i] = answer_of(run->search, i)->found ? answer_of(run->search, i)->risk : HUGE_VAL;
	frontier.visits = budget_alloc_zero(sizeof(int64), (Size) frontier.profiles.nprofiles + 1);

	/* without a dictionary and owners, a class has one risk */
	if (run->nmatches == 1 && run->model->owners == NULL)
		frontier.classes = matches_classes(run->matches[0], &limit);
	if (frontier.classes != NULL)
		frontier.risks = budget_alloc_zero(sizeof(ClassRisk), (Size) limit + 1);
	visit_highest(&frontier);
	forget_beaten(&frontier);
	if (run->search->in_time)
		descend(&frontier);
}

static int
compare_nodes_by_height(const void *a, const void *b, void *arg)
{
	const int64 x = *(const int64 *) a;
	const int64 y = *(const int64 *) b;
	int			left = sum_of_levels(arg, x);
	int			right = sum_of_levels(arg, y);

	if (left != right)
		return left > right ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Counts a visit of a node for the tuples that generate it; marks those that expand it. */
static void
visit_generated(RecordRun *run, const int *levels, const uint64 *generated, bool is_top, uint64 *expanded)
{
	const RecordSearch *search = run->search;

	for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
	{
		RecordAnswer *answer = answer_of(search, i);

		if (!is_top && !((generated[i / 64] >> (i % 64)) & 1))
			continue;
		answer->visited++;
		if (record_utility(run->model, leaves_of(run, i), levels) >= search->bound)
			continue;
		if (!answer->found || risk_at(run, i, levels) <= answer->risk)
			expanded[i / 64] |= UINT64CONST(1) << (i % 64);
	}
}

/*
 * A search from the top takes the node with the least risk from its queue, the
 * more general one if equal, until it is feasible; otherwise it adds the nodes
 * directly below to the queue.  So it expands the infeasible nodes whose risk
 * does not exceed the answer's, and visits the top and the nodes directly
 * below those. These nodes are found height by height, for all tuples at once.
 */
void
count_general_first(RecordRun *run)
{
	uint32		ntuples = run->population->tuples->ntuples;
	Size		nwords = ((Size) ntuples + 63) / 64;
	int64	   *nodes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int64) * (run->nnodes + 1));
	uint64	   *generated = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * (nwords + 1));

	/* by node, a bit per tuple */
	uint64	  **expanded = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64 *) * (run->nnodes + 1));
	MemoryContext contexts[2];	/* of the bits of a height, and of that above */
	int64		next;
	int			turn = 0;

	for (int i = 0; i < 2; i++)
		contexts[i] = AllocSetContextCreate(run->context, "anonopt height", ALLOCSET_DEFAULT_SIZES);
	for (int64 i = 0; i < run->nnodes; i++)
		nodes[i] = i;
	qsort_arg(nodes, run->nnodes, sizeof(int64), compare_nodes_by_height, run);
	for (uint32 i = 0; i < ntuples; i++)
		answer_of(run->search, i)->visited = 0;
	for (int64 first = 0; first < run->nnodes && run->search->in_time; first = next)
	{
		int			height = sum_of_levels(run, nodes[first]);

		for (next = first; next < run->nnodes && sum_of_levels(run, nodes[next]) == height; next++)
			;
		MemoryContextReset(contexts[turn]);
		budget_require(run->population->context, sizeof(uint64) * nwords * (next - first));
		for (int64 i = first; i < next && !out_of_time(run); i++)
		{
			int64		node = nodes[i];
			int			levels[MAX_ATTRIBUTES];

			expanded[node] = MemoryContextAllocExtended(contexts[turn], sizeof(uint64) * (nwords + 1),
														MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
			levels_of_node(run, node, levels);
			/* the tuples for which a node directly above has been expanded */
			memset(generated, 0, sizeof(uint64) * nwords);
			for (int a = 0; a < run->population->nattrs; a++)
				for (Size word = 0; word < nwords && levels[a] < run->population->attrs[a].max_level; word++)
					generated[word] |= expanded[node + run->stride[a]][word];
			go_to_node(run, levels);
			run->search->evaluated++;
			progress_update(run->search->evaluated, 0);
			visit_generated(run, levels, generated, first == 0, expanded[node]);
		}
		turn = 1 - turn;
	}
}
