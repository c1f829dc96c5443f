/*
 * node_front.c
 *	  The nodes that no other node beats, one per cost vector.
 */
#include "search/node_front.h"

/* Frees a member's memory. */
static void
free_levels(void *member)
{
	pfree(((MeasuredNode *) member)->levels);
}

NodeFront *
node_front_create(MemoryContext context, int nobjectives, const Objective *objectives, int nattrs)
{
	NodeFront  *front = MemoryContextAllocZero(context, sizeof(NodeFront));

	front->front = front_create(context, nobjectives, sizeof(MeasuredNode));
	front->front->drop = free_levels;
	front->nobjectives = nobjectives;
	memcpy(front->objectives, objectives, sizeof(Objective) * nobjectives);
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

	for (int i = 0; i < front->nobjectives; i++)
		costs[i] = objective_cost(front->objectives[i], measures);
	if (node_front_beats(front, costs, levels))
		return;
	node = front_add(front->front, costs);
	node->levels = MemoryContextAlloc(front->front->context, sizeof(int) * front->nattrs);
	memcpy(node->levels, levels, sizeof(int) * front->nattrs);
	node->measures = *measures;
}

typedef struct NodeSort
{
	int			nobjectives;
	const Objective *objectives;
	int			nattrs;
} NodeSort;

static int
compare_nodes_by_cost(const void *a, const void *b, void *arg)
{
	const MeasuredNode *x = a;
	const MeasuredNode *y = b;
	const NodeSort *sort = arg;

	for (int i = 0; i < sort->nobjectives; i++)
	{
		double		left = objective_cost(sort->objectives[i], &x->measures);
		double		right = objective_cost(sort->objectives[i], &y->measures);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return compare_levels(x->levels, y->levels, sort->nattrs);
}

void
sort_nodes(MeasuredNode *nodes, int n, int nobjectives, const Objective *objectives, int nattrs)
{
	NodeSort	sort = {nobjectives, objectives, nattrs};

	if (n > 1)
		qsort_arg(nodes, n, sizeof(MeasuredNode), compare_nodes_by_cost, &sort);
}

void
node_front_sort(NodeFront *front)
{
	MeasuredNode *nodes = node_front_nodes(front);

	sort_nodes(nodes, node_front_size(front), front->nobjectives, front->objectives, front->nattrs);
	for (int i = 0; i < node_front_size(front); i++)
		for (int j = 0; j < front->nobjectives; j++)
			front_costs(front->front, i)[j] = objective_cost(front->objectives[j], &nodes[i].measures);
}
