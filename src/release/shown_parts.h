/*
 * shown_parts.h
 *	  What the classes that a release shows have in common, whatever made them.
 */
#ifndef ANONOPT_SHOWN_PARTS_H
#define ANONOPT_SHOWN_PARTS_H

#include "base/key_counter.h"
#include "release/shown_classes.h"

extern ShownClasses *shown_create(int nattrs);

/* Where each label stands among all, NULL last. */
extern uint32 *label_places(const char *const *labels, uint32 nlabels);

/* The numbers of all labels of every class, class by class. */
extern uint32 *codes_of_keys(const KeyCounter *counter, int nattrs);

/*
 * Puts the classes that are kept in order: classes gets them by place, codes
 * and people follow.
 */
extern void place_classes(ShownClasses *shown, const uint32 *codes, const int64 *people, uint32 *classes, const int *order, int norder);

/* Tells each tuple's place from its class's; others is that of classes that are not kept. */
extern void place_tuples(ShownClasses *shown, uint32 *class_of, uint32 ntuples, const uint32 *classes, uint32 nclasses, uint32 others);

#endif
