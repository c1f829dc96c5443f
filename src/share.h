/*
 * share.h
 *	  A population in shared memory.
 */
#ifndef ANONOPT_SHARE_H
#define ANONOPT_SHARE_H

#include "population.h"

/* The bytes that a population takes. */
extern Size share_size(const Population *population);

extern void share_write(const Population *population, char *bytes);

/* The population in such bytes, which must stay; names are not shared. */
extern Population *share_read(char *bytes, MemoryContext context);

#endif
