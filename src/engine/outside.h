/*
 * outside.h
 *	  People of another relation, and how many have the labels of a class.
 */
#ifndef ANONOPT_OUTSIDE_H
#define ANONOPT_OUTSIDE_H

#include "postgres.h"

#include "engine/node_classes.h"

/* ------------------ counts the people of another relation in a class of a node */

typedef struct OutsideCounter OutsideCounter;
struct Classes;

extern OutsideCounter *outside_counter_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/* Counts them under a node's labels; the counter's codes recode the population's tuples, too. */
extern const ClassCounter *outside_counter_go(OutsideCounter *counter, Recodings node);

/* Counts them in each class of a node. */
extern void outside_count_node(OutsideCounter *counter, Recodings node, const TupleTable *classes, int64 *counts);

/* Counts the people in the boxes of each class. */
extern void outside_count_boxes(OutsideCounter *counter, const struct Classes *classes, int64 *counts);

/* ----------------- counts the people of another relation in a box of leaves */

typedef struct OutsideBoxes OutsideBoxes;

extern OutsideBoxes *outside_boxes_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/*
 * Counts the people in a box, given by its first leaf and number of leaves for
 * each attribute.  Stops once there are enough; returns the number counted.
 */
extern int64 outside_boxes_count(const OutsideBoxes *boxes, const uint32 *first_leaf, const uint32 *leaves, int64 enough);

#endif
