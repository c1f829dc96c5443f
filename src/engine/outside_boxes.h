/*
 * outside_boxes.h
 *	  How many people of another relation are in a box of leaves.
 */
#ifndef ANONOPT_OUTSIDE_BOXES_H
#define ANONOPT_OUTSIDE_BOXES_H

#include "engine/population.h"

typedef struct OutsideBoxes OutsideBoxes;

extern OutsideBoxes *outside_boxes_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/*
 * Counts who is in a box: by attribute its first leaf and how many.  Stops
 * once there are enough, and tells how many there were by then.
 */
extern int64 outside_boxes_count(const OutsideBoxes *boxes, const uint32 *first_leaf, const uint32 *leaves, int64 enough);

/* Whether one tuple of theirs is in a box. */
extern bool outside_boxes_holds(const OutsideBoxes *boxes, uint32 tuple, const uint32 *first_leaf, const uint32 *leaves);

#endif
