/*
 * front.c
 *	  Fronts of costs that no other cost dominates.
 */
#include "search/front.h"

#include <math.h>

#include "base/budget.h"

Front *
front_create(MemoryContext context, int ncosts, Size member_size)
{
	Front	   *front = MemoryContextAllocZero(context, sizeof(Front));

	front->context = context;
	front->ncosts = ncosts;
	front->member_size = member_size;
	return front;
}

int
front_find(const Front *front, const double *costs, bool *equal)
{
	for (int i = 0; i < front->nmembers; i++)
		if (covers(front_costs(front, i), costs, front->ncosts, equal))
			return i;
	return -1;
}

static void
drop_covered(Front *front, const double *costs)
{
	int			kept = 0;
	bool		equal;

	for (int i = 0; i < front->nmembers; i++)
	{
		if (covers(costs, front_costs(front, i), front->ncosts, &equal))
		{
			if (front->drop != NULL)
				front->drop(front_member(front, i));
			continue;
		}
		if (kept < i)
		{
			memcpy(front_costs(front, kept), front_costs(front, i), sizeof(double) * front->ncosts);
			memcpy(front_member(front, kept), front_member(front, i), front->member_size);
		}
		kept++;
	}
	front->nmembers = kept;
}

void *
front_add(Front *front, const double *costs)
{
	drop_covered(front, costs);
	if (front->nmembers == front->capacity)
	{
		Size		capacity = front->capacity;

		front->costs = budget_grow(front->context, front->costs, sizeof(double) * front->ncosts, &capacity);
		front->members = budget_grow(front->context, front->members, front->member_size, &front->capacity);
	}
	memcpy(front_costs(front, front->nmembers), costs, sizeof(double) * front->ncosts);
	return front_member(front, front->nmembers++);
}

/* ------------------ the nodes that no other node beats, one per cost vector */

/* Frees a member's memory. */
static void
free_levels(void *member)
{
	pfree(((MeasuredNode *) member)->levels);
}

NodeFront *
node_front_create(MemoryContext context, const Objectives *objectives, int nattrs)
{
	NodeFront  *front = MemoryContextAllocZero(context, sizeof(NodeFront));

	front->front = front_create(context, objectives->n, sizeof(MeasuredNode));
	front->front->drop = free_levels;
	front->objectives = *objectives;
	front->nattrs = nattrs;
	return front;
}

bool
node_front_beats(const NodeFront *front, const double *costs, const int *levels)
{
	bool		equal;
	int			found = front_find(front->front, costs, &equal);

	return found >= 0 &&
		(!equal || compare_levels(node_front_nodes(front)[found].levels, levels, front->nattrs) <= 0);
}

void
node_front_offer(NodeFront *front, const int *levels, const Measures *measures)
{
	double		costs[MAX_OBJECTIVES];
	MeasuredNode *node;

	objectives_costs(&front->objectives, measures, costs);
	if (node_front_beats(front, costs, levels))
		return;
	node = front_add(front->front, costs);
	node->levels = MemoryContextAlloc(front->front->context, sizeof(int) * front->nattrs);
	memcpy(node->levels, levels, sizeof(int) * front->nattrs);
	node->measures = *measures;
}

typedef struct NodeSort
{
	const Objectives *objectives;
	int			nattrs;
} NodeSort;

static int
compare_nodes_by_cost(const void *a, const void *b, void *arg)
{
	const MeasuredNode *x = a;
	const MeasuredNode *y = b;
	const NodeSort *sort = arg;

	for (int i = 0; i < sort->objectives->n; i++)
	{
		double		left = objective_cost(sort->objectives->of[i], &x->measures);
		double		right = objective_cost(sort->objectives->of[i], &y->measures);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return compare_levels(x->levels, y->levels, sort->nattrs);
}

void
sort_nodes(MeasuredNode *nodes, int n, const Objectives *objectives, int nattrs)
{
	NodeSort	sort = {objectives, nattrs};

	if (n > 1)
		qsort_arg(nodes, n, sizeof(MeasuredNode), compare_nodes_by_cost, &sort);
}

void
node_front_sort(NodeFront *front)
{
	MeasuredNode *nodes = node_front_nodes(front);

	sort_nodes(nodes, node_front_size(front), &front->objectives, front->nattrs);
	for (int i = 0; i < node_front_size(front); i++)
		objectives_costs(&front->objectives, &nodes[i].measures, front_costs(front->front, i));
}
