/*
 * achievement.h
 *	  The achievement function: how close a generalization comes to a
 *	  publisher's preference.
 */
#ifndef ANONOPT_ACHIEVEMENT_H
#define ANONOPT_ACHIEVEMENT_H

#include "postgres.h"

/*
 * The achievement function of a bias and a loss, given the preferred ones:
 * less is closer, in every direction.
 */
extern double achievement(double necd, double nwp, double necd_preferred, double nwp_preferred);

/*
 * The same for any number of values, each with its preference, its ideal and
 * its importance; preferences are nowhere below the ideal point.
 */
extern double achievement_of(int n, const double *values, const double *preferences, const double *weights,
							 const double *ideal);

#endif
