/*
 * refinement.h
 *	  What classes that show one tuple tell about wider ones: refinement.c.
 */
#ifndef ANONOPT_REFINEMENT_H
#define ANONOPT_REFINEMENT_H

#include "engine/classes.h"

typedef struct Refinement Refinement;

/*
 * Takes boxes, given by box and attribute as runs of leaves; of one that is in
 * no class, all are empty.  They must stay, and may be widened.
 */
extern Refinement *refinement_create(const Population *population, uint32 n, uint32 *first_leaf, uint32 *leaves);

/* Whether a box has several tuples under its labels. */
extern bool refinement_is_wide(const Refinement *refinement, uint32 box);

/* The number of them that are possible, or any number from enough on. */
extern int64 refinement_possible(const Refinement *refinement, uint32 box, int64 enough);

/* Finds the classes with fewer possible tuples than the population must have. */
extern void refine_boxes(const Classes *classes, bool *refined);

/* What can be concluded about a column, or about tuples of all columns. */
typedef struct Refined
{
	int64		people_wide;	/* in classes that show several leaves */
	double		leaves_shown;	/* mean number of these, and */
	double		leaves_left;	/* of those that somebody there may have */
	int64		people_branch_out;	/* for whom a whole branch is impossible */
	int64		people_certain; /* whose leaf is the only one left to whoever
								 * knows their other leaves */
	int64		least_possible; /* tuples of a class; 0 if none is wide */
	int64		people_below_k; /* in classes with fewer possible tuples than
								 * people in the smallest class */
	double		weight;			/* people of classes, by whom means are taken */
} Refined;

/* Fills one for each attribute of classes that have been counted, then that of all. */
extern void refine_classes(const Classes *classes, Refined *refined);

#endif
