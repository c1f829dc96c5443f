/*
 * matches.h
 *	  How many entries of a dictionary a generalized tuple fits.
 */
#ifndef ANONOPT_MATCHES_H
#define ANONOPT_MATCHES_H

#include "engine/class_counter.h"
#include "engine/entry_table.h"
#include "engine/population.h"

typedef struct Matches Matches;

/*
 * Prepares to count: the population's own tuples where there are no entries,
 * labels that are equal where similarity is 0.
 */
extern Matches *matches_create(const Population *population, const EntryTable *entries, double similarity);

/* Goes to a node. */
extern void matches_go(Matches *matches, const int *levels);

/* The entries that a tuple fits there, at least 1. */
extern int64 matches_of(Matches *matches, uint32 tuple);

#endif
