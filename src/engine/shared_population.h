/*
 * shared_population.h
 *	  A population in shared memory.
 */
#ifndef ANONOPT_SHARED_POPULATION_H
#define ANONOPT_SHARED_POPULATION_H

#include "engine/population.h"

/* The bytes that a population needs. */
extern Size shared_population_size(const Population *population);

extern void shared_population_write(const Population *population, char *bytes);

/* The population in such bytes, which must stay allocated; names are not shared. */
extern Population *shared_population_read(char *bytes, MemoryContext context);

#endif
