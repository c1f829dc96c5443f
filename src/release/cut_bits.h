/*
 * cut_bits.h
 *	  Partitions of ordered domains, as bit strings.
 */
#ifndef ANONOPT_CUT_BITS_H
#define ANONOPT_CUT_BITS_H

#include "engine/population.h"

/*
 * The recodings that a generalization's bit strings describe.  If they were
 * made before the data had a NULL, NULL is separate from all labels.
 */
extern const Recoding **node_of_cuts(const Population *population, const Datum *cuts, bool null_is_new);

/*
 * Bit strings made before an attribute's hierarchy gained leaves, as they
 * would be made now; without NULL if they were made without.  A label whose
 * leaves are all new joins the group on both sides of it, or is one of its
 * own.  Returns the same bit string if no label is new, or if that cannot be
 * told.  Old leaves are marked; NULL is, too, if it turns out to be old.
 */
extern Datum grown_cut(const Attribute *attr, Datum cut, bool *old);

#endif
