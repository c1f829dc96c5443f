/*
 * pareto.c
 *	  SQL: pareto, optimize, poka.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/own_objects.h"
#include "read/population_read.h"
#include "read/hierarchy_read.h"
#include "search/searches.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/builtins.h"

OWN_FUNCTION(anonopt_pareto);
OWN_FUNCTION(anonopt_optimize);
OWN_FUNCTION(anonopt_poka);

/*
 * Warns that a time limit ended a search, and how far its answer may be from
 * the best, if known.
 */
static void
tell_time_limit(int64 evaluated, const char *gap)
{
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("time limit ended the search: the best found so far is not proven%s", gap),
			 errdetail(INT64_FORMAT " nodes were measured.", evaluated),
			 errhint("Allow more time, or declare narrower levels.")));
}

static void
tell_infeasible(const Measures *nearest, const Population *population, const Promise *promise)
{
	ereport(NOTICE,
			(errmsg("no node is feasible"),
			 errdetail("The closest suppresses " INT64_FORMAT " of " INT64_FORMAT " people, " INT64_FORMAT " may be.",
					   nearest->suppressed, population->people, promise->limit),
			 nearest->suppressed == population->people ?
			 errhint("Promise less: anonopt.describe counts the people and the distinct values of each sensitive column.") :
			 errhint("Promise less, add coarser levels to the hierarchies, or declare the data set with more suppression.")));
}

/*
 * Advises what to do if every node with more than one class singles somebody
 * out, so that the front offers only all or nothing.
 */
static void
tell_singled_out(const NodeFront *front, const Dataset *dataset)
{
	const MeasuredNode *nodes = node_front_nodes(front);

	for (int i = 0; i < node_front_size(front); i++)
		if (nodes[i].measures.k > 1 && nodes[i].measures.classes > 1)
			return;
	ereport(NOTICE,
			(errmsg("no node with more than one class has a k above 1"),
			 errhint("Drop quasi-identifiers that almost identify people (see anonopt.suggest_quasi_identifiers), give them coarser levels,"
					 " allow more suppression than %g, or create a recoding with anonopt.create_recoding.", dataset->max_suppression)));
}

/* Reports why a search has no proven answer, or none at all. */
static void
tell_shortcomings(const ExactSearch *search)
{
	if (!search->in_time)
		tell_time_limit(search->evaluated, "");
	else if (node_front_size(search->front) == 0)
		tell_infeasible(&search->nearest, search->population, &search->promise);
}

/* The same for a search with a bound. */
static void
tell_gap(const OptimumSearch *search)
{
	const char *gap = "";

	if (search->in_time && !search->answer.found)
		tell_infeasible(&search->nearest, search->population, &search->order.promise);
	if (search->in_time)
		return;
	if (search->answer.found && search->answer.cost > 0)
		gap = psprintf(", but the least loss is at most %.1f %% less",
					   100 * (search->answer.cost - search->bound) / search->answer.cost);
	tell_time_limit(search->evaluated, gap);
}

/* Reads the data set and searches it; adds the front's rows. */
static void
run_search(FunctionCallInfo fcinfo, Algorithm algorithm, const Dataset *dataset, ExactSearch *search)
{
	Population *population;
	Session    *session;

	session = session_begin(algorithm, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return;
	search->population = searched_population(population, &search->promise, search->nobjectives, search->objectives);
	search->promise.limit = share_of_people(dataset->max_suppression, population->people);
	search->workers = max_workers();
	exact_search(search);

	put_found((ReturnSetInfo *) fcinfo->resultinfo, population, search->population, &search->promise,
			  node_front_size(search->front), node_front_nodes(search->front));
	session_end(session, search->evaluated, search->helped, search->in_time);
	tell_shortcomings(search);
	if (algorithm == ALGORITHM_PARETO && search->in_time && node_front_size(search->front) > 0)
		tell_singled_out(search->front, dataset);
}

/* The same for the node of least loss, if boxes can find it. */
static void
run_boxes(FunctionCallInfo fcinfo, const Dataset *dataset, OptimumSearch *search)
{
	Session    *session = session_begin(ALGORITHM_OPTIMIZE, dataset);
	Population *population = population_argument(dataset);
	MeasuredNode found;

	session_read(session, population);
	if (population == NULL)
		return;
	search->population = searched_population(population, &search->order.promise, 1, &search->order.loss);
	search->order.promise.limit = share_of_people(dataset->max_suppression, population->people);
	search->workers = max_workers();
	optimum_search(search);

	found.levels = search->answer.levels;
	found.measures = search->answer.measures;
	put_found((ReturnSetInfo *) fcinfo->resultinfo, population, search->population, &search->order.promise,
			  search->answer.found ? 1 : 0, &found);
	if (!isinf(search->bound))
		session_bound(session, search->bound);
	session_end(session, search->evaluated, search->helped, search->in_time);
	tell_gap(search);
}

static Datum
anonopt_pareto_call(PG_FUNCTION_ARGS)
{
	ExactSearch search = {0};
	Dataset    *dataset;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo);
	search.nobjectives = objectives_argument(fcinfo, "objectives", dataset, search.objectives);
	search.promise = promise_arguments(fcinfo, dataset);
	search.feasible_only = promises_anything(&search.promise, dataset);
	search.deadline = deadline_argument(fcinfo);
	run_search(fcinfo, ALGORITHM_PARETO, dataset, &search);
	return (Datum) 0;
}

