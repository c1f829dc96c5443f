/*
 * tuple_digest.h
 *	  Tuples of leaves by digests, which are the same in every copy of the data.
 */
#ifndef ANONOPT_TUPLE_DIGEST_H
#define ANONOPT_TUPLE_DIGEST_H

#include "engine/population.h"

/* A digest of each leaf, by attribute; and one of a tuple's leaves, of such attributes (NULL for all). */
extern uint64 **leaf_digests(const Population *population);
extern uint64 tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple);

#endif
