/*
 * disclosure.c
 *	  delta-disclosure privacy: every value is about as frequent in a class as
 *	  among all people.
 *
 * Where no value may be missing, the condition is an interval for each share,
 * so merging classes that keep it gives one that does.  That of present values
 * is not an interval: a share may be 0 or large enough, but not in between.
 * Merging can break it.  A value that is missing from a class is missing from
 * every part, so all its rows are suppressed below.
 */
#include "promise/model.h"

#include <float.h>

static bool
keeps_disclosure(const ClassValues *values, const Condition *condition, int64 *least)
{
	bool		keeps = true;
	double		most = exp(condition->threshold);

	if (condition->c != 0 && values->length < values->values)
	{
		*least = values->size;
		return false;
	}
	for (uint32 i = 0; i < values->length; i++)
	{
		const ValueCount *entry = &values->entries[i];
		double		ratio = ratio_of(values, entry, values->size);
		double		q = (double) values->total[entry->value] / values->people;

		if (entry->count == 0 || fabs(log(ratio)) < condition->threshold)
			continue;
		keeps = false;
		if (ratio > 1)
			*least = Max(*least, least_beyond_share(values->size, entry->count, q * most));
	}
	return keeps;
}

/* The largest |ln(p/q)|; infinite if a value is missing, unless that is allowed. */
static double
measure_disclosure(const ClassValues *values, const Condition *condition)
{
	double		disclosure = 0;

	if (!values->lenient && values->length < values->values)
		return HUGE_VAL;
	for (uint32 i = 0; i < values->length; i++)
		if (values->entries[i].count > 0)
			disclosure = Max(disclosure, fabs(log(ratio_of(values, &values->entries[i], values->size))));
	return disclosure;
}

/*
 * Some part has at least the share (c - s) / (n - s) of a value.  For shares
 * below everybody's, some part has at most c / (n - s), which is no bound if
 * parts may lack the value.
 */
static double
disclosure_of_rest(const ClassValues *values, int64 suppressed)
{
	int64		rest = values->size - suppressed;
	double		disclosure = 0;

	if (!values->lenient && values->length < values->values)
		return DBL_MAX;
	for (uint32 i = 0; i < values->length; i++)
	{
		const ValueCount *most = &values->entries[i];
		ValueCount	least = {most->value, most->count - suppressed};

		if (least.count > 0)
			disclosure = Max(disclosure, log(ratio_of(values, &least, rest)));
		if (!values->lenient && most->count > 0)
			disclosure = Max(disclosure, -log(ratio_of(values, most, rest)));
	}
	return disclosure;
}

const Model disclosure_model = {.name = "disclosure",.scope = ABOUT_VALUES,.range = RANGE_POSITIVE,.is_measure = true,.worst = log,.may_be_lenient = true,.compares_shares = true,
	.c_problem = "The c of disclosure is 0, where only values present in a class count, or 1.",.c_range = RANGE_ZERO_OR_ONE,.default_c = 1,
	.more_c_is_stricter = true,.words = "disclosure < %s%s",
.keeps = keeps_disclosure,.measure = measure_disclosure,.kept = 2,.of_rest = disclosure_of_rest};
