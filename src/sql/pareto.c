/*
 * pareto.c
 *	  SQL: pareto, optimize, poka.
 */
#include "base/compat.h"

#include <math.h>

#include "read/population_read.h"
#include "search/searches.h"
#include "sql/search_call.h"

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

/* Searches for a front, and adds its rows. */
static void
search_front(SearchCall *call, Algorithm algorithm, ExactSearch *search)
{
	if (!search_read(call, algorithm, NULL))
		return;
	search->promise = call->promise;
	search->promise.skips_known = true;
	search->population = searched_population(call->population, &search->objectives);
	search->workers = max_workers();
	exact_search(search);
	put_found(call, search->population, node_front_size(search->front), node_front_nodes(search->front));
	session_end(call->session, search->evaluated, search->helped, search->in_time);
	if (!search->in_time)
		tell_time_limit(search->evaluated, "");
	else if (node_front_size(search->front) == 0)
		tell_infeasible(&search->nearest, search->population, &search->promise);
	else if (algorithm == ALGORITHM_PARETO && call->population->nknown == 0)
		tell_singled_out(search->front, call->dataset);
}

/* Searches for the node of least loss by boxes, and adds its row. */
static void
search_optimum(SearchCall *call, OptimumSearch *search)
{
	const Objectives loss = {1, {search->order.loss}};
	MeasuredNode found;
	const char *gap = "";

	if (!search_read(call, ALGORITHM_OPTIMIZE, NULL))
		return;
	search->order.promise = call->promise;
	search->order.promise.skips_known = true;
	search->population = searched_population(call->population, &loss);
	search->workers = max_workers();
	optimum_search(search);

	found.levels = search->answer.levels;
	found.measures = search->answer.measures;
	put_found(call, search->population, search->answer.found ? 1 : 0, &found);
	if (!isinf(search->bound))
		session_bound(call->session, search->bound);
	session_end(call->session, search->evaluated, search->helped, search->in_time);
	if (!search->in_time)
	{
		if (search->answer.found && search->answer.cost > 0)
			gap = psprintf(", but the least loss is at most %.1f %% less",
						   100 * (search->answer.cost - search->bound) / search->answer.cost);
		tell_time_limit(search->evaluated, gap);
	}
	else if (!search->answer.found)
		tell_infeasible(&search->nearest, search->population, &search->order.promise);
}

OWN_FUNCTION(anonopt_pareto)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = node_dataset_argument(fcinfo)};
	ExactSearch search = {0};

	search.objectives = objectives_argument(fcinfo, "objectives", call.dataset);
	call.promise = promise_arguments(fcinfo, call.dataset);
	search.feasible_only = promises_anything(&call.promise, call.dataset);
	search.deadline = deadline_argument(fcinfo);
	search_front(&call, ALGORITHM_PARETO, &search);
	return (Datum) 0;
}

OWN_FUNCTION(anonopt_optimize)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = node_dataset_argument(fcinfo)};
	OptimumSearch optimum = {0};
	ExactSearch front = {.feasible_only = true,.objectives.n = 1};

	call.promise = promise_arguments(fcinfo, call.dataset);
	if (!promises_anything(&call.promise, call.dataset))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is promised"),
				 errhint("Give k, l or t, or declare a promise with anonopt.add_promise; anonopt.pareto shows the whole trade-off.")));
	call.headroom = number_argument(fcinfo, "headroom");
	if (!(call.headroom >= 0 && call.headroom <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("headroom must be between 0 and 1")));
	optimum.order.loss = front.objectives.of[0] = loss_argument(fcinfo, call.dataset);
	optimum.order.deadline = front.deadline = deadline_argument(fcinfo);
	if (boxes_have_bounds(optimum.order.loss, dataset_promises_rows(call.dataset)))
		search_optimum(&call, &optimum);
	else
		search_front(&call, ALGORITHM_OPTIMIZE, &front);
	return (Datum) 0;
}

OWN_FUNCTION(anonopt_poka)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	PokaSearch	search = {0};
	Objectives	loss = {.n = 1};
	int			nattrs = dataset_count_role(call.dataset, ROLE_QUASI_IDENTIFIER);
	int			heights = 0;

	promise_add_declared(&call.promise, call.dataset);
	search.loss = loss.of[0] = loss_argument(fcinfo, call.dataset);
	/* by default, the mean height of the hierarchies, rounded up */
	for (int a = 0; a < nattrs && !is_given(fcinfo, "depth"); a++)
		heights += hierarchy_height(declared_attribute(call.dataset, a)->hierarchy);
	search.depth = is_given(fcinfo, "depth") ? DatumGetInt32(get_argument(fcinfo, "depth", INT4OID)) :
		Max((heights + nattrs - 1) / nattrs, 1);
	if (search.depth < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("depth must be at least 1, not %d", search.depth)));
	if (is_given(fcinfo, "start"))
		search.start = node_argument(fcinfo, "start", call.dataset);
	search.bounds = boolean_argument(fcinfo, "bounds");
	search.repair = boolean_argument(fcinfo, "repair");
	if (!search_read(&call, ALGORITHM_POKA, NULL))
		return (Datum) 0;
	for (int a = 0; a < nattrs && search.start != NULL; a++)
	{
		const Attribute *attr = &call.population->attrs[a];

		if (search.start[a] < attr->min_level || search.start[a] > attr->max_level)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("start is outside the declared levels of column \"%s\"", attr->name),
					 errhint("Levels of column \"%s\" are declared from %d to %d.", attr->name,
							 attr->min_level, attr->max_level)));
	}
	search.promise = call.promise;
	search.population = searched_population(call.population, &loss);
	search.workers = max_workers();
	poka_search(&search);
	put_found(&call, search.population, search.nfound, search.found);
	session_end(call.session, search.evaluated, search.helped, false);
	return (Datum) 0;
}
