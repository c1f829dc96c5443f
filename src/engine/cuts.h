/*
 * cuts.h
 *	  Partitions of ordered domains into runs: one bit between neighbours.
 */
#ifndef ANONOPT_CUTS_H
#define ANONOPT_CUTS_H

#include "engine/population.h"

/* A boundary between neighbouring labels of an attribute's lowest level. */
typedef struct Boundary
{
	bool		fixed;			/* parts labels of the highest level */
	int			height;			/* lowest level where its neighbours share a
								 * label */
	int			speaker;		/* the first boundary right below that label:
								 * where cuts follow the tree, its bit counts */
	int			above;			/* the boundary that speaks for the label next
								 * above; -1 for none */
} Boundary;

/* All cuts of a population. */
typedef struct CutSpace
{
	Population *population;
	bool		taxonomy;		/* cuts must follow the hierarchies' trees */
	int			nbits;
	int			nwords;			/* of 64 bits, that hold a cut */
	int			first_bit[MAX_ATTRIBUTES + 1];	/* by attribute */
	Boundary   *boundaries;		/* by bit */
	int		   *from_top;		/* bits, the highest labels' first */
	int64	  **people_before;	/* by attribute and label: people under labels
								 * before it */
} CutSpace;

extern CutSpace *cut_space_create(Population *population, bool taxonomy);

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

/* The cut of a node given by levels. */
extern void cut_of_levels(const CutSpace *space, const int *levels, uint64 *cut);

/* Makes a cut one that is allowed. */
extern void cut_repair(const CutSpace *space, uint64 *cut);

/* The number of groups that a cut leaves an attribute. */
extern int	cut_groups(const CutSpace *space, const uint64 *cut, int a);

/*
 * What a cut loses, as measure says it of a node, given the leaves that
 * suppressed people lose beside: by attribute, or NULL where nobody is.
 */
extern double cut_nwp(const CutSpace *space, const uint64 *cut, const int128 *lost);

#endif
