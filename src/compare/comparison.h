/*
 * comparison.h
 *	  Compares generalizations by properties of people, quality indices, and
 *	  what they are good for.
 */
#ifndef ANONOPT_COMPARISON_H
#define ANONOPT_COMPARISON_H

#include "postgres.h"

#include "engine/classes.h"

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
#define SUMS_ALL (SUMS_COUNTS | SUMS_SPREAD | SUMS_SQUARES | SUMS_VOLUME)

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

/* --------------------------------------- the properties of people in classes */

typedef enum Property
{
	PROPERTY_CLASS_SIZE,
	PROPERTY_SENSITIVE_COUNT,
	PROPERTY_OTHERS_COUNT,
	PROPERTY_LOSS,
	PROPERTY_UTILITY,
	PROPERTY_WEIGHTED_LOSS,
	PROPERTY_WEIGHTED_UTILITY,
	PROPERTIES
} Property;

extern const char *const property_names[PROPERTIES];

/* Whether a property is about the first sensitive column. */
extern bool property_is_sensitive(Property property);

/* Whether less of a property is better. */
extern bool property_falls(Property property);

/* The properties of the people in classes. */
typedef struct ClassProperties
{
	const Classes *classes;
	bool	   *suppressed;		/* by class; those in none are one more */
	double	   *loss;			/* by class, not suppressed */
	double	   *weighted;		/* the same, weighted as nwp is */
	int64		nsuppressed;	/* people: a class of their own */
	int64		suppressed_people;	/* different ones */
	uint32		suppressed_slice;	/* their sensitive values */
} ClassProperties;

/*
 * Allocated in the current memory context; histograms are built if there is a
 * sensitive column.
 */
extern ClassProperties *class_properties(Classes *classes, Measurer *measurer);

/* The property of a person with a given sensitive value in the class of a tuple. */
extern double property_of(const ClassProperties *properties, Property property, uint32 tuple, uint32 value);

/* The best possible property of a person with a given sensitive value. */
extern double property_best(const Population *population, Property property, uint32 value);

/* -------------------------------- two generalizations compared person by person */

typedef struct Comparer Comparer;

/* A person's property in one generalization and in another. */
typedef struct Comparison
{
	IndexSums	a_over_b;
	IndexSums	b_over_a;
	IndexSums	a_to_best;		/* for P_rank */
	IndexSums	b_to_best;
} Comparison;

extern Comparer *comparer_create(Population *population, const Promise *promise);

/*
 * Compares any two generalizations of the same tuples by some properties; which
 * sums are computed is given as in index_sums_add.
 */
extern void compare_classes(const ClassProperties *a, const ClassProperties *b, int nproperties,
							const Property *properties, int wanted, Comparison *comparisons);

/* Compares two nodes. */
extern void compare_nodes(Comparer *comparer, const int *a, const int *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

/* ------------------------------------------- quality indices of a comparison */

typedef enum QualityIndex
{
	INDEX_RANK,
	INDEX_COV,
	INDEX_SPR,
	INDEX_HV,
	INDEX_LN_HV,
	INDEX_BINARY,
	INDEX_DOMINANCE,
	INDICES
} QualityIndex;

extern const char *const index_names[INDICES];

/* The sums that each index needs. */
extern const int index_sums[INDICES];

/* An index of one side; dominance is 1 if it is nowhere below the other. */
extern double index_value(QualityIndex index, const IndexSums *sums, const IndexSums *to_best);

/*
 * Whether a is better (1), b is (-1) or neither is (0); less is better for a
 * loss and for a rank.
 */
extern int	better_side(QualityIndex index, Property property, const Comparison *comparison);

/* ------------------------ what data are good for as a release shows them */

/*
 * People by leaf of an attribute; the people of a run are divided evenly among
 * its leaves.
 */
extern double *people_by_leaf(const Classes *classes, int attr);

/* People by value of a counted column. */
extern double *people_by_value(const Classes *classes, int column);

/* What a column has: people by leaf of its hierarchy, or by value, which are texts then. */
typedef struct ColumnValues
{
	const char *name;
	const Hierarchy *hierarchy; /* or NULL */
	uint32		n;
	const char *const *values;	/* NULL for null */
	const double *people;
	const double *left_out;
	const double *shown;
} ColumnValues;

/* Receives a band of them, whose name is NULL if its values have few people. */
typedef void (*PutBand) (void *arg, const char *column, const char *band, double people, double left_out, double shown);

/* Puts a column's bands, each of which has at least so many people if it has a name. */
extern void put_bands(const ColumnValues *column, double least, PutBand put, void *arg);

/* Receives a measure of one or two columns, or of none; NaN is no number. */
typedef void (*PutUsefulness) (void *arg, const char *measure, const char *column, const char *other, double before,
							   double after, double value);

/*
 * Measures what is lost from the classes of the original data to those that a
 * release shows, which have been counted.
 */
extern void measure_usefulness(const Classes *before, const Classes *after, int nqueries, int64 seed, PutUsefulness put,
							   void *arg);

/* ---------------------------------------------------------- a classifier */

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
 * given the people shown with each label; tests on the original data.
 */
extern ClassifierQuality naive_bayes_quality(const Classes *shown, int label_column, const double *people);

#endif
