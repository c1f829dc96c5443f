/*
 * population_uniques.h
 *	  Estimates, from a sample, how many people of a population are alone in
 *	  their class.
 */
#ifndef ANONOPT_POPULATION_UNIQUES_H
#define ANONOPT_POPULATION_UNIQUES_H

#include "engine/population.h"

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
