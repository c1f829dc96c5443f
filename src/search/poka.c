/*
 * poka.c
 *	  POkA: Pareto-optimal k-anonymous nodes by depth and height search.
 *
 * The algorithm of Dewri, Ray, Ray and Whitley.  From a base node, initially
 * the top, a depth search descends through its specializations to ground nodes
 * at a fixed distance (or where a path ends earlier).  A height search climbs
 * from each ground node through all generalizations, and ends where k or the
 * loss reaches the base's.  Among the nodes with less k and less loss than the
 * base, the one with the most k and then the least loss is the next base, the
 * next step of the front.  Nodes below the base are skipped unless they are
 * directly below it: their k cannot exceed that of a node directly below it.
 *
 * The search is a heuristic: it can miss nodes deeper below the base than the
 * ground.  If it finds nothing, for instance because the loss is constant
 * around the base, it searches once more and measures the nodes it skipped.
 *
 * A node skipped may have as much k as the one found above it, and less loss.
 * The paper takes its k to be less, so the node found is then dominated.  A
 * repair moves on to the one with the least loss among the nodes below that
 * have as much k, and that are reached through such nodes: without a promise
 * these are all, since k never increases on a path down.
 *
 * A node where the climb must end need not be measured: without a promise k
 * never decreases when a node is generalized, and a loss that is a sum over
 * levels is at least the sum.  Whether a climb ends depends only on nodes
 * below, so the nodes of a height are measured together, by workers if that pays.
 */
#include "search/searches.h"

#include "base/budget.h"
#include "base/progress.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "search/lower_bounds.h"
#include "search/shared_nodes.h"

/* The most nodes measured together. */
#define BATCH 256

typedef struct Poka
{
	PokaSearch *search;
	Population *population;
	MeasuredSet *measured;		/* every node measured so far */
	bool		called;			/* for workers */
	double		measured_ms;
	bool		bounds_k;		/* nothing is promised, and bounds are wanted */
	KnownNodes *enough;			/* nodes with at least the base's k */
	LevelLosses *losses;		/* if the loss is a sum over levels, else NULL */
	int			top[MAX_ATTRIBUTES];
	int		   *base;
	Measures	base_measures;
	MemoryContext context;		/* of one depth search */
} Poka;

/*
 * Measures the gathered nodes; each node is measured once in a run.  Workers
 * are started once that pays off.
 */
static void
measure_gathered(Poka *p)
{
	PokaSearch *search = p->search;
	MeasuredSet *measured = p->measured;
	instr_time	begun;
	instr_time	took;
	int			levels[MAX_ATTRIBUTES];

	if (nodeset_size(measured->nodes) == measured->nmeasured)
		return;
	CHECK_FOR_INTERRUPTS();
	if (!p->called && search->workers > 0 && p->measured_ms >= WORTH_WORKERS)
	{
		p->called = true;
		worker_pool_call(measured->pool, &measured->order, search->workers);
	}
	INSTR_TIME_SET_CURRENT(begun);
	measured_set_complete(measured);
	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, begun);
	p->measured_ms += INSTR_TIME_GET_MILLISEC(took);
	for (; search->evaluated < measured->nmeasured; search->evaluated++)
	{
		if (!p->bounds_k || measured->measures[search->evaluated].k < p->base_measures.k)
			continue;
		nodeset_levels(measured->nodes, search->evaluated, levels);
		if (!known_nodes_any_below(p->enough, levels))
			known_nodes_add(p->enough, levels, 0);
	}
	progress_update(search->evaluated, search->nfound);
}

/* Gathers a node to be measured, unless it is already; returns its number. */
static uint32
gather(Poka *p, const int *levels)
{
	uint32		number = nodeset_add(p->measured->nodes, levels);

	if (nodeset_size(p->measured->nodes) - p->measured->nmeasured == BATCH)
		measure_gathered(p);
	return number;
}

static double
loss_of(const Poka *p, const Measures *measures)
{
	return objective_cost(p->search->loss, measures);
}

