/*
 * models.c
 *	  The table of models, and promises of any of them.
 */
#include "promise/model.h"

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"

const Model *const models[MODELS] = {
	[MODEL_K] = &k_model,
	[MODEL_L] = &l_model,
	[MODEL_ENTROPY_L] = &entropy_l_model,
	[MODEL_RECURSIVE_L] = &recursive_l_model,
	[MODEL_T] = &t_model,
	[MODEL_ALPHA] = &alpha_model,
	[MODEL_BETA] = &beta_model,
	[MODEL_DISCLOSURE] = &disclosure_model,
	[MODEL_K_MAP] = &k_map_model,
	[MODEL_PRESENCE] = &presence_model,
	[MODEL_AVERAGE_RISK] = &average_risk_model,
	[MODEL_SHARE_ABOVE] = &share_above_model,
	[MODEL_POSSIBLE] = &possible_model
};

int
model_by_name(const char *name)
{
	for (int model = 0; model < MODELS; model++)
		if (strcmp(models[model]->name, name) == 0)
			return model;
	return -1;
}

char *
model_names(void)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int model = 0; model < MODEL_POSSIBLE; model++)
		appendStringInfo(&names, "%s%s", model == 0 ? "" : model == MODEL_POSSIBLE - 1 ? " and " : ", ", models[model]->name);
	return names.data;
}

DeclaredPromise
promise_of_boxes(int64 possible)
{
	DeclaredPromise promise = {.model = MODEL_POSSIBLE,.threshold = possible};

	return promise;
}

bool
promise_is_about(const DeclaredPromise *promise, const char *column)
{
	return models[promise->model]->scope == ABOUT_VALUES && !promise_is_of_known(promise) &&
		(promise->column == NULL || strcmp(promise->column, column) == 0);
}

bool
promise_is_general(const DeclaredPromise *promise)
{
	return promise->column == NULL && !promise_is_of_known(promise) &&
		(models[promise->model]->scope == ABOUT_SIZES || models[promise->model]->scope == ABOUT_VALUES);
}

bool
promise_needs_values(const DeclaredPromise *promise)
{
	return !promise_is_of_known(promise) && (promise->column != NULL || models[promise->model]->compares_shares);
}

/* NaN is not in any range. */
static const char *
range_problem(ThresholdRange range, double number)
{
	switch (range)
	{
		case RANGE_COUNT:
			return number >= 1 && number <= PG_INT32_MAX && number == floor(number) ? NULL :
				"a whole number from 1 to 2147483647";
		case RANGE_FROM_ONE:
			return number >= 1 && !isinf(number) ? NULL : "a finite number from 1";
		case RANGE_POSITIVE:
			return number > 0 && !isinf(number) ? NULL : "a finite number above 0";
		case RANGE_SHARE:
			return number >= 0 && number <= 1 ? NULL : "a number from 0 to 1";
		case RANGE_POSITIVE_SHARE:
			return number > 0 && number <= 1 ? NULL : "a number above 0, at most 1";
		case RANGE_ZERO_OR_ONE:
			return number == 0 || number == 1 ? NULL : "0 or 1";
	}
	return NULL;
}

static double
c_of(const DeclaredPromise *promise)
{
	return promise->has_c ? promise->c : models[promise->model]->default_c;
}

/* What is wrong with what an attacker knows. */
static char *
known_problem(const DeclaredPromise *promise)
{
	const Model *model = models[promise->model];

	if (promise->columns_known < 0 || promise->rows_known < 0)
		return pstrdup("columns_known and rows_known must be at least 1.");
	if (promise->columns_known > 0 && promise->rows_known > 0)
		return pstrdup("Only one of columns_known and rows_known can be given.");
	if (promise->columns_known > 0 && !model->may_know_columns)
		return psprintf("%s has no columns_known; k and l have.", model->name);
	if (promise->rows_known > 0 && !model->may_know_rows)
		return psprintf("%s has no rows_known; k has.", model->name);
	if (promise_is_of_known(promise) && model->scope == ABOUT_SIZES && promise->threshold < 2)
		return psprintf("The threshold of %s%s must be a whole number from 2 to 2147483647.", model->name, known_text(promise));
	return NULL;
}

char *
promise_problem(const DeclaredPromise *promise)
{
	const Model *model = models[promise->model];
	const char *problem = range_problem(model->range, promise->threshold);

	if (problem != NULL)
		return psprintf("The threshold of %s must be %s.", model->name, problem);
	if (model->scope == ABOUT_VALUES && promise->column == NULL)
		return psprintf("%s needs a sensitive column.", model->name);
	if (model->scope != ABOUT_VALUES && promise->column != NULL)
		return psprintf("%s is not about a column.", model->name);
	if (model->scope == ABOUT_OTHERS && !OidIsValid(promise->population))
		return psprintf("%s needs a population.", model->name);
	if (model->scope != ABOUT_OTHERS && OidIsValid(promise->population))
		return psprintf("%s has no population.", model->name);
	if (known_problem(promise) != NULL)
		return known_problem(promise);
	if (model->c_problem == NULL)
		return promise->has_c ? psprintf("%s has no c.", model->name) : NULL;
	if (range_problem(model->c_range, c_of(promise)) != NULL)
		return pstrdup(model->c_problem);
	return model->c_beyond_problem != NULL && c_of(promise) > promise->threshold ? pstrdup(model->c_beyond_problem) : NULL;
}

bool
promise_is_alike(const DeclaredPromise *promise, const DeclaredPromise *other)
{
	return promise_is_of_kind(promise, other) && (promise->column == NULL) == (other->column == NULL) &&
		(promise->column == NULL || strcmp(promise->column, other->column) == 0);
}

bool
promise_is_stricter(const DeclaredPromise *promise, const DeclaredPromise *other)
{
	const Model *model = models[promise->model];

	if (model->more_is_stricter ? promise->threshold < other->threshold : promise->threshold > other->threshold)
		return false;
	return promise->population == other->population &&
		(model->more_c_is_stricter ? c_of(promise) >= c_of(other) : c_of(promise) <= c_of(other));
}

char *
number_text(double number)
{
	char	   *digits = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	double_to_shortest_decimal_buf(number, digits);
	return digits;
}

char *
known_text(const DeclaredPromise *promise)
{
	int			n = Max(promise->columns_known, promise->rows_known);
	const char *what = promise->columns_known > 0 ? "column" : "row";
	const char *whose = promise->columns_known > 0 ? "" : " of a person";

	if (!promise_is_of_known(promise))
		return pstrdup("");
	return n == 1 ? psprintf(" for any %s%s", what, whose) : psprintf(" for any %d %ss%s", n, what, whose);
}

char *
promise_text(const DeclaredPromise *promise)
{
	const Model *model = models[promise->model];
	char	   *threshold = number_text(promise->threshold);

	if (model->words == NULL)
		return psprintf("%s %s %s%s", model->name, model->more_is_stricter ? ">=" : "<=", threshold, known_text(promise));
	return psprintf(model->words, threshold,
					!model->may_be_lenient ? number_text(c_of(promise)) : c_of(promise) == 0 ? ", of values present" : "");
}

Condition
promise_condition(const DeclaredPromise *promise)
{
	Condition	condition = {promise->model, promise->threshold, c_of(promise)};

	return condition;
}

void
promise_bounds(const DeclaredPromise *promise, double *least, double *most)
{
	bool		from = models[promise->model]->more_is_stricter;

	*least = from ? promise->threshold : c_of(promise);
	*most = from ? HUGE_VAL : promise->threshold;
}
