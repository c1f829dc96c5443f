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

/*
 * Counts them in boxes, given by class and attribute as the first leaf and the
 * number of leaves.
 */
extern void outside_count_boxes(OutsideCounter *counter, uint32 nclasses, const uint32 *first_leaf, const uint32 *leaves,
								int64 *counts);

#endif
