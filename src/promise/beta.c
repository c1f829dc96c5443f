/*
 * beta.c
 *	  Enhanced beta-likeness: no value is much more frequent in a class than
 *	  among all people.
 *
 * With a share p of a value in a class and q among all, (p - q)/q is at most
 * beta and at most -ln q.  The p of a mixture lies between those of its parts,
 * so merging classes that keep it gives one that does.
 */
#include "promise/model.h"

#include <math.h>

/* Up to this many rows, a product of two counts fits into an int64. */
#define NARROW_PEOPLE PG_INT32_MAX

/* (p - q)/q of a value; 0 if it is no more frequent than among all rows. */
static inline double
gain_of(const ClassValues *values, const ValueCount *entry, int64 size)
{
	int64		total = values->total[entry->value];

	if (values->people <= NARROW_PEOPLE)
	{
		int64		surplus = entry->count * values->people - total * size;

		return surplus <= 0 ? 0 : (double) surplus / (double) (total * size);
	}
	else
	{
		int128		surplus = (int128) entry->count * values->people - (int128) total * size;

		return surplus <= 0 ? 0 : (double) surplus / (double) ((int128) total * size);
	}
}

static bool
keeps_beta(const ClassValues *values, const Condition *condition, int64 *least)
{
	bool		keeps = true;

	for (uint32 i = 0; i < values->length; i++)
	{
		const ValueCount *entry = &values->entries[i];
		double		limit = Min(condition->threshold, values->surprise[entry->value]);
		double		q = (double) values->total[entry->value] / values->people;

		if (gain_of(values, entry, values->size) <= limit)
			continue;
		keeps = false;
		*least = Max(*least, least_beyond_share(values->size, entry->count, q * (1 + limit)));
	}
	return keeps;
}

/* The largest (p - q)/q. */
static double
measure_beta(const ClassValues *values, const Condition *condition)
{
	double		beta = 0;

	for (uint32 i = 0; i < values->length; i++)
		beta = Max(beta, gain_of(values, &values->entries[i], values->size));
	return beta;
}

/*
 * Some remaining part has at least the share of a value in all that remain,
 * which is at least (c - s) / (n - s).
 */
static double
beta_of_rest(const ClassValues *values, int64 suppressed)
{
	double		gain = 0;

	for (uint32 i = 0; i < values->length; i++)
	{
		ValueCount	rest = {values->entries[i].value, values->entries[i].count - suppressed};

		if (rest.count > 0)
			gain = Max(gain, gain_of(values, &rest, values->size - suppressed));
	}
	return gain;
}

const Model beta_model = {.name = "beta",.scope = ABOUT_VALUES,.range = RANGE_POSITIVE,.sign = "<=",
.keeps = keeps_beta,.measure = measure_beta,.kept = 1,.needs_surprise = true,.of_rest = beta_of_rest};
