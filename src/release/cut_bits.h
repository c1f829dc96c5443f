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
 * Adapts a bit string to leaves that an attribute's hierarchy has gained
 * since; without NULL if it was made without.  A label whose leaves are all
 * new joins the group on both sides of it, or forms a new group.  Returns the
 * same bit string if no label is new, or if that is unknown.  Old leaves are
 * marked; NULL is marked, too, if it turns out to be old.
 */
extern Datum grown_cut(const Attribute *attr, Datum cut, bool *old);

#endif
