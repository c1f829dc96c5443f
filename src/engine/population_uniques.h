/*
 * population_uniques.h
 *	  How many people of a population are the only ones of their class,
 *	  estimated from a sample of it.
 */
#ifndef ANONOPT_POPULATION_UNIQUES_H
#define ANONOPT_POPULATION_UNIQUES_H

#include "base/compat.h"

/* So many classes of the sample have such a size. */
typedef struct SizeCount
{
	int64		size;
	int64		classes;
} SizeCount;

/* Sizes of all classes of a sample, ascending, each once; the share of the population that was drawn. */
typedef struct SampleSizes
{
	int			n;
	const SizeCount *sizes;
	double		fraction;
} SampleSizes;

extern double zayatz_uniques(const SampleSizes *sample);
extern double pitman_uniques(const SampleSizes *sample);

/* The one of them to believe. */
extern double population_uniques(const SampleSizes *sample);

#endif
