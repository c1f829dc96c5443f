/*
 * index_sums.c
 *	  Sums over pairs of values, one pair per record, for the quality indices.
 *
 * Each sum is two doubles, so that integers add up exactly to 106 bits in any
 * order, and other numbers lose nothing visible.
 *
 * Products of a million values overflow, and their logarithms are so large
 * that a difference drowns in them.  So the logarithm of the factors by which
 * they differ is kept beside the logarithms of the products.  The volume of d1
 * over d2 is prod d1 - prod min, and prod min is prod d1 times exp(-drop).
 * The sign of drop - rise says which of two volumes is larger.  Within
 * rounding they count as equal, and both directions then give the very same
 * number.
 */
#include "compare/comparison.h"

#include <math.h>

#define EXACT_INTEGERS 9007199254740992.0	/* 2^53 */

/* A difference of logarithms below this share of their magnitude is rounding. */
#define TIE 1e-12

/* Adds a number by Knuth's error-free sum, then normalizes the parts. */
static void
long_add(LongSum *sum, double high, double low)
{
	double		total = sum->high + high;
	double		part = total - sum->high;
	double		error = (sum->high - (total - part)) + (high - part);

	if (isinf(total))
	{
		sum->high = total;
		sum->low = 0;
		return;
	}
	error += sum->low + low;
	sum->high = total + error;
	sum->low = error - (sum->high - total);
}

/* Adds a number a given number of times. */
static void
long_add_times(LongSum *sum, double number, int64 times)
{
	double		product = number * times;

	long_add(sum, product, fma(number, (double) times, -product));
}

static double
long_value(const LongSum *sum)
{
	return sum->high + sum->low;
}

/* Adds a difference a given number of times, including its rounding error. */
static void
long_add_difference(LongSum *sum, double a, double b, int64 times)
{
	double		difference = a - b;
	double		part = difference - a;

	long_add_times(sum, difference, times);
	if (!isinf(difference))
		long_add_times(sum, (a - (difference - part)) - (b + part), times);
}

static void
add_square(IndexSums *sums, double d1, double d2, int64 records)
{
	double		difference = d1 - d2;
	double		square = difference * difference;
	double		rest = fma(difference, difference, -square);

	if (records == 1)
		long_add(&sums->squares, square, rest);
	else
	{
		long_add_times(&sums->squares, square, records);
		if (!isinf(square))
			long_add_times(&sums->squares, rest, records);
	}
}

/*
 * Multiplies a product by a factor a given number of times; it becomes infinite
 * once it is not exact.  Zeros are counted elsewhere.
 */
static void
take_factor(double *product, double factor, int64 times)
{
	bool		is_exact = factor < EXACT_INTEGERS && floor(factor) == factor;

	if (isinf(*product) || factor == 0)
		return;
	for (int64 i = 0; i < times && is_exact && factor != 1; i++)
	{
		*product *= factor;
		is_exact = *product < EXACT_INTEGERS;
	}
	if (!is_exact)
		*product = HUGE_VAL;
}

static double
log_of_quotient(double larger, double smaller)
{
	double		excess = (larger - smaller) / smaller;

	return isinf(excess) ? log(larger) - log(smaller) : log1p(excess);
}

static void
add_volume(IndexSums *sums, double d1, double d2, int64 records)
{
	if (sums->product1 == 0)
		sums->product1 = sums->product2 = sums->product_min = 1;
	take_factor(&sums->product1, d1, records);
	take_factor(&sums->product2, d2, records);
	take_factor(&sums->product_min, Min(d1, d2), records);
	sums->zeros1 += d1 == 0 ? records : 0;
	sums->zeros2 += d2 == 0 ? records : 0;
	if (d1 > 0)
	{
		long_add_times(&sums->ln1, log(d1), records);
		long_add_times(&sums->magnitude, fabs(log(d1)), records);
	}
	if (d2 > 0)
	{
		long_add_times(&sums->ln2, log(d2), records);
		long_add_times(&sums->magnitude, fabs(log(d2)), records);
	}
	if (d1 > d2 && d2 > 0)
		long_add_times(&sums->drop, log_of_quotient(d1, d2), records);
	else if (d2 > d1 && d1 > 0)
		long_add_times(&sums->rise, log_of_quotient(d2, d1), records);
}

