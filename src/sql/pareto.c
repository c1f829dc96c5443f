/*
 * pareto.c
 *	  SQL: pareto, optimize, poka.
 */
#include "base/compat.h"

#include "read/hierarchy_read.h"
#include "read/population_read.h"
#include "search/exact.h"
#include "search/poka.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "sql/session.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(anonopt_pareto);
PG_FUNCTION_INFO_V1(anonopt_optimize);
PG_FUNCTION_INFO_V1(anonopt_poka);

/* Says what kept a search from an answer that is proven, or any. */
static void
tell_shortcomings(const ExactSearch *search)
{
	if (!search->in_time)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("time limit ended the search: the best found so far is not proven"),
				 errdetail(INT64_FORMAT " nodes were measured.", search->evaluated),
				 errhint("Allow more time, or declare narrower levels.")));
	else if (node_front_size(search->front) == 0)
		ereport(NOTICE,
				(errmsg("no node is feasible"),
				 errdetail("The closest suppresses " INT64_FORMAT " of " INT64_FORMAT " people, " INT64_FORMAT " may be.",
						   search->nearest.suppressed, search->population->people, search->promise.limit)));
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
}

Datum
anonopt_pareto(PG_FUNCTION_ARGS)
{
	ExactSearch search = {0};
	Dataset    *dataset;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo, 0);
	search.nobjectives = objectives_argument(fcinfo, 1, dataset, search.objectives);
	search.promise = promise_arguments(fcinfo, 2, dataset);
	search.feasible_only = search.promise.has_k || search.promise.has_l || search.promise.has_t;
	search.deadline = deadline_argument(fcinfo, 5);
	run_search(fcinfo, ALGORITHM_PARETO, dataset, &search);
	return (Datum) 0;
}

Datum
anonopt_optimize(PG_FUNCTION_ARGS)
{
	ExactSearch search = {0};
	Dataset    *dataset;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo, 0);
	search.promise = promise_arguments(fcinfo, 1, dataset);
	if (!search.promise.has_k && !search.promise.has_l && !search.promise.has_t)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is promised"),
				 errhint("Give k, l or t; anonopt.pareto shows the whole trade-off.")));
	require_argument(fcinfo, 4, "loss");
	search.objectives[0] = objective_argument(text_to_cstring(PG_GETARG_TEXT_PP(4)), dataset, true);
	search.nobjectives = 1;
	search.feasible_only = true;
	search.deadline = deadline_argument(fcinfo, 5);
	run_search(fcinfo, ALGORITHM_OPTIMIZE, dataset, &search);
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

Datum
anonopt_poka(PG_FUNCTION_ARGS)
{
	PokaSearch	search = {0};
	Promise		nothing = {0};
	Dataset    *dataset;
	Population *population;
	Session    *session;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo, 0);
	require_argument(fcinfo, 1, "loss");
	search.loss = objective_argument(text_to_cstring(PG_GETARG_TEXT_PP(1)), dataset, true);
	search.depth = PG_ARGISNULL(2) ? mean_height(dataset) : PG_GETARG_INT32(2);
	if (search.depth < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("depth must be at least 1, not %d", search.depth)));
	session = session_begin(ALGORITHM_POKA, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return (Datum) 0;
	search.population = searched_population(population, &nothing, 1, &search.loss);
	search.limit = nothing.limit = share_of_people(dataset->max_suppression, population->people);
	poka_search(&search);

	put_found((ReturnSetInfo *) fcinfo->resultinfo, population, search.population, &nothing,
			  search.nfound, search.found);
	session_end(session, search.evaluated, 0, false);
	return (Datum) 0;
}
