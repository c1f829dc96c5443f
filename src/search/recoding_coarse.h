/*
 * recoding_coarse.h
 *	  Some tuples as a few clusters of what a node would show alike.
 */
#ifndef ANONOPT_RECODING_COARSE_H
#define ANONOPT_RECODING_COARSE_H

#include "base/prng.h"
#include "search/recoding_ground.h"

typedef struct Coarsening Coarsening;

/* For up to so many tuples at a time. */
extern Coarsening *coarsening_create(const Ground *ground, int room);

/*
 * Numbers the clusters of some tuples: by tuple its cluster's.  Returns how
 * many there are; chance decides about how many, and which levels are raised.
 */
extern int	coarsen(Coarsening *coarsening, const uint32 *tuples, int ntuples, Prng *prng, int *cluster_of);

#endif
