/*
 * recoding_coarse.h
 *	  Clusters tuples that a node would show alike.
 */
#ifndef ANONOPT_RECODING_COARSE_H
#define ANONOPT_RECODING_COARSE_H

#include "base/prng.h"
#include "search/recoding_ground.h"

typedef struct Coarsening Coarsening;

/* Prepares for up to a number of tuples at a time. */
extern Coarsening *coarsening_create(const Ground *ground, int room);

/*
 * Computes the cluster number of each tuple and returns the number of
 * clusters, which is random, as is the choice of levels to raise.
 */
extern int	coarsen(Coarsening *coarsening, const uint32 *tuples, int ntuples, Prng *prng, int *cluster_of);

#endif
