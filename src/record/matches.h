/*
 * matches.h
 *	  Matches of records with a table of weights, exact and approximate.
 */
#ifndef ANONOPT_MATCHES_H
#define ANONOPT_MATCHES_H

#include "postgres.h"

#include "engine/node_classes.h"
#include "engine/outside.h"
#include "engine/population.h"

typedef struct Matches Matches;

/*
 * Whether entries are counted by the people whose they are: those of the
 * population itself, if a person may have several.  Only for equal labels.
 */
extern bool counts_persons(const Population *population, const Outsiders *entries);

/*
 * Prepares to count entries, or the population's own tuples if there are none;
 * labels must be equal if similarity is 0.
 */
extern Matches *matches_create(const Population *population, const Outsiders *entries, double similarity);

/* Moves to a node. */
extern void matches_go(Matches *matches, const int *levels);

/* The number of entries that match a tuple there, at least 1. */
extern int64 matches_of(Matches *matches, uint32 tuple);

/*
 * The number of each tuple's class at the node, below a limit, if a tuple
 * matches only its own class; otherwise NULL.
 */
extern const uint32 *matches_classes(const Matches *matches, uint32 *limit);

/* ----------------------------------------- jaro's similarity of two strings */

/* The Jaro similarity of two strings of characters, in [0,1]; 1 for two empty ones. */
extern double jaro(const uint32 *a, int na, const uint32 *b, int nb);

/* Splits a text in the database's encoding into characters; returns their number. */
extern int	characters_of(const char *string, int length, uint32 **characters);

#endif
