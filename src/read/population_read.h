/*
 * population_read.h
 *	  From a declared relation to a population.
 */
#ifndef ANONOPT_POPULATION_READ_H
#define ANONOPT_POPULATION_READ_H

#include "catalog/dataset.h"
#include "engine/population.h"

/* More people than this and exact 128-bit sums could overflow. */
#define MAX_PEOPLE (INT64CONST(1) << 47)

/*
 * Reads the quasi-identifiers, sensitive and class columns of a relation,
 * with the caller's rights and snapshot.  Without rows there are no tuples.
 */
extern Population *population_read(const Dataset *dataset);

/* Fails where a person has several rows, which something cannot count. */
extern void require_row_a_person(const Dataset *dataset, const Population *population, const char *what);

/* Fails where no quasi-identifier weighs anything. */
extern void require_weights(const Dataset *dataset, const Population *population);

/* The statement that reads a relation now. */
extern char *reading_statement(const Dataset *dataset);

/*
 * Bytes that so many tuples, of so many words and columns beside, take where
 * they take most: while the tables that count them grow, and in a search,
 * which keeps tables of classes.
 */
extern Size memory_of_tuples(int nwords, int ncolumns, double ntuples);

/* The people whose value of an attribute has no leaf, where that is admitted. */
extern int64 population_unknown(const Population *population, int attr);

/* The people that a share of them is at most, as SQL computes it. */
extern int64 share_of_people(double share, int64 people);

#endif
