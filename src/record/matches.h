/*
 * matches.h
 *	  Counts the entries of a dictionary that match a generalized tuple.
 */
#ifndef ANONOPT_MATCHES_H
#define ANONOPT_MATCHES_H

#include "engine/class_counter.h"
#include "engine/entry_table.h"
#include "engine/population.h"

typedef struct Matches Matches;

/*
 * Whether entries are counted by the people whose they are: those of the
 * population itself, if a person may have several.  Only for equal labels.
 */
extern bool counts_persons(const Population *population, const EntryTable *entries);

/*
 * Prepares to count entries, or the population's own tuples if there are none;
 * labels must be equal if similarity is 0.
 */
extern Matches *matches_create(const Population *population, const EntryTable *entries, double similarity);

/* Moves to a node. */
extern void matches_go(Matches *matches, const int *levels);

/* The number of entries that match a tuple there, at least 1. */
extern int64 matches_of(Matches *matches, uint32 tuple);

/*
 * The number of each tuple's class at the node, below a limit, if a tuple
 * matches only its own class; otherwise NULL.
 */
extern const uint32 *matches_classes(const Matches *matches, uint32 *limit);

#endif
