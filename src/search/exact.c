/*
 * exact.c
 *	  The exact front of a lattice, by bounds.
 *
 * Levels are chosen one attribute per depth, from the highest down.  The
 * levels chosen so far define a box of nodes, from a top where the other
 * attributes are at their highest levels to a bottom where they are at their
 * lowest.  A box is skipped as a whole, before any of its nodes is measured,
 *
 * - if the front beats the best its nodes could be.  Without a promise k never
 *   decreases when a node is generalized: merging classes can only reduce the
 *   number of people in classes up to any size, and k is the size at which
 *   that number exceeds the limit.  So the k of every node in the box is at
 *   most that of any measured node above the box's top.  GLM and NWP are least
 *   without suppression, and then they are a sum over the attributes' levels,
 *   which is least at the bottom (search/lower_bounds.h).
 *
 * - if a measured node above its top breaks the promise too often.  Merging
 *   classes reduces neither the number of people nor the number of values, so
 *   people suppressed for k or l at a node are suppressed at every node below.
 *   This does not hold for t (a class close to everyone's distribution may
 *   merge with one far from it): for a class that is too far, as many people
 *   count as box_table.c proves, and for one that breaks a condition on a
 *   column, as many as histogram.c proves.
 *
 * Other objectives have no bound here.  If one is requested without a promise,
 * every node is measured.  With a promise, k has no bound either: a class that
 * was suppressed may reappear as part of a small one.
 *
 * The search goes from the highest node down, so that all nodes above a box
 * have been decided on before it.  The first nodes measured are those of a
 * dive from the top, whose front then beats many boxes from the start.
 *
 * A long search is divided into parts, boxes in which the first attributes'
 * levels are chosen.  Any free process takes the next part, and all processes
 * share the nodes they measure.  Nodes above help to decide on nodes below, so
 * parts are taken in order: a short round ends for all processes at once, and
 * the parts in which it ended are split, which keeps the processes close to
 * each other.
 */
#include "search/searches.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "miscadmin.h"
#include "search/lower_bounds.h"
#include "search/shared_nodes.h"

/* Boxes between two checks of the clock. */
#define BOXES_A_LOOK 64

/* Microseconds between two checks whether workers would pay off. */
#define LOOK_TIME 4000

/* Microseconds of a round. */
#define ROUND_TIME 10000

/* The fewest parts to have, and the most to hand out in a round, per process. */
#define PARTS_A_PROCESS 4
#define MOST_PARTS_A_PROCESS 32

/*
 * A part of a lattice: the levels of the first depths, and where its search
 * continues.
 */
typedef struct Part
{
	int			depth;			/* number of depths chosen */
	bool		resumes;		/* from all of the levels */
	bool		unfinished;		/* a round has ended in it */
	bool		leads;			/* its search continues a little even after
								 * the round's end */
	TimestampTz until;			/* when the round ends */
	int			levels[MAX_ATTRIBUTES];
} Part;

/* The rest of a part. */
typedef struct PartResult
{
	bool		begun;
	bool		done;
	int			levels[MAX_ATTRIBUTES]; /* where it goes on */
} PartResult;

typedef struct Bounds
{
	ExactSearch *search;
	Population *population;
	Measurer   *measurer;
	NodeWalk   *node_walk;
	const int  *order;
	bool		bounds_k;
	int			k_place;		/* position of k among the objectives, or -1 */
	bool		beatable;		/* every objective has a bound */
	bool		feasibility;	/* the promise suppresses people at all nodes
								 * below */
	LevelLosses *losses[OBJECTIVES];	/* for objectives that are sums over
										 * levels */
	KnownNodes *ks;				/* k of measured nodes */
	KnownNodes *broken;			/* of measured nodes that break k or l too
								 * often */
	NodeSet    *seen;			/* of nodes measured before their turn */
	int			levels[MAX_ATTRIBUTES];
	int			bottom[MAX_ATTRIBUTES];
	int			boxes;

	/* where a search stopped and continues */
	TimestampTz begun;			/* set while workers may be started */
	TimestampTz until;			/* when it returns the rest, or 0 */
	bool		advanced;		/* since it began or continued */
	bool		looks;			/* check the clock at the next box */
	bool		stopped;
	bool		resuming;
	int			resume[MAX_ATTRIBUTES];

	/* shared with others */
	int			nfirst;
	ToldNode   *first;			/* nodes measured before there were workers */
	SharedNodes *shared;		/* NULL while there are none */
	uint32		round;
	uint32		nlearnt;
} Bounds;

