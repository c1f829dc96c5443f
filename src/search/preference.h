/*
 * preference.h
 *	  A publisher's preference for several measures, and how close a
 *	  generalization comes to it.
 */
#ifndef ANONOPT_PREFERENCE_H
#define ANONOPT_PREFERENCE_H

#include "search/objective.h"

/* Bias and loss, and any other measures. */
#define MAX_PREFERRED MAX_OBJECTIVES
#define FIRST_FURTHER 2

/* All numbers are costs: less is better. */
typedef struct Preference
{
	int			n;				/* at least bias and loss */
	Objective	measures[MAX_PREFERRED];
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

/* The costs of a node, by measure. */
extern void preference_costs(const Preference *preference, const Measures *measures, double *costs);

/* The achievement function of costs: less is closer. */
extern double preference_achievement(const Preference *preference, const double *costs);

/* The sum by which costs exceed the preferred ones. */
extern double preference_deviation(const Preference *preference, const double *costs);

/*
 * The best value of a measure of which more is better, as a cost: that of a
 * single class of all people.
 */
extern double best_of_one_class(const Population *population, Objective measure);

#endif
