/*
 * declared_promise.c
 *	  Converts declared promises to the engine's form.
 *
 * Promises of k are merged with the argument k.  A promise about one column
 * becomes a condition on its histograms, which every measurement of the
 * population obeys; the arguments l and t are such promises of every sensitive
 * column.
 */
#include "read/population_read.h"

void
promise_of_all(Dataset *dataset, PromiseModel model, double threshold)
{
	DeclaredPromise promise = {.model = model,.threshold = threshold};
	int			n = 0;

	require_sensitive(dataset, model_name(model));
	/* instead of what another argument promised of the model */
	for (int i = 0; i < dataset->npromises; i++)
		if (dataset->promises[i].column != NULL || dataset->promises[i].model != model)
			dataset->promises[n++] = dataset->promises[i];
	dataset->npromises = n;
	dataset_promise(dataset, &promise);
}

/* The strictest promise of a model and column, or NULL. */
static const DeclaredPromise *
strictest_of(const Dataset *dataset, PromiseModel model, const char *column)
{
	const DeclaredPromise *strictest = NULL;

	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];

		if (promise->model == model && promise_is_about(promise, column) &&
			(strictest == NULL || promise_is_stricter(promise, strictest)))
			strictest = promise;
	}
	return strictest;
}

bool
promised_of_all(const Dataset *dataset, PromiseModel model, double *threshold)
{
	const DeclaredPromise *weakest = NULL;

	for (int i = 0; i < dataset->nattributes; i++)
	{
		const DeclaredPromise *promise;

		if (dataset->attributes[i].role != ROLE_SENSITIVE)
			continue;
		promise = strictest_of(dataset, model, dataset->attributes[i].column);
		if (promise == NULL)
			return false;
		if (weakest == NULL || promise->threshold == weakest->threshold ||
			(promise->threshold < weakest->threshold) == models[model]->more_is_stricter)
			weakest = promise;
	}
	*threshold = weakest == NULL ? 0 : weakest->threshold;
	return weakest != NULL;
}

void
promise_add_declared(Promise *promise, const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (dataset->promises[i].model == MODEL_K && dataset->promises[i].columns_known == 0)
			promise->k = Max(promise->k, (int64) dataset->promises[i].threshold);
}

bool
promises_anything(const Promise *promise, const Dataset *dataset)
{
	return promise->k > 0 || dataset->npromises > 0;
}

/* Checks that there is a place for one more promise of a kind. */
static void
require_place(int taken, int places, const char *kind)
{
	if (taken == places)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many promises with %s", kind),
				 errdetail("At most %d can be kept together.", places)));
}

/* Attaches a promise against people who know several rows of a person. */
static void
add_known_rows(Population *population, const Dataset *dataset, const DeclaredPromise *promise)
{
	RowsKnown	known = {promise->rows_known, (int64) promise->threshold};
	char	   *problem = rows_known_problem(dataset->promises, dataset->npromises);

	if (problem != NULL || !dataset->keeps_rows)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("promise %s cannot be kept", promise_text(promise)),
				 errdetail("%s", problem != NULL ? problem : "It takes away people with all their rows, but this function knows only classes."),
				 problem != NULL ? errhint("Call anonopt.drop_promise for one of them.") :
				 errhint("evaluate, lattice, optimize, pareto and releases of levels or cuts keep it; otherwise call anonopt.drop_promise.")));
	require_place(population->nrows_known, MAX_ROWS_KNOWN, "rows_known");
	population->rows_known[population->nrows_known++] = known;
}

/* Attaches a promise against people who know only some of the columns. */
static void
add_known(Population *population, const DeclaredPromise *promise)
{
	ColumnsKnown known = {promise->columns_known, promise->model, -1, promise->threshold};

	for (int j = 0; j < population->nsensitive && promise->column != NULL; j++)
		if (strcmp(promise->column, population->columns[j]->name) == 0)
			known.column = j;
	require_place(population->nknown, MAX_COLUMNS_KNOWN, "columns_known");
	population->known[population->nknown++] = known;
}

void
population_add_declared(Population *population, const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];
		Condition	condition = promise_condition(promise);

		if (promise_is_of_known(promise))
		{
			if (promise->rows_known > 0)
				add_known_rows(population, dataset, promise);
			else
				add_known(population, promise);
			continue;
		}
		for (int j = 0; j < population->nsensitive; j++)
			if (promise_is_about(promise, population->columns[j]->name))
				population_promise(population, j, &condition);
		if (models[promise->model]->scope == ABOUT_VALUES)
			continue;
		if (model_needs_boxes(promise->model))
			population->possible = (int64) promise->threshold;
		if (model_limits_all_classes(promise->model))
		{
			if (population->nlimits == MAX_LIMITS)
				elog(ERROR, "too many promises about all classes");
			population->limits[population->nlimits++] = condition;
		}
		population->models |= MODEL_BIT(promise->model);
	}
}

void
require_nothing_known(const Dataset *dataset, const char *what)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (promise_is_of_known(&dataset->promises[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s cannot keep the promise %s", what, promise_text(&dataset->promises[i])),
					 errdetail("Labels of different levels overlap, so the rows that fit what somebody knows of a person do not all have the same labels."),
					 errhint("Publish a node or cuts, or call anonopt.drop_promise.")));
}

void
require_overlaps_kept(const Dataset *dataset, const char *what)
{
	require_nothing_known(dataset, what);
	for (int i = 0; i < dataset->npromises; i++)
		if (models[dataset->promises[i].model]->no_overlaps)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s cannot keep the promise of %s", what, model_name(dataset->promises[i].model)),
					 errdetail("Labels of its classes overlap: somebody who has the labels of several is likelier to be in the data than each class says."),
					 errhint("Publish a node or cuts, or call anonopt.drop_promise.")));
}

/* The least size of classes that together keep a promise about all classes. */
static int64
size_that_keeps(const DeclaredPromise *promise)
{
	const Model *model = models[promise->model];
	int64		low = 1;
	int64		high = PG_INT32_MAX;

	while (low < high)
	{
		int64		size = low + (high - low) / 2;

		if ((double) model->of_all(size, promise->c) / size <= promise->threshold)
			high = size;
		else
			low = size + 1;
	}
	return low;
}

void
promise_imply_limits(Promise *promise, const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (model_limits_all_classes(dataset->promises[i].model))
			promise->k = Max(promise->k, size_that_keeps(&dataset->promises[i]));
}
