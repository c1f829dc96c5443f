/*
 * pairs.c
 *	  What is summed up over pairs of values, one a record: quality indices.
 *
 * Sums are held in two doubles each, so that integers add up exactly to 106
 * bits in any order, and what is not an integer loses nothing that shows.
 *
 * Products of a million values overflow, and their logarithms are so large
 * that a difference drowns in them.  So beside ln of the products stands ln
 * of what they differ by.  The volume of d1 over d2 is prod d1 - prod min,
 * and prod min is prod d1 times exp(-drop).  Which of two volumes is larger
 * is the sign of drop - rise; within rounding it is no difference, and both
 * directions then give the very same number.
 */
#include "pairs.h"

#include <math.h>

#define EXACT_INTEGERS 9007199254740992.0	/* 2^53 */

/* A difference of logarithms of this share of their magnitude is rounding. */
#define TIE 1e-12

/* Adds a number; Knuth's error-free sum, then the parts are put in order. */
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

/* Adds a number so many times. */
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

/* Adds a difference so many times, with what rounding took from it. */
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
add_square(Pairs *pairs, double d1, double d2, int64 records)
{
	double		difference = d1 - d2;
	double		square = difference * difference;
	double		rest = fma(difference, difference, -square);

	if (records == 1)
		long_add(&pairs->squares, square, rest);
	else
	{
		long_add_times(&pairs->squares, square, records);
		if (!isinf(square))
			long_add_times(&pairs->squares, rest, records);
	}
}

static bool
is_small_integer(double value)
{
	return value < EXACT_INTEGERS && floor(value) == value;
}

/* Multiplies so many times; false where the product is no longer exact. */
static bool
multiply(double *product, double factor, int64 times)
{
	if (factor == 1)
		return true;
	for (int64 i = 0; i < times; i++)
	{
		*product *= factor;
		if (*product >= EXACT_INTEGERS)
			return false;
	}
	return true;
}

/* Takes a factor into a product, which is infinite once it is not exact; zeros are counted elsewhere. */
static void
take_factor(double *product, double factor, int64 times)
{
	if (!isinf(*product) && factor != 0 && (!is_small_integer(factor) || !multiply(product, factor, times)))
		*product = HUGE_VAL;
}

static void
add_products(Pairs *pairs, double d1, double d2, int64 records)
{
	if (pairs->product1 == 0)
		pairs->product1 = pairs->product2 = pairs->product_min = 1;
	take_factor(&pairs->product1, d1, records);
	take_factor(&pairs->product2, d2, records);
	take_factor(&pairs->product_min, Min(d1, d2), records);
}

/* log1p keeps apart what a quotient rounds to one. */
static double
log_of_quotient(double larger, double smaller)
{
	double		excess = (larger - smaller) / smaller;

	return isinf(excess) ? log(larger) - log(smaller) : log1p(excess);
}

static void
add_volume(Pairs *pairs, double d1, double d2, int64 records)
{
	add_products(pairs, d1, d2, records);
	pairs->zeros1 += d1 == 0 ? records : 0;
	pairs->zeros2 += d2 == 0 ? records : 0;
	if (d1 > 0)
	{
		long_add_times(&pairs->ln1, log(d1), records);
		long_add_times(&pairs->magnitude, fabs(log(d1)), records);
	}
	if (d2 > 0)
	{
		long_add_times(&pairs->ln2, log(d2), records);
		long_add_times(&pairs->magnitude, fabs(log(d2)), records);
	}
	if (d1 > d2 && d2 > 0)
		long_add_times(&pairs->drop, log_of_quotient(d1, d2), records);
	else if (d2 > d1 && d1 > 0)
		long_add_times(&pairs->rise, log_of_quotient(d2, d1), records);
}

void
pairs_add(Pairs *pairs, int wanted, double d1, double d2, int64 records)
{
	pairs->records += records;
	pairs->above += d1 > d2 ? records : 0;
	pairs->below += d1 < d2 ? records : 0;
	if ((wanted & PAIRS_SPREAD) && d1 > d2)
		long_add_difference(&pairs->spread, d1, d2, records);
	if (wanted & PAIRS_SQUARES)
		add_square(pairs, d1, d2, records);
	if (wanted & PAIRS_VOLUME)
		add_volume(pairs, d1, d2, records);
}

