/*
 * achievement.h
 *	  The achievement function: how close a generalization comes to a
 *	  publisher's preference.
 */
#ifndef ANONOPT_ACHIEVEMENT_H
#define ANONOPT_ACHIEVEMENT_H

#include "postgres.h"

/* The preferred bias and loss, each in [0,1]. */
typedef struct Preference
{
	double		necd;
	double		nwp;
} Preference;

/* The achievement function: less is closer, in every direction. */
extern double achievement(double necd, double nwp, const Preference *preference);

/*
 * The same for any number of values, each with its preference, its ideal and
 * its importance; preferences are nowhere below the ideal point.
 */
extern double achievement_of(int n, const double *values, const double *preferences, const double *weights,
							 const double *ideal);

/* The sum of bias and loss in excess of the preferred ones. */
extern double preference_deviation(double necd, double nwp, const Preference *preference);

#endif
