/*
 * hypervolume.h
 *	  The volume covered by cost vectors, up to a reference.
 */
#ifndef ANONOPT_HYPERVOLUME_H
#define ANONOPT_HYPERVOLUME_H

#include "search/front.h"

/*
 * The volume of all vectors that a member of the front covers and that cover
 * the reference.
 */
extern double hypervolume(const Front *front, const double *reference);

#endif
