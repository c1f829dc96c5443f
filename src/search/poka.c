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
 * A node where the climb must end need not be measured: without a promise k
 * never decreases when a node is generalized, and a loss that is a sum over
 * levels is at least the sum.  Whether a climb ends depends only on nodes
 * below, so the nodes of one height are measured together, by workers if it
 * takes long.
 */
#include "search/searches.h"

#include "base/budget.h"
#include "base/progress.h"
#include "engine/known_nodes.h"
#include "engine/lattice.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "search/lower_bounds.h"
#include "search/shared_nodes.h"

/* The most nodes measured together. */
#define BATCH 256

/* Milliseconds of measuring after which workers are started. */
#define WORTH_WORKERS 20.0

typedef struct Poka
{
	PokaSearch *search;
	Population *population;
	WorkerPool *pool;
	bool		called;			/* for workers */
	double		measured_ms;
	NodeSet    *known;			/* every node measured so far */
	Size		capacity;
	Measures   *measures;		/* by number in known */
	bool		bounds_k;		/* nothing is promised */
	KnownNodes *enough;			/* nodes with at least the base's k */
	LevelLosses *losses;		/* if the loss is a sum over levels, else NULL */
	int			top[MAX_ATTRIBUTES];
	int		   *base;
	Measures	base_measures;
	MemoryContext context;		/* of one depth search */
	int			nitems;
	NodeItem   *items;			/* to be measured together */
	Measures   *results;
} Poka;

/* Nodes of one height that are still to be visited. */
typedef struct Layer
{
	Size		nnodes;
	Size		capacity;
	uint32	   *nodes;
} Layer;

static void
add_to_layer(Poka *p, Layer *layer, uint32 node)
{
	if (layer->nnodes == layer->capacity)
		layer->nodes = budget_grow(p->context, layer->nodes, sizeof(uint32), &layer->capacity);
	layer->nodes[layer->nnodes++] = node;
}

/* The order for a worker pool. */
static PoolOrder
pool_order(const Poka *p)
{
	return (PoolOrder)
	{
		.work = &measure_nodes_work,.population = p->population,.argument = &p->search->promise,
			.argument_size = sizeof(Promise),.item_size = sizeof(NodeItem),
			.result_size = sizeof(Measures),.most_items = BATCH
	};
}

/* Starts workers once that pays off. */
static void
call_workers(Poka *p)
{
	PoolOrder	order = pool_order(p);

	if (p->called || p->search->workers == 0 || p->measured_ms < WORTH_WORKERS)
		return;
	p->called = true;
	worker_pool_call(p->pool, &order, p->search->workers);
}

/* Measures the gathered nodes; each node is measured once in a run. */
static void
measure_gathered(Poka *p)
{
	instr_time	begun;
	instr_time	took;

	if (p->nitems == 0)
		return;
	CHECK_FOR_INTERRUPTS();
	call_workers(p);
	INSTR_TIME_SET_CURRENT(begun);
	worker_pool_do(p->pool, p->nitems, p->items, p->results);
	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, begun);
	p->measured_ms += INSTR_TIME_GET_MILLISEC(took);
	for (int i = 0; i < p->nitems; i++)
	{
		const int  *levels = p->items[i].levels;
		uint32		number = nodeset_add(p->known, levels);

		if (number >= p->capacity)
			p->measures = budget_grow(p->population->context, p->measures, sizeof(Measures), &p->capacity);
		p->measures[number] = p->results[i];
		if (p->bounds_k && p->results[i].k >= p->base_measures.k && !known_nodes_any_below(p->enough, levels))
			known_nodes_add(p->enough, levels, 0);
	}
	p->search->evaluated += p->nitems;
	p->nitems = 0;
	progress_update(p->search->evaluated, p->search->nfound);
}

/* Gathers a node that is not measured yet. */
static void
gather(Poka *p, const int *levels)
{
	if (nodeset_find(p->known, levels) != NO_NODE)
		return;
	memcpy(p->items[p->nitems++].levels, levels, sizeof(int) * p->population->nattrs);
	if (p->nitems == BATCH)
		measure_gathered(p);
}

static const Measures *
measures_of(Poka *p, const int *levels)
{
	gather(p, levels);
	measure_gathered(p);
	return &p->measures[nodeset_find(p->known, levels)];
}

static double
loss_of(const Poka *p, const Measures *measures)
{
	return objective_cost(p->search->loss, measures);
}

