/*
 * naive_bayes.h
 *	  A naive Bayes classifier, which measures how well a class label can be
 *	  learned from a release.
 */
#ifndef ANONOPT_NAIVE_BAYES_H
#define ANONOPT_NAIVE_BAYES_H

#include "compare/shown_runs.h"

/* How well a classifier predicts the label of a population's people. */
typedef struct ClassifierQuality
{
	double		accuracy;		/* share of people it classifies correctly */
	double		auc;			/* area under the ROC curve, a mean over the
								 * labels weighted by their people; 0.5 is
								 * guessing */
}			ClassifierQuality;

/*
 * Trains on the classes shown to predict the class label, a counted column,
 * and tests on the original data.
 */
extern ClassifierQuality naive_bayes_quality(const ShownRuns * shown, int label_column);

#endif
