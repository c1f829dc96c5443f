/*
 * risk.h
 *	  How easily people are recognized: by the sizes of their classes, and as
 *	  the sample of a population.
 */
#ifndef ANONOPT_RISK_H
#define ANONOPT_RISK_H

#include "engine/population.h"

/* ------------------------------------------------------ the sizes of classes */

/*
 * Sums over classes of people who are sought among others; a person counts
 * once in each class.
 */
typedef struct ClassRisks
{
	double		threshold;
	int64		people;
	int64		classes;
	int64		smallest;		/* class among which they are sought */
	int64		largest;
	int64		uniques;		/* of those classes */
	int64		above;			/* people above the threshold */
	double		found;			/* people expected to be identified */
} ClassRisks;

/* Adds a number of classes with as many own people, who are sought among theirs. */
extern void add_class_risks(ClassRisks *risks, int64 own, int64 theirs, int64 classes);

/*
 * The columns, any so many of which are known, by which people are recognized
 * most easily: with the highest risk of somebody, and then on average.  Returns
 * their number.
 */
extern int	riskiest_columns(const Population *population, int columns, int *worst);

/* The risks of the distinct tuples' classes. */
extern ClassRisks own_risks(const Population *population, double threshold);

/* --------- estimates of how many people of a population are alone, by a sample */

/* The number of classes of a size in the sample. */
typedef struct SizeCount
{
	int64		size;
	int64		classes;
} SizeCount;

/*
 * Takes the distinct class sizes of a sample, ascending, and the sampling
 * fraction.
 */
typedef struct SampleSizes
{
	int			n;
	const SizeCount *sizes;
	double		fraction;
} SampleSizes;

/* The sizes of the distinct tuples' classes. */
extern SampleSizes sample_sizes(const Population *population, double fraction);

extern double zayatz_uniques(const SampleSizes *sample);
extern double pitman_uniques(const SampleSizes *sample);

/* The recommended estimate. */
extern double population_uniques(const SampleSizes *sample);

#endif
