/*
 * record_walk.h
 *	  BTDA and ARUBA as in the paper, for any risk and utility.
 */
#ifndef ANONOPT_RECORD_WALK_H
#define ANONOPT_RECORD_WALK_H

#include "postgres.h"

#define MAX_WALK_DIMENSIONS 6

/* A lattice whose node (0, …, 0) is the most general; values in row-major order. */
typedef struct WalkLattice
{
	int			ndims;
	int			size[MAX_WALK_DIMENSIONS];
	int			nnodes;
	const double *risk;
	const double *utility;
	double		least_utility;

	int			nvisited;
	int		   *visited;		/* in order */
	bool	   *seen;
	int			best;			/* or -1 */
} WalkLattice;

extern void walk_btda(WalkLattice *lattice);
extern void walk_aruba(WalkLattice *lattice);
extern void walk_branch_and_bound(WalkLattice *lattice);

#endif
