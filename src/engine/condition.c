/*
 * condition.c
 *	  Conditions that promises set on the values of one column in each class.
 *
 * A condition is checked once, when a histogram is built; a class that is
 * carried to another node keeps the result.  With n rows in a class, c of them
 * with a value, N rows in all and C of them with that value, p = c/n and q =
 * C/N, and p/q = (c N)/(C n): both products are integers, divided once.
 *
 * Merging classes that keep a condition gives a class that keeps it:
 *
 * - l: it has the values of each.
 * - entropy_l: entropy is concave, so that of a mixture is at least the
 *   smallest of its parts.
 * - recursive_l: for A and B together, the most frequent value occurs at most
 *   as often as both most frequent values together.  The l-1 most frequent
 *   values are some l-1 values of A and some of B, which hold at most as many
 *   rows as the l-1 most frequent ones of each; so the tail r_l + ... + r_m is
 *   at least the sum of both tails.
 * - t: the distance of a mixture is at most the largest distance of its parts.
 * - alpha, beta, and disclosure where no value may be missing: each p of a
 *   mixture lies between those of its parts, and every condition is an
 *   interval for each p.
 * - disclosure of present values is not an interval: p may be 0 or large
 *   enough, but not in between.  Merging can break it.
 *
 * So without suppression all conditions but the last are monotone.  With it, a
 * class that breaks one need not be suppressed at nodes below: some of its
 * parts may keep it.  A search may rely only on a lower bound of the rows of
 * the class that are suppressed at every node below:
 *
 * - all, if no part can keep the condition: a part has no additional values,
 *   so too few values for l, entropy_l or recursive_l stay too few, and a
 *   value missing for disclosure stays missing.
 * - some, if the share of a value has an upper limit u.  The parts that remain
 *   keep it, so together they do, as above.  If s rows are suppressed, n - s
 *   remain, at least c - s of them with the value; from c - s <= u (n - s)
 *   follows s >= (c - u n)/(1 - u).
 * - some for t, as box_table.c explains.
 */
#include "engine/condition.h"

#include <float.h>
#include <math.h>

#include "base/budget.h"

/*
 * Up to this many most frequent values are kept in order; beyond that, all are
 * sorted.
 */
#define FEW_VALUES 32

/* What rounding may have added to a share of rows. */
#define ROUNDING 1e-9

/* Computed entropies of equally frequent values are this close to a logarithm. */
#define ENTROPY_ROUNDING 1e-12

/* Up to this many rows, a product of two counts fits into an int64. */
#define NARROW_PEOPLE PG_INT32_MAX

void
conditions_prepare(Histograms *h)
{
	h->values = 0;
	for (uint32 value = 0; value < h->nvalues; value++)
		h->values += h->total[value] > 0;
	if ((h->models & MODEL_BIT(MODEL_BETA)) == 0)
		return;
	budget_require(h->context, sizeof(double) * (Size) h->nvalues);
	h->surprise = MemoryContextAllocHuge(h->context, sizeof(double) * ((Size) h->nvalues + 1));
	for (uint32 value = 0; value < h->nvalues; value++)
		h->surprise[value] = -log((double) h->total[value] / h->people);
}

/* p/q of a value. */
static inline double
ratio_of(const Histograms *h, const ValueCount *entry, int64 size)
{
	if (h->people <= NARROW_PEOPLE)
		return (double) (entry->count * h->people) / (double) (h->total[entry->value] * size);
	return (double) ((int128) entry->count * h->people) / (double) ((int128) h->total[entry->value] * size);
}

/* (p - q)/q of a value; 0 if it is no more frequent than among all rows. */
static inline double
gain_of(const Histograms *h, const ValueCount *entry, int64 size)
{
	int64		total = h->total[entry->value];

	if (h->people <= NARROW_PEOPLE)
	{
		int64		surplus = entry->count * h->people - total * size;

		return surplus <= 0 ? 0 : (double) surplus / (double) (total * size);
	}
	else
	{
		int128		surplus = (int128) entry->count * h->people - (int128) total * size;

		return surplus <= 0 ? 0 : (double) surplus / (double) ((int128) total * size);
	}
}

