/*
 * shelf.h
 *	  Classes of nodes in any order, each from those of a finer node before.
 */
#ifndef ANONOPT_SHELF_H
#define ANONOPT_SHELF_H

#include "population.h"

typedef struct Shelf Shelf;

extern Shelf *shelf_create(Population *population);

/* The classes of a node, valid until the next call; and how its attributes are shown. */
extern const TupleTable *shelf_classes(Shelf *shelf, const int *levels, Recodings *node);

#endif
