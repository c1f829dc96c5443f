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

/* (p - q)/q of a value; 0 if it is no more frequent than among all rows. */
static inline double
gain_of(int64 count, int64 size, int64 total, int64 people)
{
	if (people <= NARROW_PEOPLE)
	{
		int64		surplus = count * people - total * size;

		return surplus <= 0 ? 0 : (double) surplus / (double) (total * size);
	}
	else
	{
		int128		surplus = (int128) count * people - (int128) total * size;

		return surplus <= 0 ? 0 : (double) surplus / (double) ((int128) total * size);
	}
}

static bool
keeps_beta(const ClassValues *values, const Condition *condition, int64 *least)
{
	const ClassValues v = *values;
	double		beta = condition->threshold;
	int64		most = *least;
	bool		keeps = true;

	for (uint32 i = 0; i < v.length; i++)
	{
		int64		count = v.entries[i].count;
		uint32		value = v.entries[i].value;
		double		limit = Min(beta, v.surprise[value]);

		if (gain_of(count, v.size, v.total[value], v.people) <= limit)
			continue;
		keeps = false;
		most = Max(most, least_beyond_share(v.size, count, (double) v.total[value] / v.people * (1 + limit)));
	}
	*least = most;
	return keeps;
}

/*
 * The largest (p - q)/q.  Some remaining part has at least the share of a
 * value in all that remain, which is at least (c - s) / (n - s).
 */
static double
beta_of_rest(const ClassValues *values, int64 suppressed)
{
	double		gain = 0;

	for (uint32 i = 0; i < values->length; i++)
	{
		int64		rest = values->entries[i].count - suppressed;

		if (rest > 0)
			gain = Max(gain, gain_of(rest, values->size - suppressed, values->total[values->entries[i].value], values->people));
	}
	return gain;
}

/* Its worst is a value that one person has, in a class of that person. */
const Model beta_model = {.name = "beta",.scope = ABOUT_VALUES,.range = RANGE_POSITIVE,.is_measure = true,.worst = all_people,.compares_shares = true,
.keeps = keeps_beta,.kept = 1,.needs_surprise = true,.of_rest = beta_of_rest};
