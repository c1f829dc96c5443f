/*
 * shown_parts.h
 *	  Code shared by all ways to build the classes that a release shows.
 */
#ifndef ANONOPT_SHOWN_PARTS_H
#define ANONOPT_SHOWN_PARTS_H

#include "base/key_counter.h"
#include "release/shown_classes.h"

extern ShownClasses *shown_create(int nattrs);

/* The rank of each label, NULL last. */
extern uint32 *label_places(const char *const *labels, uint32 nlabels);

/* The ranks of all labels of every class, class by class. */
extern uint32 *codes_of_keys(const KeyCounter *counter, int nattrs);

/*
 * Sorts the classes that are kept, with their codes and people; classes
 * receives them by position.
 */
extern void place_classes(ShownClasses *shown, const uint32 *codes, const int64 *people, uint32 *classes, const int *order, int norder);

/*
 * Computes each tuple's position from its class; others is the position for
 * classes that are not kept.
 */
extern void place_tuples(ShownClasses *shown, uint32 *class_of, uint32 ntuples, const uint32 *classes, uint32 nclasses, uint32 others);

#endif
