/*
 * cut_bits.h
 *	  Cuts: partitions of ordered domains, as bit strings, and the labels of
 *	  their groups.
 */
#ifndef ANONOPT_CUT_BITS_H
#define ANONOPT_CUT_BITS_H

#include "engine/population.h"

/* The labels of a cut's groups; no two are equal. */
extern char **group_labels(const Attribute *attr, const Recoding *cut);

/* By bit, whether it separates the labels on both sides. */
extern bool *separated_labels(Datum cut);

/* The bit string that separates labels so. */
extern Datum separating_bits(const bool *separated, int nbits);

/* The recodings that a generalization's bit strings describe. */
extern const Recoding **node_of_cuts(const Population *population, const Datum *cuts);

/*
 * Adapts a bit string to a hierarchy that has gained labels since, or whose
 * last NULL has left.  Labels that had one group still have one.  A new label
 * joins the group on both sides of it, or forms a new group.  Returns 0 if old
 * labels are in another order now.
 */
extern Datum cut_again(const Attribute *attr, Datum cut, const char *const *labels);

#endif
