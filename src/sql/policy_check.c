/*
 * policy_check.c
 *	  SQL: policy_check, which promises can be kept, and with how much
 *	  suppression.
 *
 * For each promise, and then for all together, it finds the fewest people that
 * a node must suppress.  It visits every node until one suppresses nobody.
 */
#include "base/compat.h"

#include "catalog/own_objects.h"
#include "engine/lattice.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/search_call.h"

OWN_FUNCTION(anonopt_policy_check);

/* The fewest people that a node suppresses to keep the promises. */
typedef struct LeastSuppression
{
	int64		people;			/* of all */
	bool		found;
	int64		least;
} LeastSuppression;

static bool
visit_node(void *arg, const int *levels, const Measures *measures)
{
	LeastSuppression *least = arg;

	/*
	 * everybody may be suppressed here, so a node is infeasible only if it
	 * breaks a promise about all classes together
	 */
	if (measures->classes == 0 || !measures->feasible)
		return true;
	if (!least->found || measures->suppressed < least->least)
		least->least = measures->suppressed;
	least->found = true;
	return least->least > 0;
}

/* Visits every node, without a limit of suppression. */
static LeastSuppression
least_suppression(const Dataset *dataset, int *helped)
{
	LeastSuppression least = {0};
	Population *population = population_argument(dataset);
	Promise		promise = {0};

	if (population == NULL)
		return least;
	promise_add_declared(&promise, dataset);
	promise.limit = population->people;
	*helped = Max(*helped, lattice_measure(population, &promise, max_workers(), visit_node, &least));
	least.people = population->people;
	MemoryContextDelete(population->context);
	return least;
}

static void
put_verdict(ResultRow *row, const Dataset *dataset, const DeclaredPromise *promise, const LeastSuppression *least)
{
	put_string(row, "model", promise == NULL ? "all" : model_name(promise->model));
	if (promise != NULL)
	{
		put_string(row, "column_name", promise->column);
		put_number(row, "threshold", promise->threshold);
	}
	put_bool(row, "attainable", least->found && least->least <= share_of_people(dataset->max_suppression, least->people));
	if (least->found)
		put_number(row, "least_suppression", (double) least->least / least->people);
	row_add(row);
}

static Datum
anonopt_policy_check_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	ResultRow  *row = result_begin(fcinfo);
	LeastSuppression least;
	int			helped = 0;

	dataset = dataset_argument(fcinfo);
	/* fail for lack of rights, whatever is promised */
	if (dataset->npromises == 0)
		(void) population_argument(dataset);
	for (int i = 0; i < dataset->npromises; i++)
	{
		Dataset		single = *dataset;

		CHECK_FOR_INTERRUPTS();
		single.promises = &dataset->promises[i];
		single.npromises = 1;
		least = least_suppression(&single, &helped);
		put_verdict(row, dataset, &dataset->promises[i], &least);
	}
	if (dataset->npromises > 1)
	{
		least = least_suppression(dataset, &helped);
		put_verdict(row, dataset, NULL, &least);
	}
	return (Datum) 0;
}
