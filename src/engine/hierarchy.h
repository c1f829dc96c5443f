/*
 * hierarchy.h
 *	  Generalization hierarchies: leaves in preorder and a label for each
 *	  leaf at each level.
 */
#ifndef ANONOPT_HIERARCHY_H
#define ANONOPT_HIERARCHY_H

#include "base/compat.h"

#define NO_LEAF PG_UINT32_MAX

/*
 * A way to show one attribute: the label of every leaf.  A level of a
 * hierarchy is a recoding, and so is a cut of an ordered domain.  Labels are
 * numbered in the order of their leaves, so label_of never decreases.
 */
typedef struct Recoding
{
	uint32		nlabels;
	uint32	   *label_of;		/* label of each leaf */
	uint32	   *first_leaf;		/* first leaf under each label */
	uint32	   *leaves;			/* leaves under each label */
	int128		loss;			/* sum over all people of the other leaves
								 * under their label */
} Recoding;

typedef struct Hierarchy
{
	int			height;			/* levels are 0 (the leaves) to height */
	uint32		nleaves;
	uint32		null_leaf;		/* leaf of NULL, or NO_LEAF */
	bool		in_order;		/* leaves are in the order of their values,
								 * NULL last */
	Recoding   *levels;
	const char ***labels;		/* text by level and label; NULL for the value
								 * NULL */
	uint32	   *sizes_before;	/* running sums of the sizes of leaves, or
								 * NULL if each has size 1; see leaves_lost */
	uint32		own_size;		/* which a person's own leaf has: 1 if leaves
								 * are counted, 0 if their widths are */
} Hierarchy;

/*
 * The size of a run of leaves: their number, the number of those that occur, or
 * their total width.
 */
static inline uint32
leaves_size(const Hierarchy *hierarchy, uint32 first, uint32 n)
{
	return hierarchy->sizes_before == NULL ? n : hierarchy->sizes_before[first + n] - hierarchy->sizes_before[first];
}

/*
 * The loss of a person shown as a run of leaves: the size of all leaves but the
 * person's own, or of all if widths count.  This is the only place that decides
 * what a label loses.  Searches and their bounds use two properties: a run never
 * loses more than one that contains it, because no size is negative; and leaves
 * at level 0 lose nothing if they are counted, because a leaf of size 0 has
 * nobody.
 */
static inline uint32
leaves_lost(const Hierarchy *hierarchy, uint32 first, uint32 n)
{
	return Max(leaves_size(hierarchy, first, n), hierarchy->own_size) - hierarchy->own_size;
}

static inline uint32
label_lost(const Hierarchy *hierarchy, const Recoding *recoding, uint32 label)
{
	return leaves_lost(hierarchy, recoding->first_leaf[label], recoding->leaves[label]);
}

/* The loss of a suppressed person. */
static inline uint32
whole_lost(const Hierarchy *hierarchy)
{
	return hierarchy->nleaves == 0 ? 0 : leaves_lost(hierarchy, 0, hierarchy->nleaves);
}

/*
 * A hierarchy as read from its table: leaves in the order of their values,
 * groups numbered in order of appearance.
 */
typedef struct LeafTable
{
	int			height;
	uint32		nleaves;
	bool		has_null;		/* the last leaf is NULL */
	uint32	  **group;			/* by level (from 1) and leaf */
	uint32	   *ngroups;		/* by level (from 1) */
	const char ***label;		/* by level (from 0) and group or leaf */
} LeafTable;

/* A label whose leaves have different labels one level above. */
typedef struct NestFault
{
	int			level;
	uint32		group;
	uint32		above;			/* two of the groups above it */
	uint32		other;
} NestFault;

/* Finds the faults of nesting, at most one per group; returns their number. */
extern uint32 hierarchy_nest_faults(const LeafTable *table, NestFault **faults);

/* Builds a hierarchy from a sound table; code_of receives each leaf's number. */
extern Hierarchy *hierarchy_build(const LeafTable *table, uint32 **code_of);

/*
 * A hierarchy without levels over a number of values, for a column without a
 * hierarchy.
 */
extern Hierarchy *hierarchy_flat(uint32 nvalues);

/* Gives NULL a leaf after all others. */
extern void hierarchy_add_null(Hierarchy *hierarchy);

/*
 * Gives values without a leaf a common leaf after all others, which is shown
 * as the last level's single label at every level.  It comes before NULL's.
 */
extern uint32 hierarchy_add_unknown(Hierarchy *hierarchy);

/*
 * The part of a hierarchy from a level on: its leaves are the labels of that
 * level, in their order.
 */
extern Hierarchy *hierarchy_above(const Hierarchy *hierarchy, int level);

/*
 * The recoding that merges runs of a finer one's labels: keep[i] separates
 * label i from i + 1.
 */
extern Recoding *recoding_cut(const Hierarchy *hierarchy, const Recoding *finer, const bool *keep);

#endif
