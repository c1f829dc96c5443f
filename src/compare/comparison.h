/*
 * comparison.h
 *	  Compares nodes, releases and data by quality indices.
 */
#ifndef ANONOPT_COMPARISON_H
#define ANONOPT_COMPARISON_H

#include "postgres.h"

#include "compare/node_properties.h"
#include "compare/shown_runs.h"

/* ------------------ sums over pairs of values, one pair per record, for the */

/* A sum as two doubles; the low one is the rounding error of the high one. */
typedef struct LongSum
{
	double		high;
	double		low;
} LongSum;

/* Which sums a caller wants. */
#define SUMS_COUNTS 1
#define SUMS_SPREAD 2
#define SUMS_SQUARES 4
#define SUMS_VOLUME 8

/* Sums over pairs (d1, d2); all zero initially. */
typedef struct IndexSums
{
	int64		records;
	int64		above;			/* records where d1 > d2 */
	int64		below;
	LongSum		spread;			/* of max(d1 - d2, 0) */
	LongSum		squares;		/* of (d1 - d2)^2 */

	/* volume */
	int64		zeros1;			/* records where d1 = 0 */
	int64		zeros2;
	double		product1;		/* of nonzero values; infinite unless an
								 * integer below 2^53 */
	double		product2;
	double		product_min;
	LongSum		ln1;			/* of ln d1, where it is not 0 */
	LongSum		ln2;
	LongSum		drop;			/* of ln(d1 / d2) where d1 > d2 > 0 */
	LongSum		rise;			/* of ln(d2 / d1) where d2 > d1 > 0 */
	LongSum		magnitude;		/* of |ln d1| + |ln d2| */
} IndexSums;

typedef enum Dominance
{
	DOMINANCE_EQUAL,
	DOMINANCE_BETTER,
	DOMINANCE_WORSE,
	DOMINANCE_INCOMPARABLE
} Dominance;

/* Adds a number of records with the same pair. */
extern void index_sums_add(IndexSums *sums, int wanted, double d1, double d2, int64 records);
extern void index_sums_merge(IndexSums *sums, const IndexSums *others);

extern double index_sums_rank(const IndexSums *sums);
extern double index_sums_cov(const IndexSums *sums);
extern double index_sums_spr(const IndexSums *sums);
extern double index_sums_hv(const IndexSums *sums);
extern double index_sums_ln_hv(const IndexSums *sums);
extern Dominance index_sums_dominance(const IndexSums *sums);

/*
 * Whether the volume of d1 over d2 is greater than (1), less than (-1) or
 * equal to (0) that of d2 over d1.
 */
extern int	index_sums_hv_order(const IndexSums *sums);

/* -------------------------------------- two nodes compared person by person */

typedef struct Comparer Comparer;

/* A person's property in one node and in another. */
typedef struct Comparison
{
	IndexSums	a_over_b;
	IndexSums	b_over_a;
	IndexSums	a_to_best;		/* for P_rank */
	IndexSums	b_to_best;
} Comparison;

extern Comparer *comparer_create(Population *population, const Promise *promise);

/* Properties of people in any classes, by the population's tuples. */
typedef struct Side
{
	const NodeProperties *properties;
	const uint32 *class_of;
} Side;

/* Compares any two generalizations, tuple by tuple. */
extern void compare_sides(const Population *population, const Side *a, const Side *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

/*
 * Compares two nodes by some properties; which sums are computed is given as
 * in index_sums_add.
 */
extern void compare_nodes(Comparer *comparer, const int *a, const int *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

/* ---------------- A naive Bayes classifier, which measures how well a class */

/* How well a classifier predicts the label of a population's people. */
typedef struct ClassifierQuality
{
	double		accuracy;		/* share of people it classifies correctly */
	double		auc;			/* area under the ROC curve, a mean over the
								 * labels weighted by their people; 0.5 is
								 * guessing */
} ClassifierQuality;

/*
 * Trains on the classes shown to predict the class label, a counted column,
 * and tests on the original data.
 */
extern ClassifierQuality naive_bayes_quality(const ShownRuns *shown, int label_column);

#endif
