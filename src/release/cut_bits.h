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

#endif
