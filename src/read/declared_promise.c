/*
 * declared_promise.c
 *	  Converts declared promises to the engine's form.
 *
 * Promises of k are merged with the argument k, and so are l and t if every
 * sensitive column has them.  A promise about one column becomes a condition
 * on its histograms, which every measurement of the population obeys.
 */
#include "read/declared_promise.h"

/* The index of the sensitive column with a name. */
static int
sensitive_place(const Dataset *dataset, const char *column)
{
	int			place = 0;

	for (int i = 0; i < dataset->nattributes; i++)
	{
		if (dataset->attributes[i].role != ROLE_SENSITIVE)
			continue;
		if (strcmp(dataset->attributes[i].column, column) == 0)
			return place;
		place++;
	}
	elog(ERROR, "column \"%s\" is not sensitive", column);
	return 0;
}

/* The number of promises of a model, and their least and largest threshold. */
static int
thresholds_of(const Dataset *dataset, PromiseModel model, double *least, double *largest)
{
	int			n = 0;

	for (int i = 0; i < dataset->npromises; i++)
	{
		double		threshold = dataset->promises[i].threshold;

		if (dataset->promises[i].model != model)
			continue;
		*least = n == 0 ? threshold : Min(*least, threshold);
		*largest = n == 0 ? threshold : Max(*largest, threshold);
		n++;
	}
	return n;
}

void
promise_add_declared(Promise *promise, const Dataset *dataset)
{
	int			nsensitive = dataset_count_role(dataset, ROLE_SENSITIVE);
	double		least = 0;
	double		largest = 0;

	if (thresholds_of(dataset, MODEL_K, &least, &largest) > 0)
	{
		promise->k = promise->has_k ? Max(promise->k, (int64) largest) : (int64) largest;
		promise->has_k = true;
	}
	if (nsensitive == 0)
		return;
	if (thresholds_of(dataset, MODEL_L, &least, &largest) == nsensitive)
	{
		promise->l = promise->has_l ? Max(promise->l, (int64) least) : (int64) least;
		promise->has_l = true;
	}
	if (thresholds_of(dataset, MODEL_T, &least, &largest) == nsensitive)
	{
		promise->t = promise->has_t ? Min(promise->t, largest) : largest;
		promise->has_t = true;
	}
}

bool
promises_anything(const Promise *promise, const Dataset *dataset)
{
	return promise->has_k || promise->has_l || promise->has_t || dataset->npromises > 0;
}

void
population_add_declared(Population *population, const Dataset *dataset)
{
	ReleaseLimits *limits = &population->limits;

	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];
		Condition	condition = promise_condition(promise);

		if (promise->column != NULL)
		{
			population_promise(population, sensitive_place(dataset, promise->column), &condition);
			continue;
		}
		if (promise->model == MODEL_AVERAGE_RISK)
		{
			limits->average_risk = limits->has_average_risk ? Min(limits->average_risk, promise->threshold) : promise->threshold;
			limits->has_average_risk = true;
		}
		if (promise->model == MODEL_SHARE_ABOVE)
		{
			limits->has_share_above = true;
			limits->share_above = promise->threshold;
			limits->risk = promise->c;
		}
		population->models |= MODEL_BIT(promise->model);
	}
}

void
require_no_presence(const Dataset *dataset, const char *what)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (dataset->promises[i].model == MODEL_PRESENCE)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s cannot keep the promise of %s", what, model_name(MODEL_PRESENCE)),
					 errdetail("Labels of its classes overlap: somebody who has the labels of several is likelier to be in the data than each class says."),
					 errhint("Publish a node or cuts, or call anonopt.drop_promise.")));
}

/* The smallest class whose risk is no higher. */
static int64
size_of_risk(double risk)
{
	int64		size = (int64) Max(Min(1 / risk, PG_INT32_MAX), 1);

	while (size > 1 && 1.0 / (size - 1) <= risk)
		size--;
	while (1.0 / size > risk && size < PG_INT32_MAX)
		size++;
	return size;
}

void
promise_imply_limits(Promise *promise, const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *declared = &dataset->promises[i];
		double		risk = declared->model == MODEL_AVERAGE_RISK ? declared->threshold : declared->c;

		if (!model_limits_all_classes(declared->model))
			continue;
		promise->k = Max(promise->has_k ? promise->k : 1, size_of_risk(risk));
		promise->has_k = true;
	}
}
