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

#include "base/budget.h"
#include "miscadmin.h"

#define MOST_NEAREST 64

typedef struct Builder
{
	Ground	   *ground;
	TupleTree  *tree;
	uint32	   *order;
	uint32	   *scratch;
	uint32	   *count;			/* by code, zero */
	uint32		leaf;
	Size		room;			/* for branches */
} Builder;

static uint32 *
branch_hull(const Ground *ground, const TupleTree *tree, uint32 branch)
{
	return tree->hulls + (Size) branch * 2 * ground->nattrs;
}

/* Makes room for more branches, which may move them. */
static void
grow_tree(Builder *builder)
{
	const Ground *ground = builder->ground;
	TupleTree  *tree = builder->tree;
	Size		row = sizeof(uint32) * 2 * ground->nattrs;
	Size		room = Max(builder->room * 2, 64);

	budget_require(ground->order->population->context, room * (sizeof(Branch) + row));
	if (builder->room == 0)
	{
		tree->branches = MemoryContextAllocHuge(ground->context, sizeof(Branch) * room);
		tree->hulls = MemoryContextAllocHuge(ground->context, row * room + 1);
	}
	else
	{
		tree->branches = repalloc_huge(tree->branches, sizeof(Branch) * room);
		tree->hulls = repalloc_huge(tree->hulls, row * room + 1);
	}
	builder->room = room;
}

/* Appends a branch of some tuples. */
static uint32
add_branch(Builder *builder, uint32 start, uint32 end)
{
	const Ground *ground = builder->ground;
	TupleTree  *tree = builder->tree;
	uint32		number = tree->nbranches++;
	Branch	   *branch;
	uint32	   *hull;
	uint32		tuple[2 * MAX_ATTRIBUTES];

	if (number >= builder->room)
		grow_tree(builder);
	branch = &tree->branches[number];
	hull = branch_hull(ground, tree, number);
	branch->start = start;
	branch->end = end;
	branch->left = branch->right = 0;
	hull_of_tuple(ground, builder->order[start], hull);
	for (uint32 i = start + 1; i < end; i++)
	{
		hull_of_tuple(ground, builder->order[i], tuple);
		hull_extend(ground, hull, tuple);
	}
	return number;
}

/*
 * The attribute with the most loss in a branch, or -1 if all tuples have the same
 * codes.
 */
static int
widest_attribute(const Ground *ground, const uint32 *hull)
{
	int			widest = -1;
	int32		most = 0;

	for (int a = 0; a < ground->nattrs; a++)
	{
		int32		loss = axis_span(&ground->axes[a], hull[a], hull[ground->nattrs + a]);

		if (hull[a] != hull[ground->nattrs + a] && (widest < 0 || loss > most))
		{
			widest = a;
			most = loss;
		}
	}
	return widest;
}

/* The code from which on tuples go to the right, the one closest to the middle. */
static uint32
middle_code(const Builder *builder, const Branch *branch, uint32 low, uint32 high)
{
	uint32		half = (branch->end - branch->start) / 2;
	uint32		before = 0;
	uint32		code = low;

	/* of two codes at the middle, the one that splits more evenly */
	while (before + builder->count[code] <= half && code < high)
		before += builder->count[code++];
	if (code == low || (code < high && before + builder->count[code] - half < half - before))
		code++;
	return code;
}

/*
 * Moves the tuples below a code of an attribute to the front; returns their
 * number.
 */
static uint32
part_tuples(Builder *builder, const Branch *branch, int a, uint32 code)
{
	uint32	   *order = builder->order;
	uint32		left = branch->start;
	uint32		right = 0;

	for (uint32 i = branch->start; i < branch->end; i++)
	{
		if (ground_codes(builder->ground, order[i])[a] < code)
			order[left++] = order[i];
		else
			builder->scratch[right++] = order[i];
	}
	memcpy(order + left, builder->scratch, sizeof(uint32) * right);
	return left - branch->start;
}

