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
#include "poka.h"

#include "budget.h"
#include "miscadmin.h"
#include "nodeset.h"
#include "path.h"
#include "progress.h"

typedef struct Poka
{
	PokaSearch *search;
	const Population *population;
	Measurer   *measurer;
	Path	   *path;
	NodeSet    *known;			/* every node measured so far */
	Size		capacity;
	Measures   *measures;		/* by number in known */
	int		   *base;
	Measures	base_measures;
} Poka;

/* Nodes still to be looked at. */
typedef struct Stack
{
	Size		depth;
	Size		capacity;
	uint32	   *nodes;
} Stack;

static void
push(Poka *p, Stack *stack, uint32 node)
{
	if (stack->depth == stack->capacity)
		stack->nodes = budget_grow(p->population->context, stack->nodes, sizeof(uint32), &stack->capacity);
	stack->nodes[stack->depth++] = node;
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
	classes = path_classes(p->path, levels, &node);
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

/* Whether a node's k is below the base's and its loss too. */
static bool
is_next(const Poka *p, const Measures *measures)
{
	return measures->k < p->base_measures.k && loss_of(p, measures) < loss_of(p, &p->base_measures);
}

static bool
is_better(const Poka *p, const Measures *a, const Measures *b)
{
	if (a->k != b->k)
		return a->k > b->k;
	return loss_of(p, a) < loss_of(p, b);
}

/*
 * Climbs from the ground nodes, which are the first of visited; returns the
 * best node's number in it, or NO_NODE.
 */
static uint32
height_search(Poka *p, NodeSet *visited, bool pass_over)
{
	Stack		stack = {0};
	uint32		best = NO_NODE;
	Measures	best_measures = {0};

	for (uint32 i = 0; i < nodeset_size(visited); i++)
		push(p, &stack, i);
	while (stack.depth > 0)
	{
		uint32		number = stack.nodes[--stack.depth];
		int			levels[MAX_ATTRIBUTES];
		int			distance;

		nodeset_levels(visited, number, levels);
		distance = distance_below(p, levels);
		if (distance == 0)
			continue;
		if (distance < 2 || !pass_over)
		{
			const Measures *measures = measures_of(p, levels);

			if (!is_next(p, measures))
				continue;
			if (best == NO_NODE || is_better(p, measures, &best_measures))
			{
				best = number;
				best_measures = *measures;
			}
		}
		for (int a = 0; a < p->population->nattrs; a++)
		{
			uint32		before = nodeset_size(visited);
			uint32		above;

			if (levels[a] == p->population->attrs[a].max_level)
				continue;
			levels[a]++;
			above = nodeset_add(visited, levels);
			levels[a]--;
			if (above >= before)
				push(p, &stack, above);
		}
	}
	if (stack.nodes != NULL)
		pfree(stack.nodes);
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
		search->found = budget_grow(context, search->found, sizeof(PokaNode), &search->capacity);
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
	MemoryContext context = AllocSetContextCreate(p->population->context, "anonopt depth search", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int			levels[MAX_ATTRIBUTES];
	uint32		best = NO_NODE;

	for (int pass_over = 1; pass_over >= 0 && best == NO_NODE; pass_over--)
	{
		NodeSet    *visited = nodeset_create(context, p->population);

		depth_search(p, visited);
		best = height_search(p, visited, pass_over == 1);
		if (best != NO_NODE)
			nodeset_levels(visited, best, levels);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	if (best != NO_NODE)
		move_base(p, levels);
	return best != NO_NODE;
}

void
poka_search(PokaSearch *search)
{
	Population *population = search->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Promise		nothing = {0};
	Poka	   *p = palloc0(sizeof(Poka));
	int			top[MAX_ATTRIBUTES];

	nothing.limit = search->limit;
	p->search = search;
	p->population = population;
	p->measurer = measurer_create(population, &nothing);
	p->path = path_create(population, MOST_LEVELS_LAST);
	p->known = nodeset_create(population->context, population);
	for (int a = 0; a < population->nattrs; a++)
		top[a] = population->attrs[a].max_level;
	move_base(p, top);
	while (p->base_measures.k > 2 && next_base(p))
		;
	path_free(p->path);
	MemoryContextSwitchTo(old);
}