static int
height_of(const Poka *p, const int *levels)
{
	int			height = 0;

	for (int a = 0; a < p->population->nattrs; a++)
		height += levels[a];
	return height;
}

/* What a climb does at a node that it does not measure. */
#define ENDS NO_NODE
#define PASSES (NO_NODE - 1)

/* Gathers a node if a climb needs its measures; returns its number, or what the climb does there. */
static uint32
look_at(Poka *p, const int *levels, bool pass_over)
{
	int			distance = 0;
	bool		is_below = true;

	for (int a = 0; a < p->population->nattrs; a++)
	{
		is_below = is_below && levels[a] <= p->base[a];
		distance += p->base[a] - levels[a];
	}
	if (is_below && distance == 0)
		return ENDS;
	if (is_below && distance >= 2 && pass_over)
		return PASSES;
	if (p->losses != NULL && level_losses_sum(p->losses, levels) >= loss_of(p, &p->base_measures))
		return ENDS;
	return known_nodes_any_below(p->enough, levels) ? ENDS : gather(p, levels);
}

/* The nodes at which a climb has arrived. */
typedef struct Climb
{
	bool		pass_over;		/* nodes far below the base */
	NodeSet   **layers;			/* by height, in order of arrival */
	bool		found;			/* candidate for the next base */
	int			levels[MAX_ATTRIBUTES];
	MeasuredNode best;
} Climb;

/* Begins at the ground nodes of the base: at a distance, or where paths end earlier. */
static void
depth_search(const Poka *p, Climb *climb)
{
	NodeSet    *here = nodeset_create(p->context, p->population);
	int			levels[MAX_ATTRIBUTES];

	nodeset_add(here, p->base);
	for (int distance = 0; nodeset_size(here) > 0; distance++)
	{
		NodeSet    *below = nodeset_create(p->context, p->population);

		for (uint32 i = 0; i < nodeset_size(here); i++)
		{
			bool		ends = true;

			nodeset_levels(here, i, levels);
			for (int a = 0; a < p->population->nattrs && distance < p->search->depth; a++)
			{
				if (levels[a] == p->population->attrs[a].min_level)
					continue;
				ends = false;
				levels[a]--;
				nodeset_add(below, levels);
				levels[a]++;
			}
			if (ends)
				nodeset_add(climb->layers[height_of(p, levels)], levels);
		}
		here = below;
	}
}

/* Whether the climb continues from a measured node; keeps the best one so far. */
static bool
judge(const Poka *p, Climb *climb, const int *levels, uint32 number)
{
	const Measures measures = p->measured->measures[number];
	const Measures *best = &climb->best.measures;
	double		loss = loss_of(p, &measures);

	if (measures.k >= p->base_measures.k || loss >= loss_of(p, &p->base_measures))
		return false;
	if (!climb->found || measures.k > best->k || (measures.k == best->k && loss < loss_of(p, best)) ||
		(measures.k == best->k && loss == loss_of(p, best) && compare_levels(levels, climb->levels, p->population->nattrs) < 0))
	{
		climb->found = true;
		memcpy(climb->levels, levels, sizeof(int) * p->population->nattrs);
		climb->best.levels = climb->levels;
		climb->best.measures = measures;
	}
	return true;
}

/* Visits the nodes of one height, which are measured together. */
static void
climb_layer(Poka *p, Climb *climb, int height)
{
	const NodeSet *layer = climb->layers[height];
	uint32	   *looks = palloc(sizeof(uint32) * (nodeset_size(layer) + 1));
	int			levels[MAX_ATTRIBUTES];

	for (uint32 i = 0; i < nodeset_size(layer); i++)
	{
		nodeset_levels(layer, i, levels);
		looks[i] = look_at(p, levels, climb->pass_over);
	}
	measure_gathered(p);
	for (uint32 i = 0; i < nodeset_size(layer); i++)
	{
		nodeset_levels(layer, i, levels);
		if (looks[i] == ENDS || (looks[i] != PASSES && !judge(p, climb, levels, looks[i])))
			continue;
		for (int a = 0; a < p->population->nattrs; a++)
		{
			if (levels[a] == p->population->attrs[a].max_level)
				continue;
			levels[a]++;
			nodeset_add(climb->layers[height + 1], levels);
			levels[a]--;
		}
	}
	pfree(looks);
}

