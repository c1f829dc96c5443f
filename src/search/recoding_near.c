/*
 * recoding_near.c
 *	  A k-d tree of tuples, which finds the nearest of each.
 *
 * A box is split at the middle of the attribute with the most loss in it,
 * never between tuples with the same code.  A span's loss grows with the span,
 * so the loss of a tuple with the nearest end of a box is a lower bound of its
 * loss with any tuple in the box.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"
#include "miscadmin.h"

#define MOST_NEAREST 64

typedef struct Builder
{
	Ground	   *ground;
	BoxTree    *tree;
	uint32	   *order;
	uint32	   *scratch;
	uint32	   *count;			/* by code, zero */
	uint32		leaf;
	Size		room;			/* for boxes */
} Builder;

static uint32 *
box_bounds(const Ground *ground, const BoxTree *tree, uint32 box)
{
	return tree->bounds + (Size) box * 2 * ground->nattrs;
}

/* Makes room for more boxes, which may move them. */
static void
grow_tree(Builder *builder)
{
	const Ground *ground = builder->ground;
	BoxTree    *tree = builder->tree;
	Size		row = sizeof(uint32) * 2 * ground->nattrs;
	Size		room = Max(builder->room * 2, 64);

	budget_require(ground->order->population->context, room * (sizeof(TreeBox) + row));
	if (builder->room == 0)
	{
		tree->boxes = MemoryContextAllocHuge(ground->context, sizeof(TreeBox) * room);
		tree->bounds = MemoryContextAllocHuge(ground->context, row * room + 1);
	}
	else
	{
		tree->boxes = repalloc_huge(tree->boxes, sizeof(TreeBox) * room);
		tree->bounds = repalloc_huge(tree->bounds, row * room + 1);
	}
	builder->room = room;
}

/* Appends a box of some tuples. */
static uint32
add_box(Builder *builder, uint32 start, uint32 end)
{
	const Ground *ground = builder->ground;
	BoxTree    *tree = builder->tree;
	uint32		number = tree->nboxes++;
	TreeBox    *box;
	uint32	   *bounds;
	uint32		tuple[2 * MAX_ATTRIBUTES];

	if (number >= builder->room)
		grow_tree(builder);
	box = &tree->boxes[number];
	bounds = box_bounds(ground, tree, number);
	box->start = start;
	box->end = end;
	box->left = box->right = 0;
	box_of_tuple(ground, builder->order[start], bounds);
	for (uint32 i = start + 1; i < end; i++)
	{
		box_of_tuple(ground, builder->order[i], tuple);
		box_extend(ground, bounds, tuple);
	}
	return number;
}

/*
 * The attribute with the most loss in a box, or -1 if all tuples have the same
 * codes.
 */
static int
widest_attribute(const Ground *ground, const uint32 *bounds)
{
	int			widest = -1;
	int32		most = 0;

	for (int a = 0; a < ground->nattrs; a++)
	{
		int32		loss = axis_span(&ground->axes[a], bounds[a], bounds[ground->nattrs + a]);

		if (bounds[a] != bounds[ground->nattrs + a] && (widest < 0 || loss > most))
		{
			widest = a;
			most = loss;
		}
	}
	return widest;
}

/* The code from which on tuples go to the right, the one closest to the middle. */
static uint32
middle_code(const Builder *builder, const TreeBox *box, uint32 low, uint32 high)
{
	uint32		half = (box->end - box->start) / 2;
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
part_tuples(Builder *builder, const TreeBox *box, int a, uint32 code)
{
	uint32	   *order = builder->order;
	uint32		left = box->start;
	uint32		right = 0;

	for (uint32 i = box->start; i < box->end; i++)
	{
		if (ground_codes(builder->ground, order[i])[a] < code)
			order[left++] = order[i];
		else
			builder->scratch[right++] = order[i];
	}
	memcpy(order + left, builder->scratch, sizeof(uint32) * right);
	return left - box->start;
}

/* Splits a box if it is too large and its tuples differ. */
static void
part_box(Builder *builder, uint32 number)
{
	const Ground *ground = builder->ground;
	TreeBox    *box = &builder->tree->boxes[number];
	const uint32 *bounds = box_bounds(ground, builder->tree, number);
	int			a;
	uint32		low;
	uint32		high;
	uint32		nleft;
	uint32		start = box->start;
	uint32		end = box->end;
	uint32		left;
	uint32		right;

	if (box->end - box->start <= builder->leaf || (a = widest_attribute(ground, bounds)) < 0)
		return;
	low = bounds[a];
	high = bounds[ground->nattrs + a];
	memset(builder->count + low, 0, sizeof(uint32) * (high - low + 1));
	for (uint32 i = box->start; i < box->end; i++)
		builder->count[ground_codes(ground, builder->order[i])[a]]++;
	nleft = part_tuples(builder, box, a, middle_code(builder, box, low, high));
	left = add_box(builder, start, start + nleft);
	right = add_box(builder, start + nleft, end);
	builder->tree->boxes[number].left = left;
	builder->tree->boxes[number].right = right;
}

BoxTree *
box_tree_create(Ground *ground, uint32 leaf)
{
	BoxTree    *tree = MemoryContextAllocZero(ground->context, sizeof(BoxTree));
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
		add_box(&builder, 0, ground->ntuples);
	for (uint32 box = 0; box < tree->nboxes; box++)
	{
		if (box % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		part_box(&builder, box);
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
	const BoxTree *tree;
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

/* A lower bound of the tuple's loss with any tuple in a box. */
static inline int64
box_bound(const NearQuery *query, uint32 box)
{
	const Ground *ground = query->ground;
	const uint32 *bounds = box_bounds(ground, query->tree, box);
	int64		loss = 0;

	for (int a = 0; a < ground->nattrs; a++)
	{
		uint32		code = query->codes[a];

		if (code < bounds[a])
			loss += axis_span(&ground->axes[a], code, bounds[a]);
		else if (code > bounds[ground->nattrs + a])
			loss += axis_span(&ground->axes[a], bounds[ground->nattrs + a], code);
	}
	return loss * (query->people + 1);
}

static void
search_box(NearQuery *query, uint32 number)
{
	const TreeBox *box = &query->tree->boxes[number];
	int64		left;
	int64		right;
	bool		left_first;

	if (box->left == 0)
	{
		for (uint32 i = box->start; i < box->end; i++)
			offer(query, i);
		return;
	}
	left = box_bound(query, box->left);
	right = box_bound(query, box->right);
	left_first = left < right || (left == right && query->tuple < query->tree->boxes[box->right].start);
	if (left_first && left < worst_found(query))
		search_box(query, box->left);
	if (right < worst_found(query))
		search_box(query, box->right);
	if (!left_first && left < worst_found(query))
		search_box(query, box->left);
}

Nearest *
nearest_create(const Ground *ground, const BoxTree *tree, int wanted)
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
	search_box(&query, 0);
	for (int i = 0; i < nearest->wanted; i++)
		found[i] = i < query.nfound ? query.found[i] : tuple;
}
