/*
 * ancestors.h
 *	  Measured nodes, and what is least among those above a node.
 */
#ifndef ANONOPT_ANCESTORS_H
#define ANONOPT_ANCESTORS_H

#include "engine/population.h"

typedef struct Ancestors Ancestors;

extern Ancestors *ancestors_create(const Population *population);

/*
 * Remembers a value of a node within the declared levels, while there is
 * memory: what is forgotten only makes a bound less tight.
 */
extern void ancestors_add(Ancestors *ancestors, const int *levels, int64 value);

/* The least value of the remembered nodes that are nowhere below one; PG_INT64_MAX without any. */
extern int64 ancestors_least(const Ancestors *ancestors, const int *levels);

#endif