/* The least number of rows suppressed if a value's share has an upper limit. */
static int64
least_beyond_share(int64 size, int64 count, double share)
{
	if (share >= 1)
		return 0;
	return (int64) Max(ceil(((double) count - share * size) / (1 - share) - ROUNDING * size), 0);
}

int64
least_beyond_distance(int64 size, double distance, double t)
{
	if (distance <= t || t >= 1)
		return 0;
	return (int64) Max(ceil((double) size * ((distance - t) / (1 - t) - ROUNDING)), 0);
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
most_frequent(const ValueCount *entries, uint32 length, uint32 wanted)
{
	int64		few[FEW_VALUES];
	int64	   *counts = few;
	uint32		n = 0;
	int64		rows = 0;

	if (wanted > FEW_VALUES)
	{
		counts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int64) * length);
		for (n = 0; n < length; n++)
			counts[n] = entries[n].count;
		qsort(counts, n, sizeof(int64), compare_counts);
	}
	for (uint32 i = 0; i < length && counts == few; i++)
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
rows_of_tail(const Slice *slice, const ValueCount *entries, int64 size, double l)
{
	return slice->length < l ? 0 : size - most_frequent(entries, slice->length, (uint32) l - 1);
}

double
recursive_ratio(const Slice *slice, const ValueCount *entries, int64 size, double l)
{
	int64		tail = rows_of_tail(slice, entries, size, l);

	return tail == 0 ? HUGE_VAL : (double) slice->most / tail;
}

static bool
keeps_recursive(const Slice *slice, const ValueCount *entries, int64 size, const Condition *condition)
{
	return (double) slice->most < condition->c * (double) rows_of_tail(slice, entries, size, condition->threshold);
}

/*
 * Whether a condition of beta is kept; if not, the least number of rows
 * suppressed.
 */
static bool
keeps_beta(const Histograms *h, const Slice *slice, const ValueCount *entries, int64 size, const Condition *condition,
		   int64 *least)
{
	bool		keeps = true;

	for (uint32 i = 0; i < slice->length; i++)
	{
		double		limit = Min(condition->threshold, h->surprise[entries[i].value]);
		double		q = (double) h->total[entries[i].value] / h->people;

		if (gain_of(h, &entries[i], size) <= limit)
			continue;
		keeps = false;
		*least = Max(*least, least_beyond_share(size, entries[i].count, q * (1 + limit)));
	}
	return keeps;
}

static bool
keeps_disclosure(const Histograms *h, const Slice *slice, const ValueCount *entries, int64 size, const Condition *condition,
				 int64 *least)
{
	bool		keeps = true;
	double		most = exp(condition->threshold);

	if (condition->c != 0 && slice->length < h->values)
	{
		*least = size;
		return false;
	}
	for (uint32 i = 0; i < slice->length; i++)
	{
		double		ratio = ratio_of(h, &entries[i], size);
		double		q = (double) h->total[entries[i].value] / h->people;

		if (entries[i].count == 0 || fabs(log(ratio)) < condition->threshold)
			continue;
		keeps = false;
		if (ratio > 1)
			*least = Max(*least, least_beyond_share(size, entries[i].count, q * most));
	}
	return keeps;
}

/*
 * Whether a histogram keeps a condition; if not, the least number of its rows
 * that are suppressed at every node below.
 */
static bool
keeps_condition(const Histograms *h, const Slice *slice, const ValueCount *entries, int64 size, const Condition *condition,
				int64 *least)
{
	bool		too_few = slice->length < condition->threshold * (1 - ROUNDING);

	switch (condition->model)
	{
		case MODEL_L:
			*least = size;
			return slice->length >= condition->threshold;
		case MODEL_ENTROPY_L:
			*least = too_few ? size : 0;
			return slice->entropy >= log(condition->threshold) - ENTROPY_ROUNDING;
		case MODEL_RECURSIVE_L:
			*least = too_few ? size : 0;
			return keeps_recursive(slice, entries, size, condition);
		case MODEL_T:
			*least = least_beyond_distance(size, slice->distance, condition->threshold);
			return slice->distance <= condition->threshold;
		case MODEL_ALPHA:
			*least = least_beyond_share(size, slice->most, condition->threshold);
			return (double) slice->most / size <= condition->threshold;
		case MODEL_BETA:
			return keeps_beta(h, slice, entries, size, condition, least);
		case MODEL_DISCLOSURE:
			return keeps_disclosure(h, slice, entries, size, condition, least);
		default:
			elog(ERROR, "no such condition");
			return false;
	}
}

