/*
 * read.h
 *	  From a declared relation to a population.
 */
#ifndef ANONOPT_READ_H
#define ANONOPT_READ_H

#include "dataset.h"
#include "population.h"

/* More people than this and exact 128-bit sums could overflow. */
#define MAX_PEOPLE (INT64CONST(1) << 47)

/*
 * Reads the quasi-identifiers, sensitive and class columns of a relation,
 * with the caller's rights and snapshot.  Without rows there are no tuples.
 */
extern Population *population_read(const Dataset *dataset);

/* The people that a share of them is at most, as SQL computes it. */
extern int64 share_of_people(double share, int64 people);

/* Fails with 23514 where a person has more than one row. */
extern void check_persons(Oid relation, const char *person);

#endif
