/*
 * closeness.c
 *	  t-closeness: the values of each class are distributed like everybody's.
 *
 * The distance of a mixture is at most the largest distance of its parts, so
 * merging classes that keep t gives a class that keeps it.
 */
#include "promise/model.h"

/* The rows suppressed at least where the rest is within t: box_table.c has the proof. */
static bool
keeps_t(const ClassValues *values, const Condition *condition, int64 *least)
{
	double		t = condition->threshold;
	double		rows;

	if (values->distance <= t)
		return true;
	rows = t >= 1 ? 0 : (double) values->size * ((values->distance - t) / (1 - t) - ROUNDING);
	/* rounded up; called for every class, where ceil() takes long */
	*least = rows <= 0 ? 0 : (int64) rows + ((double) (int64) rows < rows);
	return false;
}

/* As box_table.c explains. */
static double
t_of_rest(const ClassValues *values, int64 suppressed)
{
	double		share = (double) suppressed / values->size;

	return suppressed == 0 ? values->distance : (values->distance - share) / (1 - share);
}

const Model t_model = {.name = "t",.scope = ABOUT_VALUES,.range = RANGE_SHARE,
.compares_shares = true,.keeps = keeps_t,.of_rest = t_of_rest};