/* Splits a branch if it is too large and its tuples differ. */
static void
part_branch(Builder *builder, uint32 number)
{
	const Ground *ground = builder->ground;
	Branch	   *branch = &builder->tree->branches[number];
	const uint32 *hull = branch_hull(ground, builder->tree, number);
	int			a;
	uint32		low;
	uint32		high;
	uint32		nleft;
	uint32		start = branch->start;
	uint32		end = branch->end;
	uint32		left;
	uint32		right;

	if (branch->end - branch->start <= builder->leaf || (a = widest_attribute(ground, hull)) < 0)
		return;
	low = hull[a];
	high = hull[ground->nattrs + a];
	memset(builder->count + low, 0, sizeof(uint32) * (high - low + 1));
	for (uint32 i = branch->start; i < branch->end; i++)
		builder->count[ground_codes(ground, builder->order[i])[a]]++;
	nleft = part_tuples(builder, branch, a, middle_code(builder, branch, low, high));
	left = add_branch(builder, start, start + nleft);
	right = add_branch(builder, start + nleft, end);
	builder->tree->branches[number].left = left;
	builder->tree->branches[number].right = right;
}

TupleTree *
tuple_tree_create(Ground *ground, uint32 leaf)
{
	TupleTree  *tree = MemoryContextAllocZero(ground->context, sizeof(TupleTree));
	Builder		builder = {.ground = ground,.tree = tree,.leaf = leaf};
	Size		n = Max(ground->ntuples, 1);
	uint32		most_codes = 1;

	for (int a = 0; a < ground->nattrs; a++)
		most_codes = Max(most_codes, ground->axes[a].ncodes);
	budget_require(ground->order->population->context, n * 2 * sizeof(uint32) + most_codes * sizeof(uint32));
	builder.order = MemoryContextAllocHuge(ground->context, sizeof(uint32) * n);
	builder.scratch = MemoryContextAllocHuge(ground->context, sizeof(uint32) * n);
	builder.count = MemoryContextAllocHuge(ground->context, sizeof(uint32) * most_codes);
	for (uint32 i = 0; i < ground->ntuples; i++)
		builder.order[i] = i;
	if (ground->ntuples > 0)
		add_branch(&builder, 0, ground->ntuples);
	for (uint32 branch = 0; branch < tree->nbranches; branch++)
	{
		if (branch % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		part_branch(&builder, branch);
	}
	ground_reorder(ground, builder.order);
	pfree(builder.order);
	pfree(builder.scratch);
	pfree(builder.count);
	return tree;
}

/* The state of a search for one tuple. */
typedef struct NearQuery
{
	const Ground *ground;
	const TupleTree *tree;
	uint32		tuple;
	const uint32 *codes;
	int64		people;
	int			wanted;
	int			nfound;
	int64		cost[MOST_NEAREST];
	uint32		found[MOST_NEAREST];
} NearQuery;

static inline int64
worst_found(const NearQuery *query)
{
	return query->nfound < query->wanted ? PG_INT64_MAX : query->cost[query->wanted - 1];
}

/* Keeps a tuple if it is among the nearest. */
static inline void
offer(NearQuery *query, uint32 other)
{
	const Ground *ground = query->ground;
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
	at = query->nfound < query->wanted ? query->nfound++ : query->wanted - 1;
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
	const Ground *ground = query->ground;
	const uint32 *hull = branch_hull(ground, query->tree, branch);
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
	const Branch *branch = &query->tree->branches[number];
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
	left_first = left < right || (left == right && query->tuple < query->tree->branches[branch->right].start);
	if (left_first && left < worst_found(query))
		search_branch(query, branch->left);
	if (right < worst_found(query))
		search_branch(query, branch->right);
	if (!left_first && left < worst_found(query))
		search_branch(query, branch->left);
}

Nearest *
nearest_create(const Ground *ground, const TupleTree *tree, int wanted)
{
	Nearest    *nearest = MemoryContextAlloc(ground->context, sizeof(Nearest));
	Size		size = sizeof(uint32) * wanted * (Size) Max(ground->ntuples, 1);

	Assert(wanted <= MOST_NEAREST);
	budget_require(ground->order->population->context, size);
	nearest->ground = ground;
	nearest->tree = tree;
	nearest->wanted = wanted;
	nearest->found = MemoryContextAllocHuge(ground->context, size);
	memset(nearest->found, 0xff, size);
	return nearest;
}

void
nearest_find(Nearest *nearest, uint32 tuple)
{
	const Ground *ground = nearest->ground;
	NearQuery	query;
	uint32	   *found = nearest->found + (Size) tuple * nearest->wanted;

	query.ground = ground;
	query.tree = nearest->tree;
	query.tuple = tuple;
	query.codes = ground_codes(ground, tuple);
	query.people = ground->people[tuple];
	query.wanted = nearest->wanted;
	query.nfound = 0;
	search_branch(&query, 0);
	for (int i = 0; i < nearest->wanted; i++)
		found[i] = i < query.nfound ? query.found[i] : tuple;
}