/* Data for processes that search parts. */
typedef struct PartsOrder
{
	ExactSearch search;			/* without what points into a process */
	Bounds	   *own;			/* only used by the process that began */
	SharedNodes shared;
} PartsOrder;

/*
 * The largest k at which a node with these lower bounds of costs, except for
 * k, is beaten by a member that is better; says also whether one may be equal.
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

		for (int j = 0; j < search->objectives.n && covers; j++)
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

	for (int i = 0; i < search->objectives.n; i++)
		if (i != b->k_place)
			costs[i] = level_losses_sum(b->losses[search->objectives.of[i]], bottom);
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

/* Stores a measured node and what follows from it. */
static void
take_over(Bounds *b, const ToldNode *told)
{
	ExactSearch *search = b->search;
	const Measures *measures = &told->measures;
	const int  *levels = told->levels;

	if (search->evaluated == 0 || measures->suppressed < search->nearest.suppressed)
		search->nearest = *measures;
	search->evaluated++;
	if (measures->feasible || !search->feasible_only)
		node_front_offer(search->front, levels, measures);
	/* a bound no tighter than those above it would only make lookups slower */
	if (b->bounds_k && measures->k < known_nodes_least_above(b->ks, levels))
		known_nodes_add(b->ks, levels, measures->k);
	if (told->broken && !known_nodes_any_above(b->broken, levels))
		known_nodes_add(b->broken, levels, 0);
	if (!IsParallelWorker())
		progress_update(search->evaluated, node_front_size(search->front));
}

/* Measures a node; returns false if there is no place to share it. */
static bool
measure_node(Bounds *b, const int *levels, Measures *measures)
{
	ToldNode	told = {0};
	Recodings	node;
	const TupleTable *classes;
	uint32		place;

	CHECK_FOR_INTERRUPTS();
	if (b->shared != NULL && !shared_nodes_take(b->shared, &place))
		return false;
	classes = node_walk_classes(b->node_walk, levels, &node);
	measure(b->measurer, node, classes, &told.measures);
	*measures = told.measures;
	told.broken = b->feasibility && !measures->feasible &&
		people_doomed(b->measurer, classes) > b->search->promise.limit;
	memcpy(told.levels, levels, sizeof(int) * b->population->nattrs);
	b->advanced = b->looks = true;
	if (b->shared != NULL)
		shared_nodes_tell(b->shared, place, &told);
	else
	{
		if (b->nfirst < SHARED_NODES / 2)
			b->first[b->nfirst++] = told;
		take_over(b, &told);
	}
	return true;
}

/* Measures a node before its turn; returns false if that was done already. */
static bool
measure_early(Bounds *b, const int *levels, Measures *measures)
{
	if (nodeset_find(b->seen, levels) != NO_NODE)
		return false;
	nodeset_add(b->seen, levels);
	return measure_node(b, levels, measures);
}

/* Takes over the nodes shared since the last time, including this process's. */
static void
learn(Bounds *b)
{
	const ToldNode *told;

	if (b->shared == NULL)
		return;
	if (b->round != b->shared->round)
		b->nlearnt = 0;
	b->round = b->shared->round;
	for (; (told = shared_nodes_at(b->shared, b->nlearnt)) != NULL; b->nlearnt++)
	{
		if (b->nlearnt < b->shared->nknown)
			nodeset_add(b->seen, told->levels);
		take_over(b, told);
	}
}

/* How much k a step of the dive gives up for the loss it saves, or its loss. */
static double
step_cost(const Bounds *b, const Measures *from, const Measures *to)
{
	if (!b->bounds_k)
		return to->feasible ? objective_cost(b->search->objectives.of[0], to) : HUGE_VAL;
	if (to->nwp >= from->nwp)
		return HUGE_VAL;
	return (log((double) from->k) - log((double) to->k)) / (from->nwp - to->nwp);
}

/* The share of the lattice before the current box. */
static double
share_passed(const Bounds *b)
{
	double		passed = 0;
	double		width = 1;

	for (int depth = 0; depth < b->population->nattrs; depth++)
	{
		int			a = b->order[depth];
		const Attribute *attr = &b->population->attrs[a];

		width /= attr->max_level - attr->min_level + 1;
		passed += width * (attr->max_level - b->levels[a]);
	}
	return passed;
}

