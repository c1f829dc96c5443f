/*
 * diversity.c
 *	  l-diversity: distinct values, entropy, and recursive (c, l)-diversity.
 *
 * Merging classes that keep one of them gives a class that keeps it:
 *
 * - l: it has the values of each.
 * - entropy_l: entropy is concave, so that of a mixture is at least the
 *   smallest of its parts.
 * - recursive_l: for A and B together, the most frequent value occurs at most
 *   as often as both most frequent values together.  The l-1 most frequent
 *   values are some l-1 values of A and some of B, which hold at most as many
 *   rows as the l-1 most frequent ones of each; so the tail r_l + ... + r_m is
 *   at least the sum of both tails.
 *
 * A part has no additional values, so all rows are suppressed below a class
 * with too few values.
 */
#include "promise/model.h"

/*
 * Up to this many most frequent values are kept in order; beyond that, all are
 * sorted.
 */
#define FEW_VALUES 32

/* Computed entropies of equally frequent values are this close to a logarithm. */
#define ENTROPY_ROUNDING 1e-12

static bool
keeps_l(const ClassValues *values, const Condition *condition, int64 *least)
{
	if (values->length >= condition->threshold)
		return true;
	*least = values->size;
	return false;
}

static double
measure_l(const ClassValues *values, const Condition *condition)
{
	return values->length;
}

/* The rows suppressed below, for both other models: all or unknown. */
static int64
least_of_too_few(const ClassValues *values, const Condition *condition)
{
	return values->length < condition->threshold * (1 - ROUNDING) ? values->size : 0;
}

static bool
keeps_entropy(const ClassValues *values, const Condition *condition, int64 *least)
{
	*least = least_of_too_few(values, condition);
	return values->entropy >= log(condition->threshold) - ENTROPY_ROUNDING;
}

static double
measure_entropy(const ClassValues *values, const Condition *condition)
{
	return exp(values->entropy);
}

static int
compare_counts(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x > y ? -1 : x < y;
}

/* The number of rows with one of a number of most frequent values. */
static int64
most_frequent(const ClassValues *values, uint32 wanted)
{
	const ValueCount *entries = values->entries;
	int64		few[FEW_VALUES];
	int64	   *counts = few;
	uint32		n = 0;
	int64		rows = 0;

	if (wanted > FEW_VALUES)
	{
		counts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int64) * values->length);
		for (n = 0; n < values->length; n++)
			counts[n] = entries[n].count;
		qsort(counts, n, sizeof(int64), compare_counts);
	}
	for (uint32 i = 0; i < values->length && counts == few; i++)
	{
		uint32		at = n;

		if (n == wanted && (n == 0 || counts[n - 1] >= entries[i].count))
			continue;
		if (n < wanted)
			n++;
		else
			at--;
		for (; at > 0 && counts[at - 1] < entries[i].count; at--)
			counts[at] = counts[at - 1];
		counts[at] = entries[i].count;
	}
	for (uint32 i = 0; i < Min(n, wanted); i++)
		rows += counts[i];
	if (counts != few)
		pfree(counts);
	return rows;
}

/* Rows with the l-th most frequent value or a rarer one. */
static int64
rows_of_tail(const ClassValues *values, double l)
{
	return values->length < l ? 0 : values->size - most_frequent(values, (uint32) l - 1);
}

static bool
keeps_recursive(const ClassValues *values, const Condition *condition, int64 *least)
{
	*least = least_of_too_few(values, condition);
	return (double) values->most < condition->c * (double) rows_of_tail(values, condition->threshold);
}

/*
 * The rows of the most frequent value divided by those of the l-th and rarer
 * ones; c must be greater.
 */
static double
measure_recursive(const ClassValues *values, const Condition *condition)
{
	int64		tail = rows_of_tail(values, condition->threshold);

	return tail == 0 ? HUGE_VAL : (double) values->most / tail;
}

const Model l_model = {.name = "l",.scope = ABOUT_VALUES,.range = RANGE_COUNT,.more_is_stricter = true,
.may_know_columns = true,.more_keep_it = true,.keeps = keeps_l,.needs_rows = true,.measure = measure_l,.least_counts = true};

const Model entropy_l_model = {.name = "entropy_l",.scope = ABOUT_VALUES,.range = RANGE_FROM_ONE,.more_is_stricter = true,
.keeps = keeps_entropy,.measure = measure_entropy,.least_counts = true};

const Model recursive_l_model = {.name = "recursive_l",.scope = ABOUT_VALUES,.range = RANGE_COUNT,.more_is_stricter = true,
	.c_problem = "recursive_l needs a finite c above 0.",.c_range = RANGE_POSITIVE,.default_c = NAN,.words = "recursive_l >= %s, c = %s",
.keeps = keeps_recursive,.measure = measure_recursive};
