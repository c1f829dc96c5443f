/*
 * node.h
 *	  Rows of anonopt.node.
 */
#ifndef ANONOPT_NODE_H
#define ANONOPT_NODE_H

#include "engine/measure.h"
#include "utils/tuplestore.h"

/* Levels as an array. */
extern Datum levels_datum(const int *levels, int nattrs);

/* Adds a row; levels are NULL for cuts. */
extern void put_node(ReturnSetInfo *result, const Population *population, const int *levels,
					 const Measures *measures);

#endif
