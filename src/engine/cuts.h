/*
 * cuts.h
 *	  Partitions of ordered domains into runs, with one bit between neighbours.
 */
#ifndef ANONOPT_CUTS_H
#define ANONOPT_CUTS_H

#include "engine/measure.h"
#include "engine/population.h"
#include "engine/worker_pool.h"

/* A boundary between neighbouring labels of an attribute's lowest level. */
typedef struct Boundary
{
	bool		fixed;			/* separates labels of the highest level */
	int			height;			/* lowest level at which its neighbours share
								 * a label */
	int			speaker;		/* the boundary whose bit decides: itself, or
								 * if cuts follow the tree the first directly
								 * below that label */
	int			above;			/* along the tree, the boundary that
								 * represents the next label above; or -1 */
} Boundary;

/* All cuts of a population. */
typedef struct CutSpace
{
	Population *population;
	int			nbits;
	int			nwords;			/* of 64 bits, per cut */
	int			first_bit[MAX_ATTRIBUTES + 1];	/* by attribute */
	Boundary   *boundaries;		/* by bit */
	int		   *from_top;		/* bits, those of the highest labels first */
	int64	  **people_before;	/* by attribute and label: people under labels
								 * before it */
} CutSpace;

/* Groups of the attributes named here must be labels of their hierarchies; NULL: of none. */
extern CutSpace *cut_space_create(Population *population, const bool *along_tree);

static inline bool
cut_has(const uint64 *cut, int bit)
{
	return (cut[bit / 64] >> (bit % 64)) & 1;
}

static inline void
cut_set(uint64 *cut, int bit)
{
	cut[bit / 64] |= UINT64CONST(1) << (bit % 64);
}

/* The cut of a node, given by its levels. */
extern void cut_of_levels(const CutSpace *space, const int *levels, uint64 *cut);

/* Changes a cut to an allowed one. */
extern void cut_repair(const CutSpace *space, uint64 *cut);

/* The number of groups of an attribute in a cut. */
extern int	cut_groups(const CutSpace *space, const uint64 *cut, int a);

/*
 * The loss of a cut, as measure() computes it for a node, given the additional
 * leaves lost by suppressed people, by attribute, or NULL if there are none.
 */
extern double cut_nwp(const CutSpace *space, const uint64 *cut, const int128 *lost);

/* ---------------------- the worker-pool task that evaluates cuts one by one */

/*
 * An item is two cuts, of the space's nwords words each: one that is nowhere coarser than any in
 * its batch, and the one to evaluate.
 */
typedef struct CutArgument
{
	Promise		promise;		/* classes smaller than its k are suppressed,
								 * if no more people than its limit are in
								 * them and somebody remains */
	bool		wants_measures; /* all of them, not just the three */
} CutArgument;

/* As measure() computes them for a node. */
typedef struct CutResult
{
	int64		k;				/* of the remaining classes; less than
								 * requested if nothing could be suppressed */
	double		necd;
	double		nwp;
	Measures	measures;		/* if requested: the same cut, without
								 * suppression if it is not feasible */
} CutResult;

extern const PoolWork evaluate_cuts_work;

#endif
