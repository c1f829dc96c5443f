/*
 * tuple_digest.h
 *	  Digests of tuples of leaves, which are the same in every copy of the
 *	  data.
 */
#ifndef ANONOPT_TUPLE_DIGEST_H
#define ANONOPT_TUPLE_DIGEST_H

#include "engine/population.h"

/*
 * A digest of each leaf, by attribute; and a digest of a tuple's leaves, for
 * the given attributes (NULL for all).
 */
extern uint64 **leaf_digests(const Population *population);
extern uint64 tuple_digest(const Population *population, const uint64 *const *digests, const int *attrs, int nattrs, uint32 tuple);

#endif