static void
long_merge(LongSum *sum, const LongSum *other)
{
	long_add(sum, other->high, other->low);
}

/* A product of 0 is none yet. */
static void
merge_products(double *product, double other)
{
	*product = *product == 0 ? other : *product * (other == 0 ? 1 : other);
	if (*product >= EXACT_INTEGERS)
		*product = HUGE_VAL;
}

void
pairs_merge(Pairs *pairs, const Pairs *others)
{
	pairs->records += others->records;
	pairs->above += others->above;
	pairs->below += others->below;
	long_merge(&pairs->spread, &others->spread);
	long_merge(&pairs->squares, &others->squares);
	pairs->zeros1 += others->zeros1;
	pairs->zeros2 += others->zeros2;
	merge_products(&pairs->product1, others->product1);
	merge_products(&pairs->product2, others->product2);
	merge_products(&pairs->product_min, others->product_min);
	long_merge(&pairs->ln1, &others->ln1);
	long_merge(&pairs->ln2, &others->ln2);
	long_merge(&pairs->drop, &others->drop);
	long_merge(&pairs->rise, &others->rise);
	long_merge(&pairs->magnitude, &others->magnitude);
}

/* The root of both parts: what the first root misses is put right by one step of Newton's. */
double
pairs_rank(const Pairs *pairs)
{
	double		root = sqrt(long_value(&pairs->squares));

	if (root == 0 || isinf(root))
		return root;
	return root + (fma(-root, root, pairs->squares.high) + pairs->squares.low) / (2 * root);
}

double
pairs_cov(const Pairs *pairs)
{
	return (double) (pairs->records - pairs->below) / pairs->records;
}

double
pairs_spr(const Pairs *pairs)
{
	return long_value(&pairs->spread);
}

Dominance
pairs_dominance(const Pairs *pairs)
{
	if (pairs->above > 0 && pairs->below > 0)
		return DOMINANCE_INCOMPARABLE;
	if (pairs->above > 0)
		return DOMINANCE_BETTER;
	return pairs->below > 0 ? DOMINANCE_WORSE : DOMINANCE_EQUAL;
}

int
pairs_hv_order(const Pairs *pairs)
{
	double		lead;

	if (pairs->above == 0 || pairs->below == 0 || pairs->zeros1 > 0 || pairs->zeros2 > 0)
	{
		/* a product with a zero is zero */
		bool		more = pairs->zeros1 == 0 && pairs->above > 0 && (pairs->below == 0 || pairs->zeros2 > 0);
		bool		less = pairs->zeros2 == 0 && pairs->below > 0 && (pairs->above == 0 || pairs->zeros1 > 0);

		return more - less;
	}
	if (!isinf(pairs->product1) && !isinf(pairs->product2))
		return (pairs->product1 > pairs->product2) - (pairs->product1 < pairs->product2);
	lead = (pairs->drop.high - pairs->rise.high) + (pairs->drop.low - pairs->rise.low);
	if (fabs(lead) < TIE * long_value(&pairs->magnitude))
		return 0;
	return lead > 0 ? 1 : -1;
}

double
pairs_ln_hv(const Pairs *pairs)
{
	double		ln = long_value(&pairs->ln1);
	double		drop = long_value(&pairs->drop);

	if (pairs->zeros1 > 0 || pairs->above == 0)
		return -HUGE_VAL;
	/* one of the least values is 0, and so is their product */
	if (pairs->zeros2 > 0)
		return ln;
	if (pairs_hv_order(pairs) == 0)
	{
		ln = (ln + long_value(&pairs->ln2)) / 2;
		drop = (drop + long_value(&pairs->rise)) / 2;
	}
	return ln + log(-expm1(-drop));
}

double
pairs_hv(const Pairs *pairs)
{
	if (pairs->zeros1 > 0 || pairs->above == 0)
		return 0;
	if (!isinf(pairs->product1) && (pairs->zeros2 > 0 || !isinf(pairs->product_min)))
		return pairs->product1 - (pairs->zeros2 > 0 ? 0 : pairs->product_min);
	return exp(pairs_ln_hv(pairs));
}
