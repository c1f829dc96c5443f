/*
 * class_cache.h
 *	  Classes of nodes visited in any order, each computed from those of an
 *	  earlier, finer node.
 */
#ifndef ANONOPT_CLASS_CACHE_H
#define ANONOPT_CLASS_CACHE_H

#include "engine/population.h"

typedef struct ClassCache ClassCache;

extern ClassCache *class_cache_create(Population *population);
extern void class_cache_free(ClassCache *cache);

/*
 * Returns the classes of a node, valid until the next call, and the recodings
 * of its attributes.
 */
extern const TupleTable *class_cache_classes(ClassCache *cache, const int *levels, Recodings *node);

#endif