/*
 * Whether it is time to stop: at the end of a round or, before there are
 * workers, if enough seems left to do for them to pay off.
 */
static bool
is_over(Bounds *b)
{
	TimestampTz now = GetCurrentTimestamp();
	double		passed;

	if (now < b->until)
		return false;
	if (b->begun == 0)
		return true;
	passed = share_passed(b);
	if ((now - b->begun) * (1 - passed) > 1000 * WORTH_WORKERS * passed)
		return true;
	b->until = now + LOOK_TIME;
	return false;
}

/*
 * Whether a search has to stop before the current box; checks the clock now
 * and then.
 */
static bool
must_stop(Bounds *b)
{
	if (b->stopped)
		return true;
	if (b->boxes++ % BOXES_A_LOOK != 0 && !b->looks)
		return false;
	b->looks = false;
	learn(b);
	b->stopped = time_is_up(b->search->deadline, &b->search->in_time) ||
		(b->until != 0 && b->advanced && is_over(b));
	/* keep the position to continue from until it is reached again */
	if (b->stopped && !b->resuming)
		memcpy(b->resume, b->levels, sizeof(b->resume));
	return b->stopped;
}

/*
 * Descends from the top along the cheapest steps, measuring each step's
 * alternatives as well.
 */
static void
dive(Bounds *b)
{
	const Population *population = b->population;
	int			levels[MAX_ATTRIBUTES];
	Measures	here;

	/* the bottom loses nothing, so it beats every node with at most its k */
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
		if (step < 0 || there.k <= 1 || time_is_up(b->search->deadline, &b->search->in_time))
			return;
		levels[step]--;
		here = there;
	}
}

/* Searches the box left by the previous depths, or the rest of it. */
static void
search_depth(Bounds *b, int depth)
{
	const Population *population = b->population;
	int			a = b->order[depth];
	const Attribute *attr = &population->attrs[a];
	Measures	measures;

	for (int level = b->resuming ? b->resume[a] : attr->max_level; level >= attr->min_level; level--)
	{
		b->levels[a] = b->bottom[a] = level;
		if (must_stop(b))
			break;
		if (box_is_out(b, b->levels, b->bottom))
		{
			b->resuming = false;
			b->advanced = true;
		}
		else if (depth < population->nattrs - 1)
			search_depth(b, depth + 1);
		else
		{
			/*
			 * measure the current node in its turn; stop if that is not
			 * possible
			 */
			b->resuming = false;
			if (nodeset_find(b->seen, b->levels) == NO_NODE && !measure_node(b, b->levels, &measures))
			{
				b->stopped = true;
				memcpy(b->resume, b->levels, sizeof(b->resume));
			}
		}
		if (b->stopped)
			break;
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
	b->feasibility = search->promise.k > 0 || population->has_conditions || population_least_outside(population) != NULL ||
		population->nknown > 0;
	b->bounds_k = !promise_given(&search->promise, population);
	b->beatable = true;
	b->k_place = -1;
	for (int i = 0; i < search->objectives.n; i++)
	{
		if (search->objectives.of[i] == OBJECTIVE_K)
			b->k_place = i;
		if (is_sum_of_levels(search->objectives.of[i]))
			b->losses[search->objectives.of[i]] = level_losses_create(population, search->objectives.of[i]);
		else
			b->beatable = b->beatable && search->objectives.of[i] == OBJECTIVE_K && b->bounds_k;
	}
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		b->levels[a] = attr->max_level;
		b->bottom[a] = attr->min_level;
	}
	search->front = node_front_create(population->context, &search->objectives, population->nattrs);
	search->evaluated = 0;
	search->in_time = true;
}

/* Sets up the state of a search by bounds. */
static void
prepare_search(Bounds *b)
{
	Population *population = b->population;

	b->seen = nodeset_create(population->context, population);
	b->node_walk = node_walk_create(population, MOST_LEVELS_FIRST);
	b->order = node_walk_order(b->node_walk);
	b->ks = known_nodes_create(population, population->context);
	b->broken = known_nodes_create(population, population->context);
	b->first = palloc(sizeof(ToldNode) * SHARED_NODES / 2);
}

/* ------------------------------------------------------------------ parts */