void
index_sums_add(IndexSums *sums, int wanted, double d1, double d2, int64 records)
{
	sums->records += records;
	sums->above += d1 > d2 ? records : 0;
	sums->below += d1 < d2 ? records : 0;
	if ((wanted & SUMS_SPREAD) && d1 > d2)
		long_add_difference(&sums->spread, d1, d2, records);
	if (wanted & SUMS_SQUARES)
		add_square(sums, d1, d2, records);
	if (wanted & SUMS_VOLUME)
		add_volume(sums, d1, d2, records);
}

static void
long_merge(LongSum *sum, const LongSum *other)
{
	long_add(sum, other->high, other->low);
}

/* A product of 0 means that there is none yet. */
static void
merge_products(double *product, double other)
{
	*product = *product == 0 ? other : *product * (other == 0 ? 1 : other);
	if (*product >= EXACT_INTEGERS)
		*product = HUGE_VAL;
}

void
index_sums_merge(IndexSums *sums, const IndexSums *others)
{
	sums->records += others->records;
	sums->above += others->above;
	sums->below += others->below;
	long_merge(&sums->spread, &others->spread);
	long_merge(&sums->squares, &others->squares);
	sums->zeros1 += others->zeros1;
	sums->zeros2 += others->zeros2;
	merge_products(&sums->product1, others->product1);
	merge_products(&sums->product2, others->product2);
	merge_products(&sums->product_min, others->product_min);
	long_merge(&sums->ln1, &others->ln1);
	long_merge(&sums->ln2, &others->ln2);
	long_merge(&sums->drop, &others->drop);
	long_merge(&sums->rise, &others->rise);
	long_merge(&sums->magnitude, &others->magnitude);
}

/* The root of both parts: one Newton step corrects the first root. */
double
index_sums_rank(const IndexSums *sums)
{
	double		root = sqrt(long_value(&sums->squares));

	if (root == 0 || isinf(root))
		return root;
	return root + (fma(-root, root, sums->squares.high) + sums->squares.low) / (2 * root);
}

double
index_sums_cov(const IndexSums *sums)
{
	return (double) (sums->records - sums->below) / sums->records;
}

double
index_sums_spr(const IndexSums *sums)
{
	return long_value(&sums->spread);
}

Dominance
index_sums_dominance(const IndexSums *sums)
{
	if (sums->above > 0 && sums->below > 0)
		return DOMINANCE_INCOMPARABLE;
	if (sums->above > 0)
		return DOMINANCE_BETTER;
	return sums->below > 0 ? DOMINANCE_WORSE : DOMINANCE_EQUAL;
}

int
index_sums_hv_order(const IndexSums *sums)
{
	double		lead;

	if (sums->above == 0 || sums->below == 0 || sums->zeros1 > 0 || sums->zeros2 > 0)
	{
		/* a product with a zero is zero */
		bool		more = sums->zeros1 == 0 && sums->above > 0 && (sums->below == 0 || sums->zeros2 > 0);
		bool		less = sums->zeros2 == 0 && sums->below > 0 && (sums->above == 0 || sums->zeros1 > 0);

		return more - less;
	}
	if (!isinf(sums->product1) && !isinf(sums->product2))
		return (sums->product1 > sums->product2) - (sums->product1 < sums->product2);
	lead = (sums->drop.high - sums->rise.high) + (sums->drop.low - sums->rise.low);
	if (fabs(lead) < TIE * long_value(&sums->magnitude))
		return 0;
	return lead > 0 ? 1 : -1;
}

double
index_sums_ln_hv(const IndexSums *sums)
{
	double		ln = long_value(&sums->ln1);
	double		drop = long_value(&sums->drop);

	if (sums->zeros1 > 0 || sums->above == 0)
		return -HUGE_VAL;
	/* one of the least values is 0, and so is their product */
	if (sums->zeros2 > 0)
		return ln;
	if (index_sums_hv_order(sums) == 0)
	{
		ln = (ln + long_value(&sums->ln2)) / 2;
		drop = (drop + long_value(&sums->rise)) / 2;
	}
	return ln + log(-expm1(-drop));
}

double
index_sums_hv(const IndexSums *sums)
{
	if (sums->zeros1 > 0 || sums->above == 0)
		return 0;
	if (!isinf(sums->product1) && (sums->zeros2 > 0 || !isinf(sums->product_min)))
		return sums->product1 - (sums->zeros2 > 0 ? 0 : sums->product_min);
	return exp(index_sums_ln_hv(sums));
}
