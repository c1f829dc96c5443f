/*
 * known_columns.h
 *	  Promises against people who know only some of the columns.
 */
#ifndef ANONOPT_KNOWN_COLUMNS_H
#define ANONOPT_KNOWN_COLUMNS_H

#include "engine/population.h"

/*
 * The number of columns of each set, and of such sets; the first set, and the
 * next, in lexicographic order.
 */
extern int	known_columns_size(const Population *population, const ColumnsKnown *known);
extern double known_columns_sets(int nattrs, int size);
extern void known_columns_first(int *set, int size);
extern bool known_columns_next(int *set, int size, int nattrs);

/* The number of all sets of all promises; fails if they are too many to be remembered. */
extern Size known_columns_count(const Population *population);

/* The place of the column whose histograms a promise needs, or -1 if rows are people. */
extern int	known_columns_column(const Population *population, const ColumnsKnown *known);

/*
 * The people or values of rows with the same labels of a set, given the
 * histograms of that column; people until there are enough.
 */
extern double known_columns_figure(const Population *population, const ColumnsKnown *known,
								   const uint32 *slices, uint32 n, int64 rows, int64 enough);

/*
 * Hides further classes of a node, until those that are left keep the promises
 * about known columns; hidden[] says which are gone already.  If requested,
 * notes the number of the promise that each of the others was hidden for, or -1.
 */
extern void known_columns_hide(const Population *population, const TupleTable *classes, bool *hidden);
extern void known_columns_hide_for(const Population *population, const TupleTable *classes, bool *hidden,
								   int *promise);

/*
 * The people in the smallest class of any so many columns of what is left, or
 * of all if hidden is NULL; 0 if nothing is left.
 */
extern int64 known_columns_least(const Population *population, const TupleTable *classes,
								 const bool *hidden, int columns);

/* The classes of the rows that are left by the labels of a set. */
typedef struct KnownClasses
{
	const int  *set;
	int			size;
	uint32		n;
	const uint64 *keys;			/* of each: its codes; those of other columns
								 * are 0 */
	const double *figures;		/* its people or values */
	const uint32 *start;		/* the first of its histograms of the column,
								 * if there is one, among */
	const uint32 *slices;
} KnownClasses;

/* Calls a function for every set of so many columns, or for one set alone. */
typedef void (*VisitSet) (void *arg, const KnownClasses *classes);

extern void known_columns_visit(const Population *population, const TupleTable *classes, const bool *hidden,
								const ColumnsKnown *known, VisitSet visit, void *arg);
extern void known_columns_visit_set(const Population *population, const TupleTable *classes, const bool *hidden,
									const ColumnsKnown *known, const int *set, int size, VisitSet visit, void *arg);

/* The least figure, infinite if nothing is left; the first set that has it. */
extern double known_columns_worst(const Population *population, const TupleTable *classes, const bool *hidden,
								  const ColumnsKnown *known, int *worst);

/*
 * Whether people who look alike, whatever is known of them, keep every such
 * promise about a column, given its histogram, or about people, at -1.
 */
extern bool known_columns_kept_alike(const Population *population, int column, int64 people, uint32 number);

/* The most columns for which k is promised, or 0. */
extern int	known_columns_of_k(const Population *population);

#endif