static Datum
anonopt_optimize_call(PG_FUNCTION_ARGS)
{
	BoxOrder	order = {0};
	Dataset    *dataset;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo);
	order.promise = promise_arguments(fcinfo, dataset);
	if (!promises_anything(&order.promise, dataset))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is promised"),
				 errhint("Give k, l or t, or declare a promise with anonopt.add_promise; anonopt.pareto shows the whole trade-off.")));
	require_argument(fcinfo, "loss");
	order.loss = objective_argument(text_to_cstring(PG_GETARG_TEXT_PP(4)), dataset, true);
	order.deadline = deadline_argument(fcinfo);
	if (boxes_have_bounds(order.loss))
	{
		OptimumSearch search = {.order = order};

		run_boxes(fcinfo, dataset, &search);
	}
	else
	{
		ExactSearch search = {.promise = order.promise,.feasible_only = true,.nobjectives = 1,
		.objectives = {order.loss},.deadline = order.deadline};

		run_search(fcinfo, ALGORITHM_OPTIMIZE, dataset, &search);
	}
	return (Datum) 0;
}

/* The mean height of the quasi-identifiers' hierarchies, rounded up. */
static int
mean_height(const Dataset *dataset)
{
	int			heights = 0;
	int			n = 0;

	for (int i = 0; i < dataset->nattributes; i++)
	{
		if (dataset->attributes[i].role != ROLE_QUASI_IDENTIFIER)
			continue;
		heights += hierarchy_height(dataset->attributes[i].hierarchy);
		n++;
	}
	return Max((heights + n - 1) / n, 1);
}

/* Fails if a base to start from is not within the searched levels. */
static void
check_start(const Population *population, const int *levels)
{
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		if (levels[a] < attr->min_level || levels[a] > attr->max_level)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("start is outside the declared levels of column \"%s\"", attr->name),
					 errhint("Levels of column \"%s\" are declared from %d to %d.", attr->name,
							 attr->min_level, attr->max_level)));
	}
}

static Datum
anonopt_poka_call(PG_FUNCTION_ARGS)
{
	PokaSearch	search = {0};
	Promise    *promise = &search.promise;
	Dataset    *dataset;
	Population *population;
	Session    *session;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo);
	require_argument(fcinfo, "loss");
	search.loss = objective_argument(text_to_cstring(PG_GETARG_TEXT_PP(1)), dataset, true);
	search.depth = PG_ARGISNULL(2) ? mean_height(dataset) : PG_GETARG_INT32(2);
	if (search.depth < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("depth must be at least 1, not %d", search.depth)));
	if (!PG_ARGISNULL(3))
		search.start = node_argument(fcinfo, "start", dataset);
	session = session_begin(ALGORITHM_POKA, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return (Datum) 0;
	promise_add_declared(promise, dataset);
	search.population = searched_population(population, promise, 1, &search.loss);
	promise->limit = share_of_people(dataset->max_suppression, population->people);
	search.workers = max_workers();
	if (search.start != NULL)
		check_start(population, search.start);
	poka_search(&search);

	put_found((ReturnSetInfo *) fcinfo->resultinfo, population, search.population, promise,
			  search.nfound, search.found);
	session_end(session, search.evaluated, search.helped, false);
	return (Datum) 0;
}
