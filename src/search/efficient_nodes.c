/*
 * efficient_nodes.c
 *	  Nodes by bias and loss.
 */
#include "search/searches.h"

#include "base/budget.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "miscadmin.h"

/* Collects the nodes that keep k. */
static bool
collect(void *arg, const int *levels, const Measures *measures)
{
	EfficiencySearch *search = arg;
	MemoryContext context = search->population->context;
	Size		size = sizeof(int) * search->population->nattrs;
	Size		costs = sizeof(double) * search->preference.measures.n;
	JudgedNode *node;

	search->evaluated++;
	progress_update(search->evaluated, search->nnodes);
	if (!measures->feasible || measures->classes == 0)
		return true;
	if (search->nnodes == search->capacity)
		search->nodes = budget_grow(context, search->nodes, sizeof(JudgedNode), &search->capacity);
	if (search->nnodes % 1024 == 0)
		budget_require(context, 1024 * (size + costs));
	node = &search->nodes[search->nnodes++];
	node->levels = MemoryContextAlloc(context, size);
	memcpy(node->levels, levels, size);
	node->k = measures->k;
	node->costs = MemoryContextAlloc(context, costs);
	objectives_costs(&search->preference.measures, measures, node->costs);
	node->ach = preference_achievement(&search->preference, node->costs);
	node->deviation = preference_deviation(&search->preference, node->costs);
	return true;
}

/*
 * Judges nodes by the front of their costs: if any node beats a node, a member
 * of the front does.  A node that a member beats in every cost is not even
 * weakly efficient.
 */
static void
judge(const EfficiencySearch *search)
{
	Front	   *front = front_create(search->population->context, search->preference.measures.n, sizeof(char));
	bool		equal;

	for (Size i = 0; i < search->nnodes; i++)
		if (front_find(front, search->nodes[i].costs, &equal) < 0)
			(void) front_add(front, search->nodes[i].costs);
	for (Size i = 0; i < search->nnodes; i++)
	{
		JudgedNode *node = &search->nodes[i];
		bool		beaten = false;

		CHECK_FOR_INTERRUPTS();
		(void) front_find(front, node->costs, &equal);
		for (int member = 0; member < front->nmembers && !equal && !beaten; member++)
		{
			beaten = true;
			for (int j = 0; j < front->ncosts && beaten; j++)
				beaten = front_costs(front, member)[j] < node->costs[j];
		}
		node->efficiency = equal ? EFFICIENCY_STRONG : beaten ? EFFICIENCY_NONE : EFFICIENCY_WEAK;
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

void
efficiency_search(EfficiencySearch *search)
{
	Promise		promise = search->promise;
	Promise		nothing = {0};
	Measures	top;

	promise.feasible_only = true;
	search->helped = lattice_measure(search->population, &promise, search->workers, 0, collect, search);
	if (search->nnodes == 0)
	{
		/* no node has a larger k than the highest */
		measure_top(search->population, &nothing, &top);
		search->largest_k = top.classes > 0 ? top.k : 0;
	}
	judge(search);
	qsort_arg(search->nodes, search->nnodes, sizeof(JudgedNode), compare_nearness, &search->population->nattrs);
}
