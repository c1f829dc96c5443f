/*
 * naive_bayes.h
 *	  A simple classifier: how well a class label can be learned from data as
 *	  they are shown.
 */
#ifndef ANONOPT_NAIVE_BAYES_H
#define ANONOPT_NAIVE_BAYES_H

#include "compare/shown_runs.h"

/* How well a classifier tells the people of a population apart. */
typedef struct ClassifierQuality
{
	double		accuracy;		/* share of people it is right about */
	double		auc;			/* area under the curve, a mean over the
								 * labels by their people; 0.5: guessing */
}			ClassifierQuality;

/* Learns the class label, a counted column, from what is shown, and is tried on the data as they are. */
extern ClassifierQuality naive_bayes_quality(const ShownRuns * shown, int label_column);

#endif