/* Chooses a part's levels; the others range from their highest to their lowest. */
static void
choose_levels(Bounds *b, const Part *part)
{
	memcpy(b->resume, part->levels, sizeof(b->resume));
	for (int depth = 0; depth < b->population->nattrs; depth++)
	{
		int			a = b->order[depth];
		const Attribute *attr = &b->population->attrs[a];

		b->levels[a] = depth < part->depth ? part->levels[a] : attr->max_level;
		b->bottom[a] = depth < part->depth ? part->levels[a] : attr->min_level;
	}
}

static void *
begin_parts(Population *population, const void *argument)
{
	PartsOrder *order = unconstify(void *, argument);
	ExactSearch *search;
	Bounds	   *b;

	if (!IsParallelWorker())
		return order->own;
	search = palloc(sizeof(ExactSearch));
	b = palloc0(sizeof(Bounds));
	*search = order->search;
	search->population = population;
	prepare_bounds(b, search);
	prepare_search(b);
	b->shared = &order->shared;
	return b;
}

/* Searches a part until it is done or the round ends. */
static void
search_part(void *state, const void *item, void *result)
{
	Bounds	   *b = state;
	const Part *part = item;
	PartResult *told = result;

	told->begun = told->done = false;
	if (!part->leads && GetCurrentTimestamp() >= part->until)
		return;
	learn(b);
	choose_levels(b, part);
	b->resuming = part->resumes;
	b->stopped = b->advanced = false;
	b->until = part->until;
	if (part->resumes || !box_is_out(b, b->levels, b->bottom))
		search_depth(b, part->depth);
	told->begun = b->advanced;
	told->done = !b->stopped;
	memcpy(told->levels, b->resume, sizeof(told->levels));
}

const PoolWork search_parts_work = {"search parts", begin_parts, search_part};

/* The remaining parts, in order. */
typedef struct Parts
{
	int			n;
	Size		capacity;
	Part	   *parts;
} Parts;

static Part *
insert_part(Bounds *b, Parts *parts, int place)
{
	if (parts->n == parts->capacity)
		parts->parts = budget_grow(b->population->context, parts->parts, sizeof(Part), &parts->capacity);
	memmove(parts->parts + place + 1, parts->parts + place, sizeof(Part) * (parts->n - place));
	parts->n++;
	return &parts->parts[place];
}

/* Splits a part at its next depth; the piece to resume comes first. */
static void
part_further(Bounds *b, Parts *parts, int place)
{
	Part		whole = parts->parts[place];
	int			a = b->order[whole.depth];
	const Attribute *attr = &b->population->attrs[a];
	int			highest = whole.resumes ? whole.levels[a] : attr->max_level;

	parts->n--;
	memmove(parts->parts + place, parts->parts + place + 1, sizeof(Part) * (parts->n - place));
	for (int level = highest; level >= attr->min_level; level--)
	{
		Part		part = whole;

		part.depth++;
		part.unfinished = false;
		part.levels[a] = level;
		part.resumes = whole.resumes && level == highest;
		choose_levels(b, &part);
		if (part.resumes || !box_is_out(b, b->levels, b->bottom))
			*insert_part(b, parts, place++) = part;
	}
}

/* Splits the largest parts until there are enough. */
static void
make_enough(Bounds *b, Parts *parts, int wanted)
{
	while (parts->n > 0 && parts->n < wanted)
	{
		int			largest = 0;

		for (int i = 1; i < parts->n; i++)
			if (parts->parts[i].depth < parts->parts[largest].depth)
				largest = i;
		if (parts->parts[largest].depth >= b->population->nattrs - 1)
			return;
		part_further(b, parts, largest);
	}
}

/* Keeps the rest of the first parts, which were handed out. */
static void
keep_rest(Parts *parts, int nitems, const PartResult *results)
{
	int			kept = 0;

	for (int i = 0; i < parts->n; i++)
	{
		Part		part = parts->parts[i];

		if (i < nitems && results[i].done)
			continue;
		if (i < nitems && results[i].begun)
		{
			part.resumes = part.unfinished = true;
			memcpy(part.levels, results[i].levels, sizeof(part.levels));
		}
		parts->parts[kept++] = part;
	}
	parts->n = kept;
}

