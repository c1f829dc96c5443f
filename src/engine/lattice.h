/*
 * lattice.h
 *	  All nodes of a lattice, measured.
 */
#ifndef ANONOPT_LATTICE_H
#define ANONOPT_LATTICE_H

#include "engine/measure.h"

/* Called once a node, in any order; false ends the search. */
typedef bool (*NodeVisitor) (void *arg, const int *levels, const Measures *measures);

/*
 * Measures every node, with the help of up to so many workers if it is worth
 * it and they are to be had; returns how many helped.
 */
extern int	lattice_measure(Population *population, const Promise *promise, int workers,
							NodeVisitor visit, void *arg);

#endif
