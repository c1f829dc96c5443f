/*
 * lattice.h
 *	  Measures all nodes of a lattice.
 */
#ifndef ANONOPT_LATTICE_H
#define ANONOPT_LATTICE_H

#include "engine/measure.h"

/* Called once per node, in any order; returning false ends the search. */
typedef bool (*NodeVisitor) (void *arg, const int *levels, const Measures *measures);

/*
 * Measures every node, with the help of up to a number of workers if that pays
 * off and they are available; returns how many helped.
 */
extern int	lattice_measure(Population *population, const Promise *promise, int workers,
							NodeVisitor visit, void *arg);

#endif
