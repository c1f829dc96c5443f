/*
 * alpha.c
 *	  (alpha, k)-anonymity: no value is more frequent in a class than alpha.
 *
 * The share of a value in a mixture lies between its shares in the parts.
 */
#include "promise/model.h"

static double
alpha_of_rest(const ClassValues *values, int64 suppressed)
{
	return (double) (values->most - suppressed) / (values->size - suppressed);
}

static bool
keeps_alpha(const ClassValues *values, const Condition *condition, int64 *least)
{
	*least = least_beyond_share(values->size, values->most, condition->threshold);
	return alpha_of_rest(values, 0) <= condition->threshold;
}

const Model alpha_model = {.name = "alpha",.scope = ABOUT_VALUES,.range = RANGE_POSITIVE_SHARE,.is_measure = true,
.keeps = keeps_alpha,.of_rest = alpha_of_rest};