/* Adds the ground nodes of the base: at a distance, or where paths end earlier. */
static void
depth_search(Poka *p, NodeSet *ground)
{
	int			nattrs = p->population->nattrs;
	NodeSet    *layer = nodeset_create(CurrentMemoryContext, p->population);
	int			levels[MAX_ATTRIBUTES];

	nodeset_add(layer, p->base);
	for (int distance = 0; distance < p->search->depth; distance++)
	{
		NodeSet    *next = nodeset_create(CurrentMemoryContext, p->population);

		for (uint32 i = 0; i < nodeset_size(layer); i++)
		{
			bool		ends = true;

			nodeset_levels(layer, i, levels);
			for (int a = 0; a < nattrs; a++)
			{
				if (levels[a] == p->population->attrs[a].min_level)
					continue;
				ends = false;
				levels[a]--;
				nodeset_add(next, levels);
				levels[a]++;
			}
			if (ends)
				nodeset_add(ground, levels);
		}
		layer = next;
	}
	for (uint32 i = 0; i < nodeset_size(layer); i++)
	{
		nodeset_levels(layer, i, levels);
		nodeset_add(ground, levels);
	}
}

/* How far a node is below the base; -1 if it is not. */
static int
distance_below(const Poka *p, const int *levels)
{
	int			distance = 0;

	for (int a = 0; a < p->population->nattrs; a++)
	{
		if (levels[a] > p->base[a])
			return -1;
		distance += p->base[a] - levels[a];
	}
	return distance;
}

static bool
is_better(const Poka *p, const MeasuredNode *a, const MeasuredNode *b)
{
	double		loss = loss_of(p, &a->measures);
	double		other_loss = loss_of(p, &b->measures);

	if (a->measures.k != b->measures.k)
		return a->measures.k > b->measures.k;
	if (loss != other_loss)
		return loss < other_loss;
	return compare_levels(a->levels, b->levels, p->population->nattrs) < 0;
}

static int
height_of(const Poka *p, const int *levels)
{
	int			height = 0;

	for (int a = 0; a < p->population->nattrs; a++)
		height += levels[a];
	return height;
}

/* The possible decisions about a node that a climb has reached. */
typedef enum Look
{
	LOOK_ENDS,
	LOOK_PASSES,
	LOOK_MEASURES
} Look;

/* Whether a climb ends at a node, skips it, or needs its measures. */
static Look
look_at(const Poka *p, const int *levels, bool pass_over)
{
	int			distance = distance_below(p, levels);

	if (distance == 0)
		return LOOK_ENDS;
	if (distance >= 2 && pass_over)
		return LOOK_PASSES;
	if (p->losses != NULL && level_losses_sum(p->losses, levels) >= loss_of(p, &p->base_measures))
		return LOOK_ENDS;
	return known_nodes_any_below(p->enough, levels) ? LOOK_ENDS : LOOK_MEASURES;
}

/* The nodes at which a climb has arrived, from the lowest height up. */
typedef struct Climb
{
	bool		pass_over;		/* nodes far below the base */
	NodeSet    *visited;
	Layer	   *layers;
	bool		found;			/* candidate for the next base */
	int			levels[MAX_ATTRIBUTES];
	MeasuredNode best;
} Climb;

/* Adds the new generalizations of a node to the layer above. */
static void
climb_above(Poka *p, Climb *climb, const int *from, int height)
{
	int			levels[MAX_ATTRIBUTES];

	memcpy(levels, from, sizeof(int) * p->population->nattrs);
	for (int a = 0; a < p->population->nattrs; a++)
	{
		uint32		before = nodeset_size(climb->visited);
		uint32		number;

		if (levels[a] == p->population->attrs[a].max_level)
			continue;
		levels[a]++;
		number = nodeset_add(climb->visited, levels);
		levels[a]--;
		if (number >= before)
			add_to_layer(p, &climb->layers[height], number);
	}
}

/* Whether the climb continues from a measured node; keeps the best one so far. */
static bool
judge(Poka *p, Climb *climb, int *levels)
{
	const MeasuredNode node = {levels, *measures_of(p, levels)};

	if (node.measures.k >= p->base_measures.k || loss_of(p, &node.measures) >= loss_of(p, &p->base_measures))
		return false;
	if (!climb->found || is_better(p, &node, &climb->best))
	{
		climb->found = true;
		memcpy(climb->levels, levels, sizeof(int) * p->population->nattrs);
		climb->best.levels = climb->levels;
		climb->best.measures = node.measures;
	}
	return true;
}

