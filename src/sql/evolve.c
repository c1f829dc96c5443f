/*
 * evolve.c
 *	  SQL: pbg_ea, archive_quality, hypervolume, box_archive.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "search/lower_bounds.h"
#include "search/searches.h"
#include "sql/search_call.h"

/* Fails unless there is one number for each objective. */
static void
check_number(int n, int nobjectives, const char *what)
{
	if (n != nobjectives)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of %s", what),
				 errdetail("There are %d for %d objectives.", n, nobjectives),
				 errhint("Give one for each objective, in order.")));
}

/* Boxes of a smaller side could not be numbered. */
#define LEAST_EPSILON 1e-250

static void
check_epsilon(const double *epsilon, int n, int nobjectives)
{
	check_number(n, nobjectives, "epsilons");
	for (int i = 0; i < n; i++)
	{
		if (!(epsilon[i] > 0) || isinf(epsilon[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("epsilon must be positive and finite, not %g", epsilon[i])));
		if (epsilon[i] < LEAST_EPSILON)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("epsilon must be at least %g, not %g", LEAST_EPSILON, epsilon[i])));
	}
}

/* The given sides of boxes; NULL for the objectives' defaults. */
static const double *
epsilon_argument(FunctionCallInfo fcinfo, int nobjectives)
{
	const double *epsilon;
	int			n;

	if (!is_given(fcinfo, "epsilon"))
		return NULL;
	epsilon = elements_argument(fcinfo, "epsilon", FLOAT8ARRAYOID, &n);
	check_epsilon(epsilon, n, nobjectives);
	return epsilon;
}

static void
choose_epsilon(const double *given, const Population *population, const Objectives *objectives, double *epsilon)
{
	for (int i = 0; i < objectives->n; i++)
		epsilon[i] = given != NULL ? given[i] : default_epsilon(objectives->of[i], population);
}

/* Requires two or more objectives, since with one there is no trade-off. */
static Objectives
several_objectives_argument(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	Objectives	objectives = objectives_argument(fcinfo, "objectives", dataset);

	if (objectives.n < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("at least two objectives are required"),
				 errhint("For one, use anonopt.pareto or anonopt.optimize.")));
	return objectives;
}

/* The nodes in an array, none for an empty one. */
static int **
nodes_argument(FunctionCallInfo fcinfo, const Dataset *dataset, int *nnodes)
{
	*nnodes = 0;
	if (ARR_NDIM(array_argument(fcinfo, "levels", INT4ARRAYOID)) == 0)
		return NULL;
	return levels_argument(fcinfo, "levels", dataset, nnodes);
}

OWN_FUNCTION(anonopt_archive_quality)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	Objectives	objectives = several_objectives_argument(fcinfo, call.dataset);
	int			nnodes;
	int		  **levels = nodes_argument(fcinfo, call.dataset, &nnodes);
	const double *given = epsilon_argument(fcinfo, objectives.n);
	double		epsilon[MAX_OBJECTIVES];
	Quality		quality;

	promise_add_declared(&call.promise, call.dataset);
	if (!search_read(&call, ALGORITHM_QUALITY, NULL))
		PG_RETURN_NULL();
	choose_epsilon(given, call.population, &objectives, epsilon);
	archive_quality(searched_population(call.population, &objectives), &call.promise, &objectives, epsilon,
					nnodes, levels, max_workers(), &quality);
	session_end(call.session, quality.measured, quality.helped, true);
	if (nnodes > 0)
	{
		put_number(call.row, "ce", quality.convergence_error);
		put_number(call.row, "rr", quality.representation_ratio);
		put_number(call.row, "igd_plus", quality.igd_plus);
	}
	put_count(call.row, "minimal", quality.minimal);
	put_count(call.row, "boxes", quality.boxes);
	PG_RETURN_DATUM(row_datum(call.row));
}

OWN_FUNCTION(anonopt_hypervolume)
{
	SearchCall	call = {.dataset = dataset_argument(fcinfo)};
	Objectives	objectives = several_objectives_argument(fcinfo, call.dataset);
	int			nnodes;
	int		  **levels = nodes_argument(fcinfo, call.dataset, &nnodes);
	const double *given = NULL;
	double		reference[MAX_OBJECTIVES];
	double		volume;
	int			n;

	if (!search_read(&call, ALGORITHM_QUALITY, NULL))
		PG_RETURN_NULL();
	if (is_given(fcinfo, "reference"))
	{
		given = elements_argument(fcinfo, "reference", FLOAT8ARRAYOID, &n);
		check_number(n, objectives.n, "values in the reference");
	}
	/* or the worst value of each objective */
	for (int i = 0; i < objectives.n; i++)
		reference[i] = given != NULL ? require_finite("reference", given[i]) : objective_rises(objectives.of[i]) ? 0 :
			most_of(objectives.of[i], call.population);
	volume = nodes_hypervolume(searched_population(call.population, &objectives), &call.promise, &objectives, nnodes, levels,
							   reference);
	session_end(call.session, nnodes, 0, true);
	PG_RETURN_FLOAT8(volume);
}

