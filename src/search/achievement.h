/*
 * achievement.h
 *	  What a publisher would accept, and how near a generalization comes.
 */
#ifndef ANONOPT_ACHIEVEMENT_H
#define ANONOPT_ACHIEVEMENT_H

#include "postgres.h"

/* How much bias and loss would be fine, each in [0,1]. */
typedef struct Preference
{
	double		necd;
	double		nwp;
} Preference;

/* The achievement function: less is nearer, whatever the direction. */
extern double achievement(double necd, double nwp, const Preference *preference);

/*
 * The same of any number of values, each with its preference, its ideal and
 * its importance; preferences are nowhere below the ideal point.
 */
extern double achievement_of(int n, const double *values, const double *preferences, const double *weights,
							 const double *ideal);

/* How much more bias and loss there is than would be fine. */
extern double preference_deviation(double necd, double nwp, const Preference *preference);

#endif
