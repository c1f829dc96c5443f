/*
 * differential_privacy.h
 *	  What (epsilon, delta)-differential privacy asks of a release: how many rows
 *	  are drawn, and how many must look alike.
 */
#ifndef ANONOPT_DIFFERENTIAL_PRIVACY_H
#define ANONOPT_DIFFERENTIAL_PRIVACY_H

#include "base/compat.h"

typedef struct PrivacyParameters
{
	double		epsilon;		/* 0 if nothing is promised */
	double		delta;
	double		beta;			/* the probability that a row is drawn */
	int64		k;				/* of those drawn that must look alike */
} PrivacyParameters;

/*
 * The parameters, given a beta, or NULL for the largest there is; fails with 22023
 * if they promise nothing, and with 54000 if no k is found.
 */
extern PrivacyParameters privacy_parameters(double epsilon, double delta, const double *beta);

#endif
