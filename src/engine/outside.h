/*
 * outside.h
 *	  The number of people of another relation with the labels of a class.
 */
#ifndef ANONOPT_OUTSIDE_H
#define ANONOPT_OUTSIDE_H

#include "engine/population.h"

typedef struct OutsideCounter OutsideCounter;

extern OutsideCounter *outside_counter_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/* Counts them under the labels of each class of a node. */
extern void outside_count_node(OutsideCounter *counter, Recodings node, const TupleTable *classes, int64 *counts);

/* Boxes of leaves, and the class of each. */
typedef struct LeafBoxes
{
	uint32		nclasses;
	uint32		nboxes;
	const uint32 *class_of;		/* by box; NULL: a class has the box of its
								 * number */
	const uint32 *first_leaf;	/* by box and attribute */
	const uint32 *leaves;
} LeafBoxes;

/* Counts the people in the boxes of each class. */
extern void outside_count_boxes(OutsideCounter *counter, const LeafBoxes *boxes, int64 *counts);

#endif
