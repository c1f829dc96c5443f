/*
 * kd_tree.h
 *	  A k-d tree of points: codes of some attributes.
 */
#ifndef ANONOPT_KD_TREE_H
#define ANONOPT_KD_TREE_H

#include "postgres.h"

/* A branch: the points order[start] to order[end - 1]. */
typedef struct Branch
{
	uint32		start;
	uint32		end;
	uint32		left;			/* the branches it is split into, or 0 */
	uint32		right;
} Branch;

typedef struct KdTree
{
	int			nattrs;
	const uint32 *codes;		/* nattrs per point */
	uint32	   *order;			/* of points */
	uint32		nbranches;
	Branch	   *branches;		/* the root first, a branch before its parts */
	uint32	   *hulls;			/* by branch: the lowest code of each
								 * attribute, then the highest */
} KdTree;

static inline const uint32 *
branch_hull(const KdTree *tree, uint32 branch)
{
	return tree->hulls + (Size) branch * 2 * tree->nattrs;
}

/*
 * Where to split a branch: its points with less than a code of an attribute go
 * to the left.  Returns the attribute, or -1 if all points are equal; no side
 * may be empty.
 */
typedef int (*KdSplit) (const KdTree *tree, const Branch *branch, const uint32 *hull, void *arg, uint32 *code);

/*
 * Sorts points into a tree in a context, given the most points of a leaf.  What
 * it takes counts for the budget of another context above that one.
 */
extern KdTree *kd_tree_create(MemoryContext context, MemoryContext budget, int nattrs, const uint32 *codes, uint32 npoints,
							  uint32 leaf, KdSplit split, void *arg);

#endif
