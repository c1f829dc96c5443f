/*
 * class_cache.h
 *	  Classes of nodes in any order, each from those of a finer node before.
 */
#ifndef ANONOPT_CLASS_CACHE_H
#define ANONOPT_CLASS_CACHE_H

#include "engine/population.h"

typedef struct ClassCache ClassCache;

extern ClassCache *class_cache_create(Population *population);
extern void class_cache_free(ClassCache *cache);

/* The classes of a node, valid until the next call; and how its attributes are shown. */
extern const TupleTable *class_cache_classes(ClassCache *cache, const int *levels, Recodings *node);

#endif