/* The largest (p - q)/q. */
static double
beta_of(const Histograms *h, const ValueCount *entries, uint32 length, int64 size)
{
	double		beta = 0;

	for (uint32 i = 0; i < length; i++)
		beta = Max(beta, gain_of(h, &entries[i], size));
	return beta;
}

/* The largest |ln(p/q)|; infinite if a value is missing, unless that is allowed. */
static double
disclosure_of(const Histograms *h, const ValueCount *entries, uint32 length, int64 size)
{
	double		disclosure = 0;

	if (!h->lenient && length < h->values)
		return HUGE_VAL;
	for (uint32 i = 0; i < length; i++)
		if (entries[i].count > 0)
			disclosure = Max(disclosure, fabs(log(ratio_of(h, &entries[i], size))));
	return disclosure;
}

/*
 * Some remaining part has at least the share of a value in all that remain,
 * which is at least (c - s) / (n - s).
 */
double
gain_of_rest(const Histograms *h, const Slice *slice, int64 rows, int64 suppressed)
{
	const ValueCount *entries = h->entries + slice->start;
	double		gain = 0;

	for (uint32 i = 0; i < slice->length; i++)
	{
		ValueCount	rest = {entries[i].value, entries[i].count - suppressed};

		if (rest.count > 0)
			gain = Max(gain, gain_of(h, &rest, rows - suppressed));
	}
	return gain;
}

/*
 * The same holds for shares above everybody's.  For those below, some part has
 * at most a share of c / (n - s), which is no bound if parts may lack the
 * value. A value missing from the class is missing from every part.
 */
double
disclosure_of_rest(const Histograms *h, const Slice *slice, int64 rows, int64 suppressed)
{
	const ValueCount *entries = h->entries + slice->start;
	double		disclosure = 0;

	if (!h->lenient && slice->length < h->values)
		return DBL_MAX;
	for (uint32 i = 0; i < slice->length; i++)
	{
		ValueCount	most = entries[i];
		ValueCount	rest = {entries[i].value, entries[i].count - suppressed};

		if (rest.count > 0)
			disclosure = Max(disclosure, log(ratio_of(h, &rest, rows - suppressed)));
		if (!h->lenient && most.count > 0)
			disclosure = Max(disclosure, -log(ratio_of(h, &most, rows - suppressed)));
	}
	return disclosure;
}

static void
measure_ratios(Histograms *h, const Slice *slice, const ValueCount *entries, int64 size)
{
	Size		number = slice - h->slices;
	SliceRatios *ratios;

	while (h->ratio_capacity <= number)
		h->ratios = budget_grow(h->context, h->ratios, sizeof(SliceRatios), &h->ratio_capacity);
	ratios = &h->ratios[number];
	if (h->models & MODEL_BIT(MODEL_BETA))
		ratios->beta = beta_of(h, entries, slice->length, size);
	if (h->models & MODEL_BIT(MODEL_DISCLOSURE))
		ratios->disclosure = disclosure_of(h, entries, slice->length, size);
}

void
conditions_judge(Histograms *h, Slice *slice, const ValueCount *entries, int64 size)
{
	for (int i = 0; i < h->nconditions; i++)
	{
		int64		least = 0;

		if (keeps_condition(h, slice, entries, size, &h->conditions[i], &least))
			continue;
		slice->breaks |= MODEL_BIT(h->conditions[i].model);
		slice->least_suppressed = Max(slice->least_suppressed, least);
	}
	if (h->models & RATIO_MODELS)
		measure_ratios(h, slice, entries, size);
}
