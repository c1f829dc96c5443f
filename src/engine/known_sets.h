/*
 * known_sets.h
 *	  What every set of columns that may be known suppresses by itself: bounds
 *	  for searches.
 */
#ifndef ANONOPT_KNOWN_SETS_H
#define ANONOPT_KNOWN_SETS_H

#include "engine/population.h"

typedef struct KnownSets KnownSets;

/*
 * Counts them at every combination of their levels, up to a limit of rows that
 * may be suppressed; with a deadline, or 0, only as many as half of the time
 * is enough for.  Returns NULL if nothing is promised of known columns.
 */
extern KnownSets *known_sets_create(const Population *population, int64 limit, int64 deadline);

/*
 * Whether every node that is nowhere above a given one suppresses more than a
 * limit; if not, it is the last one looked at.
 */
extern bool known_sets_out(KnownSets *sets, const int *levels, int64 limit);

/*
 * What those who are suppressed at the last node, and so at all below, lose more
 * than by their labels: by attribute and level, each attribute's levels after
 * those of the one before, for levels between two nodes.
 */
extern void known_sets_lost(const KnownSets *sets, const int *lowest, const int *highest, int128 *more);

/* The tuples that have been looked at, to compare efforts. */
extern int64 known_sets_effort(const KnownSets *sets);

/* About as many are looked at when a node is measured. */
extern int64 known_sets_measuring(const KnownSets *sets);

#endif
