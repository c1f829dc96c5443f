/*
 * efficient.c
 *	  Nodes by bias and loss.
 */
#include "search/efficient.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "engine/lattice.h"

/* Collects the nodes that keep k. */
typedef struct Collection
{
	EfficiencySearch *search;
	Size		capacity;
} Collection;

static bool
collect(void *arg, const int *levels, const Measures *measures)
{
	Collection *collection = arg;
	EfficiencySearch *search = collection->search;
	MemoryContext context = search->population->context;
	Size		size = sizeof(int) * search->population->nattrs;
	JudgedNode *node;

	search->evaluated++;
	progress_update(search->evaluated, search->nnodes);
	if (!measures->feasible || measures->classes == 0)
		return true;
	if (search->nnodes == collection->capacity)
		search->nodes = budget_grow(context, search->nodes, sizeof(JudgedNode), &collection->capacity);
	if (search->nnodes % 1024 == 0)
		budget_require(context, 1024 * size);
	node = &search->nodes[search->nnodes++];
	node->levels = MemoryContextAlloc(context, size);
	memcpy(node->levels, levels, size);
	node->k = measures->k;
	node->necd = measures->necd;
	node->nwp = measures->nwp;
	node->ach = achievement(node->necd, node->nwp, &search->preference);
	node->deviation = preference_deviation(node->necd, node->nwp, &search->preference);
	return true;
}

static int
compare_bias(const void *a, const void *b)
{
	const JudgedNode *x = a;
	const JudgedNode *y = b;

	if (x->necd != y->necd)
		return x->necd < y->necd ? -1 : 1;
	return x->nwp < y->nwp ? -1 : x->nwp > y->nwp;
}

/*
 * Nodes are sorted by bias, then by loss, so a beaten node is beaten by an
 * earlier one.
 */
static void
judge(JudgedNode *nodes, Size nnodes)
{
	double		least = HUGE_VAL;	/* least loss of those with less bias */
	Size		next;

	for (Size i = 0; i < nnodes; i = next)
	{
		double		least_here = nodes[i].nwp;

		for (next = i; next < nnodes && nodes[next].necd == nodes[i].necd; next++)
		{
			JudgedNode *node = &nodes[next];

			if (node->nwp < least && node->nwp == least_here)
				node->efficiency = EFFICIENCY_STRONG;
			else
				node->efficiency = node->nwp <= least ? EFFICIENCY_WEAK : EFFICIENCY_NONE;
		}
		least = Min(least, least_here);
	}
}

static int
compare_nearness(const void *a, const void *b, void *arg)
{
	const JudgedNode *x = a;
	const JudgedNode *y = b;

	if (x->ach != y->ach)
		return x->ach < y->ach ? -1 : 1;
	if (x->deviation != y->deviation)
		return x->deviation < y->deviation ? -1 : 1;
	return compare_levels(x->levels, y->levels, *(const int *) arg);
}

/* The k of the highest node, which no node exceeds. */
static int64
k_of_top(Population *population)
{
	Promise		nothing = {0};
	Measures	measures;
	int			top[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		top[a] = population->attrs[a].max_level;
	measure_alone(measurer_create(population, &nothing), node_of_levels(population, top), &measures);
	return measures.classes > 0 ? measures.k : 0;
}

void
efficiency_search(EfficiencySearch *search)
{
	Collection	collection = {search, 0};
	int			nattrs = search->population->nattrs;
	Promise		promise = search->promise;

	promise.feasible_only = true;
	search->helped = lattice_measure(search->population, &promise, search->workers, collect, &collection);
	if (search->nnodes == 0)
		search->largest_k = k_of_top(search->population);
	qsort(search->nodes, search->nnodes, sizeof(JudgedNode), compare_bias);
	judge(search->nodes, search->nnodes);
	qsort_arg(search->nodes, search->nnodes, sizeof(JudgedNode), compare_nearness, &nattrs);
}

/* Collects the front of bias and loss of the nodes that keep k. */
typedef struct FrontCollection
{
	NodeFront  *front;
	int64		left;			/* nodes that may be measured */
} FrontCollection;

static bool
collect_front(void *arg, const int *levels, const Measures *measures)
{
	FrontCollection *collection = arg;

	if (measures->feasible && measures->classes > 0)
		node_front_offer(collection->front, levels, measures);
	return --collection->left > 0;
}

NodeFront *
efficient_level_nodes(Population *population, const Promise *promise, int64 most_nodes, int workers)
{
	static const Objective bias_and_loss[] = {OBJECTIVE_NECD, OBJECTIVE_NWP};
	Promise		feasible = *promise;
	FrontCollection collection = {node_front_create(population->context, 2, bias_and_loss, population->nattrs), most_nodes};
	double		nodes = 1;

	for (int a = 0; a < population->nattrs; a++)
		nodes *= population->attrs[a].max_level - population->attrs[a].min_level + 1;

	/*
	 * workers would change which nodes come first, so a part of the lattice
	 * is measured without them
	 */
	feasible.feasible_only = true;
	lattice_measure(population, &feasible, nodes <= most_nodes ? workers : 0, collect_front, &collection);
	return collection.front;
}
