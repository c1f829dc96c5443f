/*
 * promises.c
 *	  Promises declared with a data set.
 */
#include "catalog/promises.h"

#include <math.h>

#include "base/names.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"

static const char *const names[MODELS] = {
	[MODEL_K] = "k",
	[MODEL_L] = "l",
	[MODEL_ENTROPY_L] = "entropy_l",
	[MODEL_RECURSIVE_L] = "recursive_l",
	[MODEL_T] = "t",
	[MODEL_ALPHA] = "alpha",
	[MODEL_BETA] = "beta",
	[MODEL_DISCLOSURE] = "disclosure",
	[MODEL_K_MAP] = "k_map",
	[MODEL_PRESENCE] = "presence",
	[MODEL_AVERAGE_RISK] = "average_risk",
	[MODEL_SHARE_ABOVE] = "share_above"
};

/* The range of a threshold. */
typedef enum Range
{
	RANGE_COUNT,				/* a whole number from 1 */
	RANGE_FROM_ONE,
	RANGE_POSITIVE,
	RANGE_SHARE,				/* 0 to 1 */
	RANGE_POSITIVE_SHARE		/* the same without 0 */
} Range;

static const Range ranges[MODELS] = {
	[MODEL_K] = RANGE_COUNT,
	[MODEL_L] = RANGE_COUNT,
	[MODEL_ENTROPY_L] = RANGE_FROM_ONE,
	[MODEL_RECURSIVE_L] = RANGE_COUNT,
	[MODEL_T] = RANGE_SHARE,
	[MODEL_ALPHA] = RANGE_POSITIVE_SHARE,
	[MODEL_BETA] = RANGE_POSITIVE,
	[MODEL_DISCLOSURE] = RANGE_POSITIVE,
	[MODEL_K_MAP] = RANGE_COUNT,
	[MODEL_PRESENCE] = RANGE_POSITIVE_SHARE,
	[MODEL_AVERAGE_RISK] = RANGE_POSITIVE_SHARE,
	[MODEL_SHARE_ABOVE] = RANGE_SHARE
};

const char *
model_name(PromiseModel model)
{
	return names[model];
}

int
model_by_name(const char *name)
{
	return find_name(name, names, MODELS);
}

char *
model_names(void)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int model = 0; model < MODELS; model++)
		appendStringInfo(&text, "%s%s", model == 0 ? "" : model == MODELS - 1 ? " and " : ", ", names[model]);
	return text.data;
}

bool
model_needs_column(PromiseModel model)
{
	return model >= MODEL_L && model <= MODEL_DISCLOSURE;
}

bool
model_needs_population(PromiseModel model)
{
	return model == MODEL_K_MAP || model == MODEL_PRESENCE;
}

bool
model_limits_all_classes(PromiseModel model)
{
	return model == MODEL_AVERAGE_RISK || model == MODEL_SHARE_ABOVE;
}

/* NaN is not in any range. */
static const char *
range_problem(PromiseModel model, double threshold)
{
	switch (ranges[model])
	{
		case RANGE_COUNT:
			return threshold >= 1 && threshold <= PG_INT32_MAX && threshold == floor(threshold) ? NULL :
				"a whole number from 1 to 2147483647";
		case RANGE_FROM_ONE:
			return threshold >= 1 && !isinf(threshold) ? NULL : "a finite number from 1";
		case RANGE_POSITIVE:
			return threshold > 0 && !isinf(threshold) ? NULL : "a finite number above 0";
		case RANGE_SHARE:
			return threshold >= 0 && threshold <= 1 ? NULL : "a number from 0 to 1";
		case RANGE_POSITIVE_SHARE:
			return threshold > 0 && threshold <= 1 ? NULL : "a number above 0, at most 1";
	}
	return NULL;
}

