/*
 * risk.c
 *	  How easily people are recognized: by the sizes of their classes, and as
 *	  the sample of a population.
 *
 * Estimates say, from a sample, how many people of the population are alone
 * in their class.  Zayatz (1991) assumes that class sizes are distributed in
 * the population as in the sample.  Exactly one person of a class of i is
 * drawn with probability i f (1 - f)^(i - 1), where f is the sampling fraction.  So of the classes
 * with one person in the sample, a share of
 *
 *		c(1) f / sum of c(i) i f (1 - f)^(i - 1)
 *
 * has no other person.  In truth small classes are rarer in the population
 * than in the sample, so the estimate is too high, and more so for a smaller
 * fraction.
 *
 * In Pitman's model, as used by Hoshino (2001), people arrive one by one. When
 * i people are in u classes, the next one opens a new class with probability
 * (theta + u alpha) / (theta + i), and joins a class of j with probability (j
 * - alpha) / (theta + i).  The parameters are the maximum likelihood estimates
 * for the sample.  Then everybody's chance of being alone among N is the
 * product of (theta + alpha + i - 1) / (theta + i) for i from 1 to N - 1.
 *
 * Dankar et al. (2012) found Pitman's estimate better for fractions up to a
 * tenth, and above that the lower of Zayatz's and one from a slide negative
 * binomial distribution.  Since the latter's equations often have no solution,
 * Pitman's is used in its place.
 */
#include "engine/risk.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "engine/known_columns.h"

/* ------------------------------------------------------ the sizes of classes */

void
add_class_risks(ClassRisks *risks, int64 own, int64 theirs, int64 classes)
{
	if (theirs == 1)
		risks->uniques += classes;
	if (own == 0)
		return;

	/*
	 * people in the relation belong to the population, even if it lacks them
	 */
	theirs = Max(theirs, own);
	risks->people += own * classes;
	risks->classes += classes;
	risks->smallest = Min(risks->smallest, theirs);
	risks->largest = Max(risks->largest, theirs);
	risks->found += (double) own * classes / theirs;
	if (1.0 / theirs > risks->threshold)
		risks->above += own * classes;
}

typedef struct RiskiestColumns
{
	double		smallest;
	double		average;
	int			size;
	int		   *worst;
} RiskiestColumns;

static void
compare_risks(void *arg, const KnownClasses *classes)
{
	RiskiestColumns *riskiest = arg;
	double		smallest = HUGE_VAL;
	double		all = 0;

	for (uint32 i = 0; i < classes->n; i++)
	{
		smallest = Min(smallest, classes->figures[i]);
		all += classes->figures[i];
	}
	if (riskiest->size > 0 &&
		(smallest > riskiest->smallest || (smallest == riskiest->smallest && classes->n / all <= riskiest->average)))
		return;
	riskiest->smallest = smallest;
	riskiest->average = classes->n / all;
	riskiest->size = classes->size;
	memcpy(riskiest->worst, classes->set, sizeof(int) * classes->size);
}

int
riskiest_columns(const Population *population, int columns, int *worst)
{
	ColumnsKnown known = {.columns = columns,.column = -1};
	RiskiestColumns riskiest = {.worst = worst};

	known_columns_visit(population, population->tuples, NULL, &known, compare_risks, &riskiest);
	return riskiest.size;
}

ClassRisks
own_risks(const Population *population, double threshold)
{
	ClassRisks	risks = {.threshold = threshold,.smallest = PG_INT64_MAX};

	for (uint32 i = 0; i < population->tuples->ntuples && population->people > 0; i++)
	{
		int64		size = class_people(population, population->tuples, i);

		add_class_risks(&risks, size, size, 1);
	}
	return risks;
}

/* --------- estimates of how many people of a population are alone, by a sample */

/* The sampling fraction up to which Pitman's estimate is always used. */
#define SMALL_FRACTION 0.1

/* The golden section of an interval, and the number of iterations. */
#define GOLDEN 0.6180339887498949
#define SECTIONS 60

SampleSizes
sample_sizes(const Population *population, double fraction)
{
	uint32		n = population->tuples->ntuples;
	int64	   *sizes = budget_alloc(sizeof(int64), (Size) n + 1);
	SizeCount  *counts = budget_alloc(sizeof(SizeCount), (Size) n + 1);
	SampleSizes sample = {.sizes = counts,.fraction = fraction};

	for (uint32 i = 0; i < n; i++)
		sizes[i] = class_people(population, population->tuples, i);
	qsort(sizes, n, sizeof(int64), compare_int64s);
	for (uint32 i = 0; i < n; i++)
	{
		if (i == 0 || sizes[i] != sizes[i - 1])
			counts[sample.n++] = (SizeCount)
		{
			sizes[i], 0
		};
		counts[sample.n - 1].classes++;
	}
	pfree(sizes);
	return sample;
}

