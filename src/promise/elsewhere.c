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

/* A class's share of the people elsewhere with its labels. */
static double
presence_of_others(int64 people, int64 others)
{
	return (double) people / others;
}

const Model k_map_model = {.name = "k_map",.scope = ABOUT_OTHERS,.range = RANGE_COUNT,.is_measure = true,.worst = all_people,.more_is_stricter = true,
.of_others = k_map_of_others,.place = 0,.stays_too_small = true,.least_counts = true};

const Model presence_model = {.name = "presence",.scope = ABOUT_OTHERS,.range = RANGE_POSITIVE_SHARE,.is_measure = true,.no_overlaps = true,.counts_own = true,
	.c_problem = "The c of presence, its least share, must be a number from 0 to 1.",.c_range = RANGE_SHARE,.more_c_is_stricter = true,
	.c_beyond_problem = "The c of presence, its least share, must not be above the threshold, its largest.",
	.words = "presence from %2$s to %1$s",
.of_others = presence_of_others,.place = 1};