/* Searches the first parts for a round. */
static void
search_round(Bounds *b, Parts *parts, WorkerPool *pool, int most_items, PartResult *results)
{
	int			nitems = Min(parts->n, most_items);
	TimestampTz until = GetCurrentTimestamp() + ROUND_TIME;

	for (int i = 0; i < nitems; i++)
	{
		parts->parts[i].leads = i == 0;
		parts->parts[i].until = until;
	}
	worker_pool_do(pool, nitems, parts->parts, results);
	keep_rest(parts, nitems, results);
	learn(b);
	/* split the parts in which the round ended */
	for (int i = parts->n - 1; i >= 0; i--)
		if (parts->parts[i].unfinished && parts->parts[i].depth < b->population->nattrs - 1)
			part_further(b, parts, i);
}

/* Makes room to share more nodes; those in the front stay. */
static void
tell_anew(Bounds *b)
{
	const NodeFront *front = b->search->front;
	uint32		n = Min(node_front_size(front), SHARED_NODES / 2);

	for (uint32 i = 0; i < n; i++)
	{
		const MeasuredNode *node = &node_front_nodes(front)[i];

		memset(&b->first[i], 0, sizeof(ToldNode));
		b->first[i].measures = node->measures;
		memcpy(b->first[i].levels, node->levels, sizeof(int) * b->population->nattrs);
	}
	shared_nodes_begin(b->shared, b->first, n);
	b->round = b->shared->round;
	b->nlearnt = b->shared->nknown;
}

/* Continues with workers where this process stopped. */
static void
search_together(Bounds *b)
{
	ExactSearch *search = b->search;
	int			most_items = MOST_PARTS_A_PROCESS * (search->workers + 1);
	PartsOrder *argument = palloc0(sizeof(PartsOrder));
	PoolOrder	order = {
		.work = &search_parts_work,
		.population = b->population,
		.argument = argument,
		.argument_size = sizeof(PartsOrder),
		.item_size = sizeof(Part),
		.result_size = sizeof(PartResult),
		.most_items = most_items
	};
	PartResult *results = palloc0(sizeof(PartResult) * most_items);
	Parts		parts = {0};
	Part	   *rest = insert_part(b, &parts, 0);
	WorkerPool *pool;

	argument->search = *search;
	argument->own = b;
	shared_nodes_begin(&argument->shared, b->first, b->nfirst);
	memset(rest, 0, sizeof(Part));
	rest->resumes = true;
	memcpy(rest->levels, b->resume, sizeof(rest->levels));
	pool = worker_pool_begin(&order, search->workers);
	b->shared = &((PartsOrder *) worker_pool_argument(pool))->shared;
	b->round = b->shared->round;
	b->nlearnt = b->shared->nknown;
	while (parts.n > 0 && !time_is_up(search->deadline, &search->in_time))
	{
		make_enough(b, &parts, PARTS_A_PROCESS * (search->workers + 1));
		search_round(b, &parts, pool, most_items, results);
		if (b->nlearnt > SHARED_NODES * 3 / 4)
			tell_anew(b);
	}
	search->helped = worker_pool_end(pool);
}

/* Offers every node, for objectives without bounds. */
static bool
offer_visited(void *arg, const int *levels, const Measures *measures)
{
	ExactSearch *search = ((Bounds *) arg)->search;

	if (search->evaluated == 0 || measures->suppressed < search->nearest.suppressed)
		search->nearest = *measures;
	search->evaluated++;
	if (measures->feasible || !search->feasible_only)
		node_front_offer(search->front, levels, measures);
	progress_update(search->evaluated, node_front_size(search->front));
	return !time_is_up(search->deadline, &search->in_time);
}

/* Searches alone for a while, then with others. */
static void
search_by_bounds(Bounds *b)
{
	ExactSearch *search = b->search;

	prepare_search(b);
	if (b->beatable)
		dive(b);
	if (search->workers > 0)
	{
		b->begun = GetCurrentTimestamp();
		b->until = b->begun + LOOK_TIME;
	}
	search_depth(b, 0);
	b->begun = 0;
	if (b->stopped && search->in_time)
		search_together(b);
	node_walk_free(b->node_walk);
}

void
exact_search(ExactSearch *search)
{
	Population *population = search->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Bounds	   *b = palloc0(sizeof(Bounds));

	prepare_bounds(b, search);
	if (b->beatable || b->feasibility)
		search_by_bounds(b);
	else
	{
		search->helped = lattice_measure(population, &search->promise, search->workers, search->deadline, offer_visited, b);
		search->in_time = search->evaluated == lattice_nodes(population);
	}
	node_front_sort(search->front);
	MemoryContextSwitchTo(old);
}
