/*
 * naive_bayes.c
 *	  A naive Bayes classifier, which measures how well a class label can be
 *	  learned from a release.
 *
 * Each leaf's people are counted by label; people in a run of leaves are
 * divided evenly among them, and each leaf and label counts one extra person
 * (Laplace smoothing).  The classifier is tested on all people in the data,
 * even those who are not shown, since decisions would be made about them as
 * well.
 */
#include "compare/comparison.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "miscadmin.h"

typedef struct Classifier
{
	const Population *population;
	uint32		nlabels;
	double	   *prior;			/* by label: ln */
	double	  **likelihood;		/* by attribute; by leaf and label: ln */
} Classifier;

/* Counts people by leaf and label; then the logarithms of their shares. */
static double *
learn_attribute(const Classes *shown, int a, int column, const double *people, uint32 nlabels)
{
	const Histograms *histograms = shown->population->columns[column];
	uint32		nleaves = shown->population->attrs[a].hierarchy->nleaves;
	double	   *counts = budget_alloc_zero(sizeof(double) * nlabels, (Size) nleaves + 1);

	for (uint32 class = 0; class < shown->n; class++)
	{
		const ClassHistogram *slice = &histograms->slices[shown->table->slices[column][class]];
		Size		at = class_at(shown, class, a);
		Size		first = shown->first_leaf[at];
		uint32		n = shown->leaves[at];

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < slice->length; i++)
		{
			const ValueCount *entry = &histograms->entries[slice->start + i];

			counts[first * nlabels + entry->value] += (double) entry->count / n;
			counts[(first + n) * nlabels + entry->value] -= (double) entry->count / n;
		}
	}
	for (uint32 label = 0; label < nlabels; label++)
	{
		double		sum = 0;

		for (Size leaf = 0; leaf < nleaves; leaf++)
		{
			sum += counts[leaf * nlabels + label];
			counts[leaf * nlabels + label] = log((Max(sum, 0) + 1) / (people[label] + nleaves));
		}
	}
	return counts;
}

/* The probability of each label for a tuple. */
static void
classify(const Classifier *classifier, uint32 tuple, double *scores)
{
	const Population *population = classifier->population;
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	double		best = -HUGE_VAL;
	double		sum = 0;

	for (uint32 label = 0; label < classifier->nlabels; label++)
	{
		scores[label] = classifier->prior[label];
		for (int a = 0; a < population->nattrs; a++)
			scores[label] += classifier->likelihood[a][(Size) key_get(key, &population->attrs[a].field) * classifier->nlabels + label];
		best = Max(best, scores[label]);
	}
	for (uint32 label = 0; label < classifier->nlabels; label++)
		sum += scores[label] = exp(scores[label] - best);
	for (uint32 label = 0; label < classifier->nlabels; label++)
		scores[label] /= sum;
}

/*
 * People with and without a label, by the probability that the classifier
 * gives it.
 */
typedef struct Scored
{
	double		score;			/* first, for sorting */
	int64		with;
	int64		without;
} Scored;

/*
 * The chance that a person with the label scores higher than one without; a
 * tie counts half.
 */
static double
area_under_curve(Scored *scored, uint32 n)
{
	double		with = 0;
	double		without = 0;
	double		pairs = 0;

	qsort(scored, n, sizeof(Scored), compare_doubles);
	for (uint32 i = 0; i < n;)
	{
		double		tied_with = 0;
		double		tied_without = 0;
		double		score = scored[i].score;

		for (; i < n && scored[i].score == score; i++)
		{
			tied_with += (double) scored[i].with;
			tied_without += (double) scored[i].without;
		}
		pairs += tied_with * (without + tied_without / 2);
		with += tied_with;
		without += tied_without;
	}
	return with > 0 && without > 0 ? pairs / (with * without) : 0.5;
}

ClassifierQuality
naive_bayes_quality(const Classes *shown, int column, const double *people)
{
	const Population *population = shown->population;
	const Histograms *histograms = population->columns[column];
	uint32		ntuples = population->tuples->ntuples;
	Classifier	classifier = {.population = population,.nlabels = histograms->nvalues};
	double	   *scores = budget_alloc(sizeof(double) * classifier.nlabels, (Size) ntuples + 1);
	Scored	   *scored = budget_alloc(sizeof(Scored), (Size) ntuples + 1);
	ClassifierQuality quality = {0};
	int64		right = 0;

	classifier.prior = palloc(sizeof(double) * (classifier.nlabels + 1));
	for (uint32 label = 0; label < classifier.nlabels; label++)
		classifier.prior[label] = log((people[label] + 1) / ((double) (population->people - shown->suppressed) + classifier.nlabels));
	classifier.likelihood = palloc(sizeof(double *) * (population->nattrs + 1));
	for (int a = 0; a < population->nattrs; a++)
		classifier.likelihood[a] = learn_attribute(shown, a, column, people, classifier.nlabels);
	for (uint32 i = 0; i < ntuples; i++)
	{
		double	   *own = scores + (Size) i * classifier.nlabels;
		uint32		likeliest = 0;

		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		classify(&classifier, i, own);
		for (uint32 label = 1; label < classifier.nlabels; label++)
			if (own[label] > own[likeliest])
				likeliest = label;
		right += histograms_count_of(histograms, population->tuples->slices[column][i], likeliest);
	}
	quality.accuracy = (double) right / population->people;
	for (uint32 label = 0; label < classifier.nlabels; label++)
	{
		int64		people = 0;

		for (uint32 i = 0; i < ntuples; i++)
		{
			/* scores that differ only by rounding are tied */
			scored[i].score = rint(scores[(Size) i * classifier.nlabels + label] * 1e9);
			scored[i].with = histograms_count_of(histograms, population->tuples->slices[column][i], label);
			scored[i].without = population->tuples->counts[i] - scored[i].with;
			people += scored[i].with;
		}
		quality.auc += area_under_curve(scored, ntuples) * people / population->people;
	}
	return quality;
}
