/*
 * kd_tree.c
 *	  A k-d tree of points: codes of some attributes.
 *
 * Branches are split one after another, in the order in which they were added,
 * so a branch comes before its parts.  Points keep their order within a part.
 */
#include "engine/kd_tree.h"

#include "base/budget.h"
#include "miscadmin.h"

typedef struct Builder
{
	KdTree	   *tree;
	MemoryContext context;
	MemoryContext budget;
	uint32	   *scratch;
	Size		room;			/* for branches */
} Builder;

/* Appends a branch of some points, which may move the others. */
static uint32
add_branch(Builder *builder, uint32 start, uint32 end)
{
	KdTree	   *tree = builder->tree;
	int			n = tree->nattrs;
	Size		row = sizeof(uint32) * 2 * n;
	uint32	   *hull;

	if (tree->nbranches >= builder->room)
	{
		Size		room = Max(builder->room * 2, 64);

		budget_require(builder->budget, room * (sizeof(Branch) + row));
		tree->branches = builder->room == 0 ? MemoryContextAllocHuge(builder->context, sizeof(Branch) * room) :
			repalloc_huge(tree->branches, sizeof(Branch) * room);
		tree->hulls = builder->room == 0 ? MemoryContextAllocHuge(builder->context, row * room + 1) :
			repalloc_huge(tree->hulls, row * room + 1);
		builder->room = room;
	}
	tree->branches[tree->nbranches] = (Branch)
	{
		.start = start,.end = end
	};
	hull = tree->hulls + (Size) tree->nbranches * 2 * n;
	memcpy(hull, tree->codes + (Size) tree->order[start] * n, sizeof(uint32) * n);
	memcpy(hull + n, hull, sizeof(uint32) * n);
	for (uint32 i = start + 1; i < end; i++)
	{
		const uint32 *codes = tree->codes + (Size) tree->order[i] * n;

		for (int a = 0; a < n; a++)
		{
			hull[a] = Min(hull[a], codes[a]);
			hull[n + a] = Max(hull[n + a], codes[a]);
		}
	}
	return tree->nbranches++;
}

/*
 * Moves a branch's points below a code of an attribute to the front; returns
 * the start of the others.
 */
static uint32
part_points(Builder *builder, const Branch *branch, int a, uint32 code)
{
	const KdTree *tree = builder->tree;
	uint32	   *order = tree->order;
	uint32		left = branch->start;
	uint32		right = 0;

	for (uint32 i = branch->start; i < branch->end; i++)
	{
		if (tree->codes[(Size) order[i] * tree->nattrs + a] < code)
			order[left++] = order[i];
		else
			builder->scratch[right++] = order[i];
	}
	memcpy(order + left, builder->scratch, sizeof(uint32) * right);
	return left;
}

KdTree *
kd_tree_create(MemoryContext context, MemoryContext budget, int nattrs, const uint32 *codes, uint32 npoints, uint32 leaf,
			   KdSplit split, void *arg)
{
	KdTree	   *tree = MemoryContextAllocZero(context, sizeof(KdTree));
	Builder		builder = {.tree = tree,.context = context,.budget = budget};

	tree->nattrs = nattrs;
	tree->codes = codes;
	budget_require(budget, sizeof(uint32) * 2 * npoints);
	tree->order = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) npoints + 1));
	builder.scratch = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) npoints + 1));
	for (uint32 i = 0; i < npoints; i++)
		tree->order[i] = i;
	if (npoints > 0)
		add_branch(&builder, 0, npoints);
	for (uint32 number = 0; number < tree->nbranches; number++)
	{
		Branch		branch = tree->branches[number];
		uint32		code;
		uint32		middle;
		int			a;

		if (number % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (branch.end - branch.start <= leaf || (a = split(tree, &branch, branch_hull(tree, number), arg, &code)) < 0)
			continue;
		middle = part_points(&builder, &branch, a, code);
		branch.left = add_branch(&builder, branch.start, middle);
		branch.right = add_branch(&builder, middle, branch.end);
		tree->branches[number] = branch;
	}
	pfree(builder.scratch);
	return tree;
}
