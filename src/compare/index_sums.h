/*
 * index_sums.h
 *	  Sums over pairs of values, one pair per record, for the quality indices.
 */
#ifndef ANONOPT_INDEX_SUMS_H
#define ANONOPT_INDEX_SUMS_H

#include "postgres.h"

/* A sum as two doubles; the low one is the rounding error of the high one. */
typedef struct LongSum
{
	double		high;
	double		low;
} LongSum;

/* Which sums a caller wants. */
#define SUMS_COUNTS 1
#define SUMS_SPREAD 2
#define SUMS_SQUARES 4
#define SUMS_VOLUME 8

/* Sums over pairs (d1, d2); all zero initially. */
typedef struct IndexSums
{
	int64		records;
	int64		above;			/* records where d1 > d2 */
	int64		below;
	LongSum		spread;			/* of max(d1 - d2, 0) */
	LongSum		squares;		/* of (d1 - d2)^2 */

	/* volume */
	int64		zeros1;			/* records where d1 = 0 */
	int64		zeros2;
	double		product1;		/* of nonzero values; infinite unless an
								 * integer below 2^53 */
	double		product2;
	double		product_min;
	LongSum		ln1;			/* of ln d1, where it is not 0 */
	LongSum		ln2;
	LongSum		drop;			/* of ln(d1 / d2) where d1 > d2 > 0 */
	LongSum		rise;			/* of ln(d2 / d1) where d2 > d1 > 0 */
	LongSum		magnitude;		/* of |ln d1| + |ln d2| */
} IndexSums;

typedef enum Dominance
{
	DOMINANCE_EQUAL,
	DOMINANCE_BETTER,
	DOMINANCE_WORSE,
	DOMINANCE_INCOMPARABLE
} Dominance;

/* Adds a number of records with the same pair. */
extern void index_sums_add(IndexSums *sums, int wanted, double d1, double d2, int64 records);
extern void index_sums_merge(IndexSums *sums, const IndexSums *others);

extern double index_sums_rank(const IndexSums *sums);
extern double index_sums_cov(const IndexSums *sums);
extern double index_sums_spr(const IndexSums *sums);
extern double index_sums_hv(const IndexSums *sums);
extern double index_sums_ln_hv(const IndexSums *sums);
extern Dominance index_sums_dominance(const IndexSums *sums);

/*
 * Whether the volume of d1 over d2 is greater than (1), less than (-1) or
 * equal to (0) that of d2 over d1.
 */
extern int	index_sums_hv_order(const IndexSums *sums);

#endif