/*
 * Runs the archive on a stream of vectors, one per row of the array; returns
 * the positions of those in it at the end, in order of arrival.
 */
SQL_FUNCTION(anonopt_box_archive)
{
	ArrayType  *stream = array_argument(fcinfo, "candidates", FLOAT8ARRAYOID);
	int			nepsilons;
	const double *epsilon = elements_argument(fcinfo, "epsilon", FLOAT8ARRAYOID, &nepsilons);
	const double *values = (const double *) ARR_DATA_PTR(stream);
	int			nobjectives = ARR_NDIM(stream) == 2 ? ARR_DIMS(stream)[1] : nepsilons;
	int			ncandidates = ARR_NDIM(stream) == 2 ? ARR_DIMS(stream)[0] : 0;
	Archive    *archive;
	int		   *positions;

	if ((ARR_NDIM(stream) != 2 && ARR_NDIM(stream) != 0) || array_contains_nulls(stream) ||
		nobjectives > MAX_OBJECTIVES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("candidates must be a two-dimensional array without nulls"),
				 errhint("Give one row per candidate, with at most %d values.", MAX_OBJECTIVES)));
	check_epsilon(epsilon, nepsilons, nobjectives);
	for (int i = 0; i < ncandidates * nobjectives; i++)
		if (!(values[i] >= 0) || isinf(values[i] / epsilon[i % nobjectives]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("values of candidates must be finite and at least 0, not %g", values[i]),
					 errhint("A value divided by its epsilon must be finite too.")));
	archive = archive_create(CurrentMemoryContext, nobjectives, epsilon);
	for (int i = 0; i < ncandidates; i++)
	{
		double		costs[MAX_OBJECTIVES];

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < nobjectives; j++)
			costs[j] = -values[(Size) i * nobjectives + j];
		archive_offer(archive, i + 1, costs);
	}
	positions = palloc(sizeof(int) * (archive_size(archive) + 1));
	for (int i = 0; i < archive_size(archive); i++)
		positions[i] = archive_member(archive, i)->item;
	PG_RETURN_DATUM(integers_datum(positions, archive_size(archive)));
}

/* The size limit of a generation: fitness compares all with all. */
#define MOST_IN_GENERATION 10000

OWN_FUNCTION(anonopt_pbg_ea)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	Evolution  *evolution = palloc0(sizeof(Evolution));
	int			nattrs = dataset_count_role(call.dataset, ROLE_QUASI_IDENTIFIER);
	const double *epsilon;

	evolution->deadline = deadline_argument(fcinfo);
	evolution->objectives = several_objectives_argument(fcinfo, call.dataset);
	evolution->size = integer_argument(fcinfo, "population", 2, MOST_IN_GENERATION);
	evolution->iterations = integer_argument(fcinfo, "iterations", 1, PG_INT32_MAX);
	evolution->crossover = probability_argument(fcinfo, "crossover");
	evolution->mutation = is_given(fcinfo, "mutation") ? probability_argument(fcinfo, "mutation") : 1.0 / nattrs;
	evolution->seed = seed_argument(fcinfo);
	if (is_given(fcinfo, "local_search"))
		evolution->local_search = probability_argument(fcinfo, "local_search");
	if (is_given(fcinfo, "max_nodes"))
		evolution->most_nodes = integer_argument(fcinfo, "max_nodes", 2, PG_INT32_MAX);
	evolution->bounds = boolean_argument(fcinfo, "bounds");
	evolution->stays = !boolean_argument(fcinfo, "reflect");
	evolution->copies = boolean_argument(fcinfo, "copies");
	evolution->workers = max_workers();
	epsilon = epsilon_argument(fcinfo, evolution->objectives.n);
	promise_add_declared(&call.promise, call.dataset);
	if (!search_read(&call, ALGORITHM_PBG_EA, (const int64 *) &evolution->seed))
		return (Datum) 0;
	choose_epsilon(epsilon, call.population, &evolution->objectives, evolution->epsilon);
	evolution->promise = call.promise;
	evolution->population = searched_population(call.population, &evolution->objectives);
	pbg_ea(evolution);
	put_found(&call, evolution->population, evolution->nfound, evolution->found);
	session_end(call.session, evolution->evaluated, evolution->helped, false);
	if (!evolution->in_time)
		session_tell_limit(call.session, false);
	return (Datum) 0;
}
