/*
 * recoding_near.h
 *	  A k-d tree of tuples, which finds the nearest of each.
 */
#ifndef ANONOPT_RECODING_NEAR_H
#define ANONOPT_RECODING_NEAR_H

#include "search/recoding_ground.h"

/* The number of tuples in a leaf of a tree for finding the nearest. */
#define TREE_LEAF 8

/* A box of the tree: tuples from start to before end. */
typedef struct TreeBox
{
	uint32		start;
	uint32		end;
	uint32		left;			/* the boxes it is split into, or 0 */
	uint32		right;
} TreeBox;

typedef struct BoxTree
{
	uint32		nboxes;
	TreeBox    *boxes;			/* the root first, a box before its parts */
	uint32	   *bounds;			/* lowest and highest codes, by box */
} BoxTree;

/* Sorts the ground's tuples into a tree, given the most tuples of a leaf. */
extern BoxTree *box_tree_create(Ground *ground, uint32 leaf);

/* Each tuple's nearest, found on demand. */
typedef struct Nearest
{
	const Ground *ground;
	const BoxTree *tree;
	int			wanted;
	uint32	   *found;			/* by tuple, a fixed number each; NO_TUPLE if
								 * not found yet */
} Nearest;

extern Nearest *nearest_create(const Ground *ground, const BoxTree *tree, int wanted);
extern void nearest_find(Nearest *nearest, uint32 tuple);

/*
 * The tuples with which a tuple would lose least as a class, nearest first. If
 * there are too few, the tuple itself fills the rest.
 */
static inline const uint32 *
nearest_tuples(Nearest *nearest, uint32 tuple)
{
	const uint32 *found = nearest->found + (Size) tuple * nearest->wanted;

	if (found[0] == NO_TUPLE)
		nearest_find(nearest, tuple);
	return found;
}

#endif
