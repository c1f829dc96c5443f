/*
 * elsewhere.c
 *	  Models about the people of another relation: k-map and delta-presence.
 *
 * People with the labels of one of two classes also have those of both merged,
 * so merging keeps k_map; and if too few people elsewhere match a class, too
 * few match any of its parts.  Let n and m people of the N and M elsewhere be in the
 * data, with both shares at most d.  Then n + m <= d (N + M), and at least N +
 * M people elsewhere have the merged labels.  So merging keeps a largest share,
 * but not a least one: people who had neither labels may have the merged ones.
 */
#include "promise/model.h"

static double
k_map_of_others(int64 people, int64 others)
{
	return (double) others;
}

static void
k_map_bounds(const DeclaredPromise *promise, double *least, double *most)
{
	*least = promise->threshold;
	*most = HUGE_VAL;
}

/* A class's share of the people elsewhere with its labels. */
static double
presence_of_others(int64 people, int64 others)
{
	return (double) people / others;
}

static double
least_share(const DeclaredPromise *promise)
{
	return promise->has_c ? promise->c : 0;
}

static void
presence_bounds(const DeclaredPromise *promise, double *least, double *most)
{
	*least = least_share(promise);
	*most = promise->threshold;
}

static const char *
presence_c_problem(const DeclaredPromise *promise)
{
	if (promise->has_c && !(promise->c >= 0 && promise->c <= 1))
		return "The c of presence, its least share, must be a number from 0 to 1.";
	return least_share(promise) <= promise->threshold ? NULL :
		"The c of presence, its least share, must not be above the threshold, its largest.";
}

static bool
presence_c_is_stricter(const DeclaredPromise *promise, const DeclaredPromise *other)
{
	return least_share(promise) >= least_share(other);
}

static char *
presence_text(const DeclaredPromise *promise)
{
	return psprintf("presence from %s to %s", number_text(least_share(promise)), number_text(promise->threshold));
}

static double
worst_k_map(double people)
{
	return people;
}

const Model k_map_model = {.name = "k_map",.scope = ABOUT_OTHERS,.range = RANGE_COUNT,.is_measure = true,.worst = worst_k_map,.sign = ">=",.more_is_stricter = true,
.of_others = k_map_of_others,.bounds = k_map_bounds,.place = 0,.stays_too_small = true,.least_counts = true};

const Model presence_model = {.name = "presence",.scope = ABOUT_OTHERS,.range = RANGE_POSITIVE_SHARE,.is_measure = true,.no_overlaps = true,.counts_own = true,
	.c_problem = presence_c_problem,.c_is_stricter = presence_c_is_stricter,.in_words = presence_text,
.of_others = presence_of_others,.bounds = presence_bounds,.place = 1};