static char *
c_problem(const DeclaredPromise *promise)
{
	double		c = promise->c;

	switch (promise->model)
	{
		case MODEL_RECURSIVE_L:
			return promise->has_c && c > 0 && !isinf(c) ? NULL : pstrdup("recursive_l needs a finite c above 0.");
		case MODEL_DISCLOSURE:
			return !promise->has_c || c == 0 || c == 1 ? NULL :
				pstrdup("The c of disclosure is 0, where only values present in a class count, or 1.");
		case MODEL_PRESENCE:
			if (promise->has_c && !(c >= 0 && c <= 1))
				return pstrdup("The c of presence, its least share, must be a number from 0 to 1.");
			return !promise->has_c || c <= promise->threshold ? NULL :
				pstrdup("The c of presence, its least share, must not be above the threshold, its largest.");
		case MODEL_SHARE_ABOVE:
			return promise->has_c && c > 0 && c <= 1 ? NULL :
				pstrdup("share_above needs a c, the risk, above 0 and at most 1.");
		default:
			return promise->has_c ? psprintf("%s has no c.", names[promise->model]) : NULL;
	}
}

char *
promise_problem(const DeclaredPromise *promise)
{
	PromiseModel model = promise->model;
	const char *range = range_problem(model, promise->threshold);

	if (range != NULL)
		return psprintf("The threshold of %s must be %s.", names[model], range);
	if (model_needs_column(model) && promise->column == NULL)
		return psprintf("%s needs a sensitive column.", names[model]);
	if (!model_needs_column(model) && promise->column != NULL)
		return psprintf("%s is not about a column.", names[model]);
	if (model_needs_population(model) && !OidIsValid(promise->population))
		return psprintf("%s needs a population.", names[model]);
	if (!model_needs_population(model) && OidIsValid(promise->population))
		return psprintf("%s has no population.", names[model]);
	return c_problem(promise);
}

bool
promise_is_stricter(const DeclaredPromise *promise, const DeclaredPromise *other)
{
	switch (promise->model)
	{
		case MODEL_K:
		case MODEL_L:
		case MODEL_ENTROPY_L:
			return promise->threshold >= other->threshold;
		case MODEL_RECURSIVE_L:
			return promise->threshold >= other->threshold && promise->c <= other->c;
		case MODEL_DISCLOSURE:
			return promise->threshold <= other->threshold &&
				(promise->has_c && promise->c == 0 ? other->has_c && other->c == 0 : true);
		case MODEL_K_MAP:
			return promise->population == other->population && promise->threshold >= other->threshold;
		case MODEL_PRESENCE:
			return promise->population == other->population && promise->threshold <= other->threshold &&
				(promise->has_c ? promise->c : 0) >= (other->has_c ? other->c : 0);
		case MODEL_SHARE_ABOVE:
			return promise->threshold <= other->threshold && promise->c <= other->c;
		default:
			return promise->threshold <= other->threshold;
	}
}

static char *
number_text(double number)
{
	char	   *text = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	double_to_shortest_decimal_buf(number, text);
	return text;
}

char *
promise_text(const DeclaredPromise *promise)
{
	const char *name = names[promise->model];
	const char *threshold = number_text(promise->threshold);
	const char *c = number_text(promise->has_c ? promise->c : 0);

	switch (promise->model)
	{
		case MODEL_K:
		case MODEL_L:
		case MODEL_ENTROPY_L:
		case MODEL_K_MAP:
			return psprintf("%s >= %s", name, threshold);
		case MODEL_RECURSIVE_L:
			return psprintf("%s >= %s, c = %s", name, threshold, c);
		case MODEL_DISCLOSURE:
			return psprintf("%s < %s%s", name, threshold, promise->has_c && promise->c == 0 ? ", of values present" : "");
		case MODEL_PRESENCE:
			return psprintf("%s from %s to %s", name, c, threshold);
		case MODEL_SHARE_ABOVE:
			return psprintf("%s <= %s, risk above %s", name, threshold, c);
		default:
			return psprintf("%s <= %s", name, threshold);
	}
}

Condition
promise_condition(const DeclaredPromise *promise)
{
	Condition	condition = {promise->model, promise->threshold, promise->has_c ? promise->c : 1};

	return condition;
}
