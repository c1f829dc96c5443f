/*
 * lattice.h
 *	  All nodes of a lattice, each with its classes.
 */
#ifndef ANONOPT_LATTICE_H
#define ANONOPT_LATTICE_H

#include "population.h"

/* Called once a node; the classes are the walk's and change after it returns. */
typedef void (*NodeVisitor) (void *arg, const int *levels, Recodings node, const TupleTable *classes);

extern void lattice_walk(Population *population, NodeVisitor visit, void *arg);

#endif
