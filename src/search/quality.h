/*
 * quality.h
 *	  How well a set of nodes stands for the exact non-dominated set.
 */
#ifndef ANONOPT_QUALITY_H
#define ANONOPT_QUALITY_H

#include "search/objective.h"

typedef struct Quality
{
	double		convergence_error;
	double		representation_ratio;
	double		igd_plus;
	int64		minimal;		/* exact nodes, duplicates included */
	int64		boxes;			/* boxes of theirs that no other dominates */
	int64		measured;		/* nodes of the lattice */
	int			helped;			/* workers that did */
} Quality;

/* Measures every node, and the given ones against the exact ones. */
extern void archive_quality(Population *population, const Promise *promise, int nobjectives,
							const Objective *objectives, const double *epsilon,
							int nnodes, int *const *levels, int workers, Quality *quality);

/* Measures nodes alone: what they cover up to a reference, one value an objective. */
extern double nodes_hypervolume(Population *population, const Promise *promise, int nobjectives,
								const Objective *objectives, int nnodes, int *const *levels,
								const double *reference);

#endif
