/*
 * usefulness.h
 *	  What data are good for as a release shows them.
 */
#ifndef ANONOPT_USEFULNESS_H
#define ANONOPT_USEFULNESS_H

#include "engine/classes.h"

/*
 * People by leaf of an attribute; the people of a run are divided evenly among
 * its leaves.
 */
extern double *people_by_leaf(const Classes *classes, int attr);

/* People by value of a counted column. */
extern double *people_by_value(const Classes *classes, int column);

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
