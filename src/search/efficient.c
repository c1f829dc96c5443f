/*
 * efficient.c
 *	  Nodes by bias and loss.
 */
#include "search/searches.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "miscadmin.h"

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
	Size		costs = sizeof(double) * search->preference.n;
	JudgedNode *node;

	search->evaluated++;
	progress_update(search->evaluated, search->nnodes);
	if (!measures->feasible || measures->classes == 0)
		return true;
	if (search->nnodes == collection->capacity)
		search->nodes = budget_grow(context, search->nodes, sizeof(JudgedNode), &collection->capacity);
	if (search->nnodes % 1024 == 0)
		budget_require(context, 1024 * (size + costs));
	node = &search->nodes[search->nnodes++];
	node->levels = MemoryContextAlloc(context, size);
	memcpy(node->levels, levels, size);
	node->k = measures->k;
	node->necd = measures->necd;
	node->nwp = measures->nwp;
	node->costs = MemoryContextAlloc(context, costs);
	preference_costs(&search->preference, measures, node->costs);
	node->ach = preference_achievement(&search->preference, node->costs);
	node->deviation = preference_deviation(&search->preference, node->costs);
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

/* Whether a vector is everywhere better than another. */
static bool
is_better_in_all(const double *a, const double *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] >= b[i])
			return false;
	return true;
}

/* Whether a member of a front is. */
static bool
is_beaten_in_all(const Front *front, const double *costs)
{
	for (int i = 0; i < front->nmembers; i++)
		if (is_better_in_all(front_costs(front, i), costs, front->ncosts))
			return true;
	return false;
}

/*
 * The same for any number of measures: if any node beats a node, a member of
 * the front does.
 */
static void
judge_by_front(const EfficiencySearch *search)
{
	Front	   *front = front_create(search->population->context, search->preference.n, sizeof(char));
	bool		equal;

	for (Size i = 0; i < search->nnodes; i++)
		if (front_find(front, search->nodes[i].costs, &equal) < 0)
			(void) front_add(front, search->nodes[i].costs);
	for (Size i = 0; i < search->nnodes; i++)
	{
		JudgedNode *node = &search->nodes[i];

		CHECK_FOR_INTERRUPTS();
		(void) front_find(front, node->costs, &equal);
		if (equal)
			node->efficiency = EFFICIENCY_STRONG;
		else
			node->efficiency = is_beaten_in_all(front, node->costs) ? EFFICIENCY_NONE : EFFICIENCY_WEAK;
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
	if (search->preference.n > FIRST_FURTHER)
		judge_by_front(search);
	else
	{
		qsort(search->nodes, search->nnodes, sizeof(JudgedNode), compare_bias);
		judge(search->nodes, search->nnodes);
	}
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
efficient_level_nodes(Population *population, const Promise *promise, const Preference *preference, int64 most_nodes, int workers)
{
	Promise		feasible = *promise;
	FrontCollection collection = {.left = most_nodes};

	collection.front = node_front_create(population->context, preference->n, preference->measures, population->nattrs);

	/*
	 * workers would change which nodes come first, so a part of the lattice
	 * is measured without them
	 */
	feasible.feasible_only = true;
	lattice_measure(population, &feasible, lattice_nodes(population) <= most_nodes ? workers : 0, collect_front, &collection);
	return collection.front;
}
