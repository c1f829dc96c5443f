/*
 * outside.h
 *	  People of another relation, and how many have the labels of a class.
 */
#ifndef ANONOPT_OUTSIDE_H
#define ANONOPT_OUTSIDE_H

#include "postgres.h"

#include "engine/population.h"

/* -------------- A dictionary of people, given by the leaves of their values */

/* Entries by their leaves; NO_LEAF for a value without one. */
typedef struct EntryTable
{
	uint32		nentries;
	uint32	   *leaves;			/* nattrs per entry */
	int64	   *counts;
} EntryTable;

typedef struct OutsideCounter OutsideCounter;
struct Classes;

extern OutsideCounter *outside_counter_create(const Population *population, const Outsiders *outsiders, MemoryContext context);

/* Counts them under the labels of each class of a node. */
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

/* Whether one of their tuples is in a box. */
extern bool outside_boxes_holds(const OutsideBoxes *boxes, uint32 tuple, const uint32 *first_leaf, const uint32 *leaves);

#endif
