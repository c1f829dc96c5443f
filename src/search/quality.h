/*
 * quality.h
 *	  How near a front is to another.
 */
#ifndef ANONOPT_QUALITY_H
#define ANONOPT_QUALITY_H

#include "search/front.h"
#include "search/objective.h"

typedef struct Quality
{
	double		convergence_error;
	double		representation_ratio;
	double		igd_plus;
	int64		minimal;		/* exact nodes, including duplicates */
	int64		boxes;			/* their boxes that no other dominates */
	int64		measured;		/* nodes of the lattice */
	int			helped;			/* workers that helped */
} Quality;

/* Measures every node, and compares the given ones with the exact ones. */
extern void archive_quality(Population *population, const Promise *promise, int nobjectives,
							const Objective *objectives, const double *epsilon,
							int nnodes, int *const *levels, int workers, Quality *quality);

/*
 * Measures only the given nodes: the volume they cover up to a reference,
 * given by one value per objective.
 */
extern double nodes_hypervolume(Population *population, const Promise *promise, int nobjectives,
								const Objective *objectives, int nnodes, int *const *levels,
								const double *reference);

/* -------------------- the volume covered by cost vectors, up to a reference */

/*
 * The volume of all vectors that a member of the front covers and that cover
 * the reference.
 */
extern double hypervolume(const Front *front, const double *reference);

#endif
