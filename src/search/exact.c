/*
 * exact.c
 *	  The exact front of a lattice, by bounds.
 *
 * Levels are chosen one attribute a depth, from the highest down.  What is
 * chosen so far leaves a box of nodes, from a top where the other attributes
 * stand highest to a bottom where they stand lowest.  A box is left out as a
 * whole, before any of its nodes is measured,
 *
 * - where the front beats the best its nodes could be.  Without a promise k
 *   never falls when a node is generalized: merging classes can only lower
 *   the number of people in classes up to any size, and k is the size at
 *   which that number passes the limit.  So no node of the box has more k
 *   than any measured node above the box's top.  GLM and NWP are least
 *   without suppression, and that loss is a sum over the attributes' levels:
 *   none is below the bottom's (search/level_losses.h).
 *
 * - where a measured node above its top breaks the promise too often.  A
 *   class that has k people keeps them when merged, and one that has l
 *   values keeps those: whoever is suppressed for k or l at a node is so at
 *   every node below.  For t this does not hold (a class near everyone's
 *   distribution may merge with one far from it), so people suppressed for t
 *   alone are not counted.  Of those suppressed for a condition of a column,
 *   as many count as condition.c proves.
 *
 * Any other objective has no bound here.  If one is asked without a promise,
 * every node is measured.  With a promise, k has no bound either: a class
 * that was suppressed may come back as a small one.
 *
 * Highest first, so that all nodes above a box have been decided on before
 * it.  The first nodes measured are those of a dive from the top, whose
 * front then beats many boxes from the start.
 */
#include "search/exact.h"

#include <math.h>

#include "base/progress.h"
#include "engine/known_nodes.h"
#include "engine/lattice.h"
#include "engine/node_walk.h"
#include "miscadmin.h"
#include "search/level_losses.h"
#include "search/node_set.h"
#include "utils/timestamp.h"

/* Boxes between two looks at the clock. */
#define BOXES_A_LOOK 64

typedef struct Bounds
{
	ExactSearch *search;
	Population *population;
	Measurer   *measurer;
	NodeWalk   *node_walk;
	const int  *order;
	bool		bounds_k;
	int			k_place;		/* of k among the objectives; -1 if it is not
								 * asked */
	bool		beatable;		/* every objective has a bound */
	bool		feasibility;	/* what is promised dooms people */
	LevelLosses *losses[OBJECTIVES];	/* of objectives that are sums over
										 * levels */
	KnownNodes *ks;				/* k of measured nodes */
	KnownNodes *broken;			/* measured nodes that break k or l too often */
	NodeSet    *seen;			/* nodes measured before their turn */
	int			levels[MAX_ATTRIBUTES];
	int			bottom[MAX_ATTRIBUTES];
	int			boxes;
} Bounds;

static bool
has_bound(const Bounds *b, Objective objective)
{
	return is_sum_of_levels(objective) || (objective == OBJECTIVE_K && b->bounds_k);
}

/* The least cost, but for k, that a node above another could have. */
static double
least_cost(const Bounds *b, Objective objective, const int *bottom)
{
	return level_losses_sum(b->losses[objective], bottom);
}

/*
 * The most k at which a node that costs so much at least, but for k, is beaten
 * by a member that is better; whether one may be equal, too.
 */
static int64
most_beaten_k(const Bounds *b, const double *costs, bool *tied)
{
	const ExactSearch *search = b->search;
	int64		most = PG_INT64_MIN;

	*tied = false;
	for (int i = 0; i < node_front_size(search->front); i++)
	{
		const double *member = front_costs(search->front->front, i);
		bool		covers = member[b->k_place] < 0;
		bool		better = false;

		for (int j = 0; j < search->nobjectives && covers; j++)
		{
			if (j == b->k_place)
				continue;
			covers = member[j] <= costs[j];
			better = better || member[j] < costs[j];
		}
		if (!covers)
			continue;
		*tied = *tied || !better;
		most = Max(most, (int64) -member[b->k_place] - !better);
	}
	return most;
}

/* Whether the front beats all nodes between two others. */
static bool
front_beats_box(const Bounds *b, const int *top, const int *bottom)
{
	const ExactSearch *search = b->search;
	double		costs[MAX_OBJECTIVES];
	bool		tied = true;

	for (int i = 0; i < search->nobjectives; i++)
		if (i != b->k_place)
			costs[i] = least_cost(b, search->objectives[i], bottom);
	if (b->k_place >= 0)
	{
		int64		most = most_beaten_k(b, costs, &tied);

		if (most > 0 && known_nodes_any_as_low_above(b->ks, top, most))
			return true;
		if (tied)
			costs[b->k_place] = -(double) known_nodes_least_above(b->ks, top);
	}
	return tied && node_front_beats(search->front, costs, bottom);
}

/* Whether no node between two others can be in the front. */
static bool
box_is_out(const Bounds *b, const int *top, const int *bottom)
{
	if (b->feasibility && known_nodes_any_above(b->broken, top))
		return true;
	return b->beatable && node_front_size(b->search->front) > 0 && front_beats_box(b, top, bottom);
}

static void
measure_node(Bounds *b, const int *levels, Measures *measures)
{
	ExactSearch *search = b->search;
	Recodings	node;
	const TupleTable *classes = node_walk_classes(b->node_walk, levels, &node);

	CHECK_FOR_INTERRUPTS();
	measure(b->measurer, node, classes, measures);
	search->evaluated++;
	if (search->evaluated == 1 || measures->suppressed < search->nearest.suppressed)
		search->nearest = *measures;
	if (measures->feasible || !search->feasible_only)
		node_front_offer(search->front, levels, measures);
	/* one that is no tighter than those above it would only be looked through */
	if (b->bounds_k && measures->k < known_nodes_least_above(b->ks, levels))
		known_nodes_add(b->ks, levels, measures->k);
	if (b->feasibility && !measures->feasible &&
		people_doomed(b->measurer, classes) > search->promise.limit)
		known_nodes_add(b->broken, levels, 0);
	progress_update(search->evaluated, node_front_size(search->front));
}

