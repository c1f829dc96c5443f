/*
 * population_read.h
 *	  Reads a declared relation into a population.
 */
#ifndef ANONOPT_POPULATION_READ_H
#define ANONOPT_POPULATION_READ_H

#include "catalog/dataset.h"
#include "engine/population.h"

/* With more people than this, exact 128-bit sums could overflow. */
#define MAX_PEOPLE (INT64CONST(1) << 47)

/*
 * Reads the quasi-identifiers, sensitive and class columns of a relation, with
 * the caller's rights and snapshot.
 */
extern Population *population_read(const Dataset *dataset);

/* Fails if a person has several rows, which the named feature cannot count. */
extern void require_row_a_person(const Dataset *dataset, const Population *population, const char *what);

/* Fails if all weights of quasi-identifiers are 0. */
extern void require_weights(const Dataset *dataset, const Population *population);

/* The statement that reads a relation now. */
extern char *reading_statement(const Dataset *dataset);

/*
 * The peak bytes that a number of tuples needs, given their words and further
 * columns: while the tables that count them grow, and in a search, which keeps
 * tables of classes.
 */
extern Size memory_of_tuples(int nwords, int ncolumns, double ntuples);

/*
 * The number of people whose value of an attribute has no leaf, if that is
 * allowed.
 */
extern int64 population_unknown(const Population *population, int attr);

/* The number of people that a share allows at most, as SQL computes it. */
extern int64 share_of_people(double share, int64 people);

#endif
