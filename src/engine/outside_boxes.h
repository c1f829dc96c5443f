/*
 * outside_boxes.h
 *	  Counts the people of another relation in a box of leaves.
 */
#ifndef ANONOPT_OUTSIDE_BOXES_H
#define ANONOPT_OUTSIDE_BOXES_H

#include "engine/population.h"

typedef struct OutsideBoxes OutsideBoxes;

extern OutsideBoxes *outside_boxes_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/*
 * Counts the people in a box, given by its first leaf and number of leaves for
 * each attribute.  Stops once there are enough; returns the number counted.
 */
extern int64 outside_boxes_count(const OutsideBoxes *boxes, const uint32 *first_leaf, const uint32 *leaves, int64 enough);

/* Whether one of their tuples is in a box. */
extern bool outside_boxes_holds(const OutsideBoxes *boxes, uint32 tuple, const uint32 *first_leaf, const uint32 *leaves);

#endif