/* Visits the nodes of one height, which are measured together. */
static void
climb_layer(Poka *p, Climb *climb, int height)
{
	Layer	   *layer = &climb->layers[height];
	Look	   *looks = palloc(sizeof(Look) * (layer->nnodes + 1));
	int			levels[MAX_ATTRIBUTES];

	for (Size i = 0; i < layer->nnodes; i++)
	{
		nodeset_levels(climb->visited, layer->nodes[i], levels);
		looks[i] = look_at(p, levels, climb->pass_over);
		if (looks[i] == LOOK_MEASURES)
			gather(p, levels);
	}
	measure_gathered(p);
	for (Size i = 0; i < layer->nnodes; i++)
	{
		nodeset_levels(climb->visited, layer->nodes[i], levels);
		if (looks[i] == LOOK_PASSES ||
			(looks[i] == LOOK_MEASURES && judge(p, climb, levels)))
			climb_above(p, climb, levels, height + 1);
	}
	pfree(looks);
}

/*
 * Climbs from the ground nodes, which are the first visited.  Where a climb
 * ends depends only on its nodes, so they can be visited in any order, here
 * height by height.
 */
static void
height_search(Poka *p, Climb *climb)
{
	int			top = height_of(p, p->top);
	int			levels[MAX_ATTRIBUTES];

	climb->layers = palloc0(sizeof(Layer) * (top + 2));
	for (uint32 i = 0; i < nodeset_size(climb->visited); i++)
	{
		nodeset_levels(climb->visited, i, levels);
		add_to_layer(p, &climb->layers[height_of(p, levels)], i);
	}
	for (int height = 0; height <= top; height++)
		climb_layer(p, climb, height);
}

/* Makes a node the base, and the next node of the result. */
static void
move_base(Poka *p, const int *levels)
{
	PokaSearch *search = p->search;
	MemoryContext context = p->population->context;
	Size		size = sizeof(int) * p->population->nattrs;

	if (search->nfound == search->capacity)
		search->found = budget_grow(context, search->found, sizeof(MeasuredNode), &search->capacity);
	p->base_measures = *measures_of(p, levels);
	p->base = MemoryContextAlloc(context, size);
	memcpy(p->base, levels, size);
	search->found[search->nfound].levels = p->base;
	search->found[search->nfound++].measures = p->base_measures;
}

/* Moves the base to the next step of the front; returns false if there is none. */
static bool
next_base(Poka *p)
{
	MemoryContext old = MemoryContextSwitchTo(p->context);
	Climb		climb = {0};

	for (int round = 0; round < 2 && !climb.found; round++)
	{
		climb.pass_over = round == 0;
		climb.visited = nodeset_create(p->context, p->population);
		depth_search(p, climb.visited);
		height_search(p, &climb);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(p->context);
	if (climb.found)
		move_base(p, climb.levels);
	return climb.found;
}

static Poka *
begin(PokaSearch *search)
{
	Population *population = search->population;
	Poka	   *p = palloc0(sizeof(Poka));
	PoolOrder	order;

	p->search = search;
	p->population = population;
	p->context = AllocSetContextCreate(population->context, "anonopt depth search", ALLOCSET_DEFAULT_SIZES);
	p->known = nodeset_create(population->context, population);
	p->bounds_k = !promise_given(&search->promise, population);
	p->enough = known_nodes_create(population, population->context);
	p->items = palloc0(sizeof(NodeItem) * BATCH);
	p->results = palloc0(sizeof(Measures) * BATCH);
	if (is_sum_of_levels(search->loss))
		p->losses = level_losses_create(population, search->loss);
	for (int a = 0; a < population->nattrs; a++)
		p->top[a] = population->attrs[a].max_level;
	order = pool_order(p);
	p->pool = worker_pool_begin(&order, 0);
	return p;
}

void
poka_search(PokaSearch *search)
{
	MemoryContext old = MemoryContextSwitchTo(search->population->context);
	Poka	   *p = begin(search);

	move_base(p, search->start != NULL ? search->start : p->top);
	while (p->base_measures.k > 2 && next_base(p))
		;
	search->helped = worker_pool_end(p->pool);
	MemoryContextSwitchTo(old);
}