static int64
count_uniques(const SampleSizes *sample)
{
	return sample->n > 0 && sample->sizes[0].size == 1 ? sample->sizes[0].classes : 0;
}

double
zayatz_uniques(const SampleSizes *sample)
{
	double		uniques = (double) count_uniques(sample);
	double		shown = 0;

	if (uniques == 0)
		return 0;
	for (int i = 0; i < sample->n; i++)
	{
		double		size = (double) sample->sizes[i].size;

		shown += (double) sample->sizes[i].classes * size * pow(1 - sample->fraction, size - 1);
	}
	/* the sample contains its share of the population's uniques */
	return uniques * (uniques / shown) / sample->fraction;
}

/* Data for the search for Pitman's parameters. */
typedef struct Pitman
{
	const SampleSizes *sample;
	double		people;
	double		classes;
} Pitman;

/*
 * ln of the factor of the likelihood that depends on theta, which lies above
 * -alpha.
 */
static double
likelihood_of_theta(const Pitman *p, double alpha, double theta)
{
	double		opened;

	/* ln of the product of theta + i alpha for i from 1 to classes - 1 */
	if (alpha < 1e-12)
		opened = (p->classes - 1) * log(theta);
	else
		opened = (p->classes - 1) * log(alpha) + lgamma(theta / alpha + p->classes) - lgamma(theta / alpha + 1);
	return opened - lgamma(theta + p->people) + lgamma(theta + 1);
}

/* The most likely theta, found by searching over the logarithm of theta + alpha. */
static double
likeliest_theta(const Pitman *p, double alpha)
{
	double		low = log(1e-9);
	double		high = log(p->people) * 2 + log(1e6);

	for (int i = 0; i < SECTIONS; i++)
	{
		double		left = high - GOLDEN * (high - low);
		double		right = low + GOLDEN * (high - low);

		if (likelihood_of_theta(p, alpha, exp(left) - alpha) < likelihood_of_theta(p, alpha, exp(right) - alpha))
			low = left;
		else
			high = right;
	}
	return exp((low + high) / 2) - alpha;
}

/* ln of the likelihood at an alpha and its most likely theta. */
static double
likelihood_of_alpha(const Pitman *p, double alpha)
{
	double		sum = likelihood_of_theta(p, alpha, likeliest_theta(p, alpha));

	for (int i = 0; i < p->sample->n; i++)
	{
		const SizeCount *sizes = &p->sample->sizes[i];

		sum += (double) sizes->classes * (lgamma((double) sizes->size - alpha) - lgamma(1 - alpha));
	}
	return sum;
}

double
pitman_uniques(const SampleSizes *sample)
{
	Pitman		p = {.sample = sample};
	int64		people = 0;
	int64		classes = 0;
	double		population;
	double		low = 0;
	double		high = 1 - 1e-9;
	double		alpha;
	double		theta;

	for (int i = 0; i < sample->n; i++)
	{
		people += sample->sizes[i].size * sample->sizes[i].classes;
		classes += sample->sizes[i].classes;
	}
	p.people = (double) people;
	p.classes = (double) classes;
	population = p.people / sample->fraction;

	/*
	 * without classes of one, or without larger ones, the maximum is at an
	 * end
	 */
	if (count_uniques(sample) == 0)
		return 0;
	if (p.classes == p.people)
		return population;
	for (int i = 0; i < SECTIONS; i++)
	{
		double		left = high - GOLDEN * (high - low);
		double		right = low + GOLDEN * (high - low);

		if (likelihood_of_alpha(&p, left) < likelihood_of_alpha(&p, right))
			low = left;
		else
			high = right;
	}
	alpha = (low + high) / 2;
	theta = likeliest_theta(&p, alpha);
	return population * exp(lgamma(theta + alpha + population - 1) - lgamma(theta + alpha) +
							lgamma(theta + 1) - lgamma(theta + population));
}

double
population_uniques(const SampleSizes *sample)
{
	double		pitman = pitman_uniques(sample);

	return sample->fraction <= SMALL_FRACTION ? pitman : Min(pitman, zayatz_uniques(sample));
}
