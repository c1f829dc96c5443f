/*
 * outside.h
 *	  How many people of another relation have the labels of a class.
 */
#ifndef ANONOPT_OUTSIDE_H
#define ANONOPT_OUTSIDE_H

#include "engine/population.h"

typedef struct OutsideCounter OutsideCounter;

extern OutsideCounter *outside_counter_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/* Counts them under the labels of each class of a node. */
extern void outside_count_node(OutsideCounter *counter, Recodings node, const TupleTable *classes, int64 *counts);

/* Counts them in boxes: by class and attribute, the first leaf and how many. */
extern void outside_count_boxes(OutsideCounter *counter, uint32 nclasses, const uint32 *first_leaf, const uint32 *leaves,
								int64 *counts);

#endif
