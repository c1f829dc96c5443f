/*
 * recoding_near.h
 *	  Tuples in the order of a tree of boxes, and each one's nearest.
 */
#ifndef ANONOPT_RECODING_NEAR_H
#define ANONOPT_RECODING_NEAR_H

#include "search/recoding_ground.h"

/* Tuples of a leaf of a tree that serves to find the nearest. */
#define TREE_LEAF 8

/* A box of the tree: tuples from start to before end. */
typedef struct TreeBox
{
	uint32		start;
	uint32		end;
	uint32		left;			/* the boxes it is parted into; 0 where it is
								 * not */
	uint32		right;
} TreeBox;

typedef struct BoxTree
{
	uint32		nboxes;
	TreeBox    *boxes;			/* the root first, a box before its parts */
	uint32	   *bounds;			/* lowest and highest codes, by box */
} BoxTree;

/* Sorts the ground's tuples into a tree whose leaves hold so many at most. */
extern BoxTree *box_tree_create(Ground *ground, uint32 leaf);

/* Each tuple's nearest, found when they are asked for. */
typedef struct Nearest
{
	const Ground *ground;
	const BoxTree *tree;
	int			wanted;
	uint32	   *found;			/* by tuple, so many each; NO_TUPLE: not asked
								 * for yet */
} Nearest;

extern Nearest *nearest_create(const Ground *ground, const BoxTree *tree, int wanted);
extern void nearest_find(Nearest *nearest, uint32 tuple);

/*
 * The tuples with which one would lose least as a class, the nearest first.
 * Where there are fewer, the tuple itself stands in.
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
