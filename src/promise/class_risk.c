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

static const char *
share_c_problem(const DeclaredPromise *promise)
{
	return promise->has_c && promise->c > 0 && promise->c <= 1 ? NULL : "share_above needs a c, the risk, above 0 and at most 1.";
}

static bool
share_c_is_stricter(const DeclaredPromise *promise, const DeclaredPromise *other)
{
	return promise->c <= other->c;
}

static char *
share_text(const DeclaredPromise *promise)
{
	return psprintf("share_above <= %s, risk above %s", number_text(promise->threshold), number_text(promise->c));
}

const Model average_risk_model = {.name = "average_risk",.scope = ABOUT_ALL,.range = RANGE_POSITIVE_SHARE,.sign = "<=",
.is_measure = true,.of_all = risk_of_all};

const Model share_above_model = {.name = "share_above",.scope = ABOUT_ALL,.range = RANGE_SHARE,
.c_problem = share_c_problem,.c_is_stricter = share_c_is_stricter,.in_words = share_text,.of_all = above_of_all};
