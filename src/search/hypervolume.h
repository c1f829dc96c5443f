/*
 * hypervolume.h
 *	  How much vectors of costs cover, up to a reference.
 */
#ifndef ANONOPT_HYPERVOLUME_H
#define ANONOPT_HYPERVOLUME_H

#include "search/front.h"

/* The volume of all that a member of the front covers and that covers the reference. */
extern double hypervolume(const Front *front, const double *reference);

#endif
