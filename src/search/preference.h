/*
 * preference.h
 *	  Preferences of a publisher, and how close values come to them.
 */
#ifndef ANONOPT_PREFERENCE_H
#define ANONOPT_PREFERENCE_H

#include "postgres.h"

#include "search/objective.h"

/* Bias and loss, and any other measures. */
#define MAX_PREFERRED MAX_OBJECTIVES
#define FIRST_FURTHER 2

/* All numbers are costs: less is better. */
typedef struct Preference
{
	Objectives	measures;		/* at least bias and loss */
	double		preferred[MAX_PREFERRED];
	double		weights[MAX_PREFERRED];
	double		ideal[MAX_PREFERRED];
	bool		has_weights;	/* or an ideal point; otherwise all weights
								 * are 1, and 0 is ideal */
} Preference;

/* A preference for bias and loss alone. */
extern void preference_begin(Preference *preference, double necd, double nwp);

/* Adds another measure. */
extern void preference_add(Preference *preference, Objective measure, double preferred, double ideal);

/* The achievement function of costs: less is closer, in every direction. */
extern double preference_achievement(const Preference *preference, const double *costs);

/* The sum by which costs exceed the preferred ones. */
extern double preference_deviation(const Preference *preference, const double *costs);

/*
 * The best value of a measure of which more is better, as a cost: that of a
 * single class of all people.
 */
extern double best_of_one_class(const Population *population, Objective measure);

/* --------------- the achievement function: how close a generalization comes */

/*
 * The achievement function of any number of values, each with its preference,
 * its ideal and its importance; preferences are nowhere below the ideal point.
 */
extern double achievement_of(int n, const double *values, const double *preferences, const double *weights,
							 const double *ideal);

#endif