/* Replaces the node found by the one with the least loss below it that has as much k. */
static void
repair(Poka *p, Climb *climb)
{
	NodeSet    *alike = nodeset_create(p->context, p->population);
	int64		k = climb->best.measures.k;
	int			levels[MAX_ATTRIBUTES];

	nodeset_add(alike, climb->levels);
	for (uint32 i = 0; i < nodeset_size(alike); i++)
	{
		CHECK_FOR_INTERRUPTS();
		nodeset_levels(alike, i, levels);
		for (int a = 0; a < p->population->nattrs; a++)
		{
			uint32		number;

			if (levels[a] == p->population->attrs[a].min_level)
				continue;
			levels[a]--;
			number = gather(p, levels);
			measure_gathered(p);
			judge(p, climb, levels, number);
			if (p->measured->measures[number].k == k)
				nodeset_add(alike, levels);
			levels[a]++;
		}
	}
}

/* Makes a node the base, and the next node of the result. */
static void
move_base(Poka *p, const int *levels)
{
	PokaSearch *search = p->search;
	MemoryContext context = p->population->context;
	Size		size = sizeof(int) * p->population->nattrs;
	uint32		number;

	if (search->nfound == search->capacity)
		search->found = budget_grow(context, search->found, sizeof(MeasuredNode), &search->capacity);
	number = gather(p, levels);
	measure_gathered(p);
	p->base_measures = p->measured->measures[number];
	p->base = MemoryContextAlloc(context, size);
	memcpy(p->base, levels, size);
	search->found[search->nfound].levels = p->base;
	search->found[search->nfound++].measures = p->base_measures;
}

/*
 * Moves the base to the next step of the front; returns false if there is none.
 * Where a climb from the ground nodes ends depends only on its nodes, so they
 * can be visited in any order, here height by height.
 */
static bool
next_base(Poka *p)
{
	MemoryContext old = MemoryContextSwitchTo(p->context);
	int			top = height_of(p, p->top);
	Climb		climb = {.layers = palloc(sizeof(NodeSet *) * (top + 2))};

	for (int round = 0; round < 2 && !climb.found; round++)
	{
		climb.pass_over = round == 0;
		for (int height = 0; height <= top + 1; height++)
			climb.layers[height] = nodeset_create(p->context, p->population);
		depth_search(p, &climb);
		for (int height = 0; height <= top; height++)
			climb_layer(p, &climb, height);
	}
	if (climb.found && p->search->repair)
		repair(p, &climb);
	MemoryContextSwitchTo(old);
	MemoryContextReset(p->context);
	if (climb.found)
		move_base(p, climb.levels);
	return climb.found;
}

void
poka_search(PokaSearch *search)
{
	Population *population = search->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Poka		p = {.search = search,.population = population};

	p.context = AllocSetContextCreate(population->context, "anonopt depth search", ALLOCSET_DEFAULT_SIZES);
	p.measured = measured_set_create(population, &search->promise, BATCH, 0, 0);
	p.bounds_k = search->bounds && !promise_given(&search->promise, population);
	p.enough = known_nodes_create(population, population->context);
	if (search->bounds && is_sum_of_levels(search->loss))
		p.losses = level_losses_create(population, search->loss);
	top_levels(population, p.top);
	move_base(&p, search->start != NULL ? search->start : p.top);
	while (p.base_measures.k > 2 && next_base(&p))
		;
	search->helped = worker_pool_end(p.measured->pool);
	MemoryContextSwitchTo(old);
}
