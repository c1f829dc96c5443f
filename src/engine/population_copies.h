/*
 * population_copies.h
 *	  Copies of a population: without its columns, and in shared memory.
 */
#ifndef ANONOPT_POPULATION_COPIES_H
#define ANONOPT_POPULATION_COPIES_H

#include "engine/measure.h"
#include "engine/population.h"

/* ---------------- lets searches that need no sensitive or class column work */

/* The population without counted columns, which is searched much faster. */
extern Population *population_narrow(const Population *population);

/* Measures the nodes found in a narrow population again, with every column. */
extern void remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes);

/* -------------------------------------------- A population in shared memory */

/* Writes a population; returns the bytes that it takes, even if there is no place for them. */
extern Size shared_population_write(const Population *population, char *bytes);

/* The population in such bytes, which must stay allocated; names are not shared. */
extern Population *shared_population_read(char *bytes, MemoryContext context);

#endif
