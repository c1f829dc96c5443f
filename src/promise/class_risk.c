/*
 * class_risk.c
 *	  Models about all classes together: the mean risk of people, and the
 *	  share of those whose risk is above a limit.
 */
#include "promise/model.h"

/* The risks of a class's people add up to 1. */
static int64
risk_of_all(int64 size, double c)
{
	return 1;
}

static int64
above_of_all(int64 size, double c)
{
	return 1.0 / size > c ? size : 0;
}

const Model average_risk_model = {.name = "average_risk",.scope = ABOUT_ALL,.range = RANGE_POSITIVE_SHARE,
.is_measure = true,.of_all = risk_of_all};

const Model share_above_model = {.name = "share_above",.scope = ABOUT_ALL,.range = RANGE_SHARE,
	.c_problem = "share_above needs a c, the risk, above 0 and at most 1.",.c_range = RANGE_POSITIVE_SHARE,.default_c = NAN,
.words = "share_above <= %s, risk above %s",.of_all = above_of_all};