/* Measures a node before its turn; false if that was done before. */
static bool
measure_early(Bounds *b, const int *levels, Measures *measures)
{
	if (nodeset_find(b->seen, levels) != NO_NODE)
		return false;
	nodeset_add(b->seen, levels);
	measure_node(b, levels, measures);
	return true;
}

/* How much a step of the dive gives up of k for what it saves, or what it costs. */
static double
step_cost(const Bounds *b, const Measures *from, const Measures *to)
{
	if (!b->bounds_k)
		return to->feasible ? objective_cost(b->search->objectives[0], to) : HUGE_VAL;
	if (to->nwp >= from->nwp)
		return HUGE_VAL;
	return (log((double) from->k) - log((double) to->k)) / (from->nwp - to->nwp);
}

/* Whether time is up, by the clock. */
static bool
time_is_up(ExactSearch *search)
{
	if (search->in_time && search->deadline != 0 && GetCurrentTimestamp() >= search->deadline)
		search->in_time = false;
	return !search->in_time;
}

/* Whether time is up, with a look at the clock now and then. */
static bool
out_of_time(Bounds *b)
{
	if (b->boxes++ % BOXES_A_LOOK == 0)
		return time_is_up(b->search);
	return !b->search->in_time;
}

/*
 * From the top down along the steps that cost least, measuring each step's
 * alternatives too.
 */
static void
dive(Bounds *b)
{
	const Population *population = b->population;
	int			levels[MAX_ATTRIBUTES];
	Measures	here;

	/* the bottom loses nothing: it beats whatever has no more k */
	measure_early(b, b->bottom, &here);
	memcpy(levels, b->levels, sizeof(levels));
	measure_early(b, levels, &here);
	for (;;)
	{
		double		least = HUGE_VAL;
		int			step = -1;
		Measures	there = {0};

		for (int a = 0; a < population->nattrs; a++)
		{
			Measures	below;

			if (levels[a] == population->attrs[a].min_level)
				continue;
			levels[a]--;
			if (measure_early(b, levels, &below) && step_cost(b, &here, &below) < least)
			{
				least = step_cost(b, &here, &below);
				there = below;
				step = a;
			}
			levels[a]++;
		}
		if (step < 0 || there.k <= 1 || time_is_up(b->search))
			return;
		levels[step]--;
		here = there;
	}
}

/* Searches the box that the depths before have left. */
static void
search_depth(Bounds *b, int depth)
{
	const Population *population = b->population;
	int			a = b->order[depth];
	const Attribute *attr = &population->attrs[a];
	Measures	measures;

	for (int level = attr->max_level; level >= attr->min_level; level--)
	{
		if (out_of_time(b))
			break;
		b->levels[a] = b->bottom[a] = level;
		if (box_is_out(b, b->levels, b->bottom))
			continue;
		if (depth < population->nattrs - 1)
			search_depth(b, depth + 1);
		else if (nodeset_find(b->seen, b->levels) == NO_NODE)
			measure_node(b, b->levels, &measures);
	}
	b->levels[a] = attr->max_level;
	b->bottom[a] = attr->min_level;
}

static void
prepare_bounds(Bounds *b, ExactSearch *search)
{
	Population *population = search->population;

	b->search = search;
	b->population = population;
	b->measurer = measurer_create(population, &search->promise);
	b->feasibility = search->promise.has_k || search->promise.has_l || population->has_conditions ||
		population->outside[OUTSIDE_K_MAP].given;
	b->bounds_k = !promise_given(&search->promise, population);
	b->beatable = true;
	b->k_place = -1;
	for (int i = 0; i < search->nobjectives; i++)
	{
		b->beatable = b->beatable && has_bound(b, search->objectives[i]);
		if (search->objectives[i] == OBJECTIVE_K)
			b->k_place = i;
		if (is_sum_of_levels(search->objectives[i]))
			b->losses[search->objectives[i]] = level_losses_create(population, search->objectives[i]);
	}
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		b->levels[a] = attr->max_level;
		b->bottom[a] = attr->min_level;
	}
	b->seen = nodeset_create(population->context, population);
}

/* Offers every node, for objectives without bounds. */
static bool
offer_visited(void *arg, const int *levels, const Measures *measures)
{
	Bounds	   *b = arg;

	if (out_of_time(b))
		return false;
	b->search->evaluated++;
	node_front_offer(b->search->front, levels, measures);
	progress_update(b->search->evaluated, node_front_size(b->search->front));
	return true;
}

void
exact_search(ExactSearch *search)
{
	Population *population = search->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Bounds	   *b = palloc0(sizeof(Bounds));

	search->front = node_front_create(population->context, search->nobjectives, search->objectives, population->nattrs);
	search->evaluated = 0;
	search->in_time = true;
	prepare_bounds(b, search);
	if (!b->beatable && !b->feasibility && !search->feasible_only)
		search->helped = lattice_measure(population, &search->promise, search->workers, offer_visited, b);
	else
	{
		b->node_walk = node_walk_create(population, MOST_LEVELS_FIRST);
		b->order = node_walk_order(b->node_walk);
		b->ks = known_nodes_create(population, population->context);
		b->broken = known_nodes_create(population, population->context);
		if (b->beatable)
			dive(b);
		search_depth(b, 0);
		node_walk_free(b->node_walk);
	}
	node_front_sort(search->front);
	MemoryContextSwitchTo(old);
}
