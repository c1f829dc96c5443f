/*
 * poka.c
 *	  POkA: Pareto-optimal k-anonymous nodes by depth and height search.
 *
 * The algorithm of Dewri, Ray, Ray and Whitley.  From a base node, at first
 * the top, a depth search goes down through its specializations to ground
 * nodes at a fixed distance (or where a path ends before).  A height search
 * climbs from each ground node through all generalizations, and ends where k
 * or the loss reaches the base's.  The node with the most k below the base's
 * and less loss, the least loss among equals, is the next base: the next
 * step of the front.  Nodes below the base are only passed, unless they are
 * right below it: their k cannot exceed that of a node right below it.
 *
 * The search is a heuristic.  What it can miss lies deeper below the base
 * than the ground.  Where it finds nothing, as with a loss that is level
 * around the base, it searches once more and measures what it passed.
 */
#include "search/poka.h"

#include "base/budget.h"
#include "base/progress.h"
#include "engine/node_walk.h"
#include "miscadmin.h"
#include "search/node_set.h"

typedef struct Poka
{
	PokaSearch *search;
	const Population *population;
	Measurer   *measurer;
	NodeWalk   *node_walk;
	NodeSet    *known;			/* every node measured so far */
	Size		capacity;
	Measures   *measures;		/* by number in known */
	int			top[MAX_ATTRIBUTES];
	int		   *base;
	Measures	base_measures;
	MemoryContext context;		/* of one depth search */
} Poka;

/* Nodes of one height that are still to be looked at. */
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

/* A node's measures; each node is measured once in a run. */
static const Measures *
measures_of(Poka *p, const int *levels)
{
	uint32		number = nodeset_find(p->known, levels);
	const TupleTable *classes;
	Recodings	node;

	if (number != NO_NODE)
		return &p->measures[number];
	CHECK_FOR_INTERRUPTS();
	number = nodeset_add(p->known, levels);
	if (number >= p->capacity)
		p->measures = budget_grow(p->population->context, p->measures, sizeof(Measures), &p->capacity);
	classes = node_walk_classes(p->node_walk, levels, &node);
	measure(p->measurer, node, classes, &p->measures[number]);
	p->search->evaluated++;
	progress_update(p->search->evaluated, p->search->nfound);
	return &p->measures[number];
}

static double
loss_of(const Poka *p, const Measures *measures)
{
	return objective_cost(p->search->loss, measures);
}

/* Adds the ground nodes of the base: at a distance, or where paths end before. */
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
is_better(const Poka *p, const Measures *a, const Measures *b)
{
	if (a->k != b->k)
		return a->k > b->k;
	return loss_of(p, a) < loss_of(p, b);
}

static int
height_of(const Poka *p, const int *levels)
{
	int			height = 0;

	for (int a = 0; a < p->population->nattrs; a++)
		height += levels[a];
	return height;
}

/* What orders a layer. */
typedef struct LayerOrder
{
	const NodeSet *nodes;
	const NodeWalk *node_walk;
} LayerOrder;

static int
compare_in_layer(const void *a, const void *b, void *arg)
{
	const LayerOrder *order = arg;
	int			x[MAX_ATTRIBUTES];
	int			y[MAX_ATTRIBUTES];

	nodeset_levels(order->nodes, *(const uint32 *) a, x);
	nodeset_levels(order->nodes, *(const uint32 *) b, y);
	return node_walk_compare(order->node_walk, x, y);
}

/* Puts the generalizations of a node that are new into the layer above. */
static void
climb(Poka *p, NodeSet *visited, const int *from, Layer *above)
{
	int			levels[MAX_ATTRIBUTES];

	memcpy(levels, from, sizeof(int) * p->population->nattrs);
	for (int a = 0; a < p->population->nattrs; a++)
	{
		uint32		before = nodeset_size(visited);
		uint32		number;

		if (levels[a] == p->population->attrs[a].max_level)
			continue;
		levels[a]++;
		number = nodeset_add(visited, levels);
		levels[a]--;
		if (number >= before)
			add_to_layer(p, above, number);
	}
}

/* Whether the climb goes on from a node; the best one so far is kept. */
static bool
look_at(Poka *p, uint32 number, const int *levels, bool pass_over, uint32 *best, Measures *best_measures)
{
	int			distance = distance_below(p, levels);
	const Measures *measures;

	if (distance == 0)
		return false;
	if (distance >= 2 && pass_over)
		return true;
	measures = measures_of(p, levels);
	if (measures->k >= p->base_measures.k || loss_of(p, measures) >= loss_of(p, &p->base_measures))
		return false;
	if (*best == NO_NODE || is_better(p, measures, best_measures))
	{
		*best = number;
		*best_measures = *measures;
	}
	return true;
}

/*
 * Climbs from the ground nodes, which are the first of visited; returns the
 * best node's number in it, or NO_NODE.  Where a climb ends depends on its
 * nodes alone, so they can be taken in any order: height by height, and in
 * the order in which they share most of the path.
 */
static uint32
height_search(Poka *p, NodeSet *visited, bool pass_over)
{
	LayerOrder	order = {visited, p->node_walk};
	int			top = height_of(p, p->top);
	Layer	   *layers = palloc0(sizeof(Layer) * (top + 2));
	uint32		best = NO_NODE;
	Measures	best_measures = {0};
	int			levels[MAX_ATTRIBUTES];

	for (uint32 i = 0; i < nodeset_size(visited); i++)
	{
		nodeset_levels(visited, i, levels);
		add_to_layer(p, &layers[height_of(p, levels)], i);
	}
	for (int height = 0; height <= top; height++)
	{
		Layer	   *layer = &layers[height];

		if (layer->nnodes > 1)
			qsort_arg(layer->nodes, layer->nnodes, sizeof(uint32), compare_in_layer, &order);
		for (Size i = 0; i < layer->nnodes; i++)
		{
			nodeset_levels(visited, layer->nodes[i], levels);
			if (look_at(p, layer->nodes[i], levels, pass_over, &best, &best_measures))
				climb(p, visited, levels, &layers[height + 1]);
		}
	}
	return best;
}

/* Makes a node the base, and the next one found. */
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

/* Moves the base to the next step of the front; false where there is none. */
static bool
next_base(Poka *p)
{
	MemoryContext old = MemoryContextSwitchTo(p->context);
	int			levels[MAX_ATTRIBUTES];
	uint32		best = NO_NODE;

	for (int pass_over = 1; pass_over >= 0 && best == NO_NODE; pass_over--)
	{
		NodeSet    *visited = nodeset_create(p->context, p->population);

		depth_search(p, visited);
		best = height_search(p, visited, pass_over == 1);
		if (best != NO_NODE)
			nodeset_levels(visited, best, levels);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(p->context);
	if (best != NO_NODE)
		move_base(p, levels);
	return best != NO_NODE;
}

void
poka_search(PokaSearch *search)
{
	Population *population = search->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Poka	   *p = palloc0(sizeof(Poka));

	p->search = search;
	p->population = population;
	p->measurer = measurer_create(population, &search->promise);
	p->node_walk = node_walk_create(population, MOST_LEVELS_LAST);
	p->context = AllocSetContextCreate(population->context, "anonopt depth search", ALLOCSET_DEFAULT_SIZES);
	p->known = nodeset_create(population->context, population);
	for (int a = 0; a < population->nattrs; a++)
		p->top[a] = population->attrs[a].max_level;
	move_base(p, p->top);
	while (p->base_measures.k > 2 && next_base(p))
		;
	node_walk_free(p->node_walk);
	MemoryContextSwitchTo(old);
}
