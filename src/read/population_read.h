/*
 * population_read.h
 *	  Reads a declared relation into a population.
 */
#ifndef ANONOPT_POPULATION_READ_H
#define ANONOPT_POPULATION_READ_H

#include "catalog/dataset.h"
#include "catalog/typed_rows.h"
#include "engine/measure.h"
#include "engine/population.h"

/* With more people than this, exact 128-bit sums could overflow. */
#define MAX_PEOPLE (INT64CONST(1) << 47)

/*
 * Reads the quasi-identifiers, sensitive and class columns of a relation, with
 * the caller's rights and snapshot.
 */
extern Population *population_read(const Dataset *dataset);

/* Reads one column, whatever its role, as the only quasi-identifier. */
extern Population *population_read_column(const Dataset *dataset, const Declared *declared);

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

/*
 * Rows of the classes of a relation, which are its distinct tuples, and of a
 * population: a number of people in each, of which one may be 0, and how many
 * classes have them.  Their order does not depend on the plan.
 */
extern QueryRows *read_matched_sizes(const Dataset *dataset, Oid population);

/* Fails unless both have a column, with values that can be compared. */
extern void require_comparable(Oid relation, Oid population, const char *column);

/* --------------------------------------------------------- declared promises */

/*
 * Promises something of every sensitive column, for this call; whether every
 * one is promised a model, and the weakest threshold of them.
 */
extern void promise_of_all(Dataset *dataset, PromiseModel model, double threshold);
extern bool promised_of_all(const Dataset *dataset, PromiseModel model, double *threshold);

/* Merges declared promises of k; the stricter applies. */
extern void promise_add_declared(Promise *promise, const Dataset *dataset);

/* Whether anything is promised, by arguments or declaration. */
extern bool promises_anything(const Promise *promise, const Dataset *dataset);

/*
 * Attaches the promises about columns, and about all classes together, to a
 * population.
 */
extern void population_add_declared(Population *population, const Dataset *dataset);

/* Reads the people of other relations that promises refer to. */
extern void population_read_outside(Population *population, const Dataset *dataset);

/*
 * Fail if something is promised that the named feature cannot keep because
 * the labels of its classes overlap; the first only if it is promised against
 * people who know some of the columns, or several rows.
 */
extern void require_nothing_known(const Dataset *dataset, const char *what);
extern void require_overlaps_kept(const Dataset *dataset, const char *what);

/*
 * Replaces promises about all classes together, for a search for a recoding,
 * by a k that implies them.
 */
extern void promise_imply_limits(Promise *promise, const Dataset *dataset);

#endif
