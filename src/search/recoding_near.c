/*
 * recoding_near.c
 *	  A k-d tree of tuples, which finds the nearest of each.
 *
 * A branch is split at the middle of the attribute with the most loss in it,
 * never between tuples with the same code.  A span's loss grows with the span,
 * so the loss of a tuple with the nearest end of a branch is a lower bound of its
 * loss with any tuple in the branch.
 */
#include "search/recoding_parts.h"


#define MOST_NEAREST 64

/* What splitting the tuples takes. */
typedef struct Splitting
{
	const Ground *ground;
	uint32	   *count;			/* by code */
} Splitting;

/*
 * Splits a branch at the attribute with the most loss, at the code closest to
 * the middle of its tuples; of two such, at the one that splits more evenly.
 */
static int
split_at_middle(const KdTree *tree, const Branch *branch, const uint32 *hull, void *arg, uint32 *code)
{
	const Splitting *splitting = arg;
	const Ground *ground = splitting->ground;
	uint32	   *count = splitting->count;
	int			widest = -1;
	int32		most = 0;
	uint32		half = (branch->end - branch->start) / 2;
	uint32		before = 0;
	uint32		middle;
	uint32		high;

	for (int a = 0; a < ground->nattrs; a++)
	{
		int32		loss = axis_span(&ground->axes[a], hull[a], hull[ground->nattrs + a]);

		if (hull[a] != hull[ground->nattrs + a] && (widest < 0 || loss > most))
		{
			widest = a;
			most = loss;
		}
	}
	if (widest < 0)
		return -1;
	middle = hull[widest];
	high = hull[ground->nattrs + widest];
	memset(count + middle, 0, sizeof(uint32) * (high - middle + 1));
	for (uint32 i = branch->start; i < branch->end; i++)
		count[ground_codes(ground, tree->order[i])[widest]]++;
	while (before + count[middle] <= half && middle < high)
		before += count[middle++];
	if (middle == hull[widest] || (middle < high && before + count[middle] - half < half - before))
		middle++;
	*code = middle;
	return widest;
}

KdTree *
tuple_tree_create(Ground *ground, uint32 leaf)
{
	Splitting	splitting = {.ground = ground};
	uint32		most_codes = 1;
	KdTree	   *tree;

	for (int a = 0; a < ground->nattrs; a++)
		most_codes = Max(most_codes, ground->axes[a].ncodes);
	splitting.count = population_alloc(ground->order->population, sizeof(uint32), most_codes);
	tree = kd_tree_create(ground->context, ground->order->population->context, ground->nattrs, ground->codes, ground->ntuples, leaf, split_at_middle,
						  &splitting);
	ground_reorder(ground, tree->order);
	pfree(tree->order);
	tree->order = NULL;
	tree->codes = ground->codes;
	pfree(splitting.count);
	return tree;
}

/* The state of a search for one tuple. */
typedef struct NearQuery
{
	const Nearest *nearest;
	uint32		tuple;
	const uint32 *codes;
	int64		people;
	int			nfound;
	int64		cost[MOST_NEAREST];
	uint32		found[MOST_NEAREST];
} NearQuery;

static inline int64
worst_found(const NearQuery *query)
{
	return query->nfound < query->nearest->wanted ? PG_INT64_MAX : query->cost[query->nearest->wanted - 1];
}

/* Keeps a tuple if it is among the nearest. */
static inline void
offer(NearQuery *query, uint32 other)
{
	const Ground *ground = query->nearest->ground;
	const uint32 *codes = ground_codes(ground, other);
	int64		cost = 0;
	int			at;

	if (other == query->tuple)
		return;
	for (int a = 0; a < ground->nattrs; a++)
		cost += axis_span(&ground->axes[a], Min(codes[a], query->codes[a]), Max(codes[a], query->codes[a]));
	cost *= query->people + ground->people[other];
	if (cost >= worst_found(query))
		return;
	at = query->nfound < query->nearest->wanted ? query->nfound++ : query->nearest->wanted - 1;
	for (; at > 0 && query->cost[at - 1] > cost; at--)
	{
		query->cost[at] = query->cost[at - 1];
		query->found[at] = query->found[at - 1];
	}
	query->cost[at] = cost;
	query->found[at] = other;
}

/* A lower bound of the tuple's loss with any tuple in a branch. */
static inline int64
branch_bound(const NearQuery *query, uint32 branch)
{
	const Ground *ground = query->nearest->ground;
	const uint32 *hull = branch_hull(query->nearest->tree, branch);
	int64		loss = 0;

	for (int a = 0; a < ground->nattrs; a++)
	{
		uint32		code = query->codes[a];

		if (code < hull[a])
			loss += axis_span(&ground->axes[a], code, hull[a]);
		else if (code > hull[ground->nattrs + a])
			loss += axis_span(&ground->axes[a], hull[ground->nattrs + a], code);
	}
	return loss * (query->people + 1);
}

static void
search_branch(NearQuery *query, uint32 number)
{
	const Branch *branch = &query->nearest->tree->branches[number];
	int64		left;
	int64		right;
	bool		left_first;

	if (branch->left == 0)
	{
		for (uint32 i = branch->start; i < branch->end; i++)
			offer(query, i);
		return;
	}
	left = branch_bound(query, branch->left);
	right = branch_bound(query, branch->right);
	left_first = left < right || (left == right && query->tuple < query->nearest->tree->branches[branch->right].start);
	if (left_first && left < worst_found(query))
		search_branch(query, branch->left);
	if (right < worst_found(query))
		search_branch(query, branch->right);
	if (!left_first && left < worst_found(query))
		search_branch(query, branch->left);
}

Nearest *
nearest_create(const Ground *ground, const KdTree *tree, int wanted)
{
	Nearest    *nearest = palloc(sizeof(Nearest));
	Size		size = sizeof(uint32) * wanted;

	Assert(wanted <= MOST_NEAREST);
	nearest->ground = ground;
	nearest->tree = tree;
	nearest->wanted = wanted;
	nearest->found = population_alloc(ground->order->population, size, ground->ntuples);
	memset(nearest->found, 0xff, size * ground->ntuples);
	return nearest;
}

void
nearest_find(Nearest *nearest, uint32 tuple)
{
	uint32	   *found = nearest->found + (Size) tuple * nearest->wanted;
	NearQuery	query;

	query.nearest = nearest;
	query.tuple = tuple;
	query.codes = ground_codes(nearest->ground, tuple);
	query.people = nearest->ground->people[tuple];
	query.nfound = 0;
	search_branch(&query, 0);
	for (int i = 0; i < nearest->wanted; i++)
		found[i] = i < query.nfound ? query.found[i] : tuple;
}
