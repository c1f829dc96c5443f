/*
 * search.c
 *	  SQL: pareto, optimize, poka.
 */
#include "compat.h"

#include "arguments.h"
#include "catalog/pg_type.h"
#include "complete.h"
#include "exact.h"
#include "hierarchy_read.h"
#include "node.h"
#include "poka.h"
#include "read.h"
#include "session.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(anonopt_pareto);
PG_FUNCTION_INFO_V1(anonopt_optimize);
PG_FUNCTION_INFO_V1(anonopt_poka);

/* The names of objectives, for a hint; only those that are losses if so wanted. */
static char *
objective_names(bool losses)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < OBJECTIVES; i++)
		if (!losses || !objective_rises((Objective) i))
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", objective_name((Objective) i));
	return names.data;
}

/* Fails where a data set lacks the column that an objective is about. */
static void
require_objective(const Dataset *dataset, Objective objective)
{
	switch (objective)
	{
		case OBJECTIVE_L:
		case OBJECTIVE_ENTROPY_L:
		case OBJECTIVE_T:
		case OBJECTIVE_SUM_L:
		case OBJECTIVE_SUM_OTHER:
			require_sensitive(dataset, objective_name(objective));
			break;
		case OBJECTIVE_CM:
			if (dataset_count_role(dataset, ROLE_CLASS_LABEL) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("cm needs a class label, data set \"%s\" has none", dataset->name),
						 errhint("Set one with anonopt.set_class_label.")));
			break;
		default:
			break;
	}
}

static Objective
objective_argument(const char *name, const Dataset *dataset, bool losses)
{
	Objective	objective;

	if (!objective_by_name(name, &objective) || (losses && objective_rises(objective)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg(losses ? "unknown loss \"%s\"" : "unknown objective \"%s\"", name),
				 errhint(losses ? "Losses are %s." : "Objectives are %s.", objective_names(losses))));
	require_objective(dataset, objective);
	return objective;
}

static void
objectives_argument(FunctionCallInfo fcinfo, int argument, ExactSearch *search, const Dataset *dataset)
{
	Datum	   *names;
	bool	   *nulls;
	int			n;

	require_argument(fcinfo, argument, "objectives");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	if (n < 1 || n > MAX_OBJECTIVES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("between 1 and %d objectives are expected, not %d", MAX_OBJECTIVES, n)));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("objectives must not be null")));
		search->objectives[i] = objective_argument(TextDatumGetCString(names[i]), dataset, false);
		for (int j = 0; j < i; j++)
			if (search->objectives[i] == search->objectives[j])
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("objective \"%s\" is named twice", objective_name(search->objectives[i]))));
	}
	search->nobjectives = n;
}

/* When a search must end, or 0. */
static int64
deadline_argument(FunctionCallInfo fcinfo, int argument)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz end;

	if (PG_ARGISNULL(argument))
		return 0;
	end = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(now),
												  PG_GETARG_DATUM(argument)));
	if (end <= now)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time limit must be positive")));
	return end;
}

/* Whether an objective is about a sensitive or class column. */
static bool
needs_columns(Objective objective)
{
	switch (objective)
	{
		case OBJECTIVE_L:
		case OBJECTIVE_ENTROPY_L:
		case OBJECTIVE_T:
		case OBJECTIVE_CM:
		case OBJECTIVE_SUM_L:
		case OBJECTIVE_SUM_OTHER:
			return true;
		default:
			return false;
	}
}

/* The population that a search must see: without columns where it needs none. */
static Population *
searched_population(Population *population, const Promise *promise, int nobjectives, const Objective *objectives)
{
	for (int i = 0; i < nobjectives; i++)
		if (needs_columns(objectives[i]))
			return population;
	if (promise->has_l || promise->has_t)
		return population;
	return population_narrow(population);
}

/* Adds the rows of the nodes that a search found, in their order. */
static void
put_found(ReturnSetInfo *result, Population *population, const Population *searched, const Promise *promise,
		  int nnodes, int **levels, Measures **measures)
{
	if (searched->ncolumns < population->ncolumns)
		complete_measures(population, promise, nnodes, levels, measures);
	for (int i = 0; i < nnodes; i++)
		put_node(result, population, levels[i], measures[i]);
}

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
	else if (search->front->nmembers == 0)
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
	Front	   *front;
	int		  **levels;
	Measures  **measures;

	session = session_begin(algorithm, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return;
	search->population = searched_population(population, &search->promise, search->nobjectives, search->objectives);
	search->promise.limit = share_of_people(dataset->max_suppression, population->people);
	search->workers = max_workers();
	exact_search(search);

	front = search->front;
	levels = palloc(sizeof(int *) * (front->nmembers + 1));
	measures = palloc(sizeof(Measures *) * (front->nmembers + 1));
	for (int i = 0; i < front->nmembers; i++)
	{
		levels[i] = front->members[i].levels;
		measures[i] = &front->members[i].measures;
	}
	put_found((ReturnSetInfo *) fcinfo->resultinfo, population, search->population, &search->promise,
			  front->nmembers, levels, measures);
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
	objectives_argument(fcinfo, 1, &search, dataset);
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
	int		  **levels;
	Measures  **measures;

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

	levels = palloc(sizeof(int *) * search.nfound);
	measures = palloc(sizeof(Measures *) * search.nfound);
	for (int i = 0; i < search.nfound; i++)
	{
		levels[i] = search.found[i].levels;
		measures[i] = &search.found[i].measures;
	}
	put_found((ReturnSetInfo *) fcinfo->resultinfo, population, search.population, &nothing,
			  search.nfound, levels, measures);
	session_end(session, search.evaluated, 0, false);
	return (Datum) 0;
}
