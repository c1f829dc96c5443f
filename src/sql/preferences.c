/*
 * preferences.c
 *	  SQL: achievement, efficiency, nsga2, reference_direction.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/sql.h"
#include "label/cut_bits.h"
#include "miscadmin.h"
#include "search/searches.h"
#include "sql/search_call.h"

/* What a generation may hold. */
#define MOST_IN_GENERATION 100000

/* ------------------------------------------------------- numbers as arguments */

/* Gets a number of finite numbers. */
static const double *
point_argument(FunctionCallInfo fcinfo, const char *name, int n)
{
	ArrayType  *array = array_argument(fcinfo, name, FLOAT8ARRAYOID);
	const double *values = (const double *) ARR_DATA_PTR(array);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != n || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must have %d numbers, one per value", name, n)));
	for (int i = 0; i < n; i++)
		(void) require_finite(name, values[i]);
	return values;
}

/* Gets the importance or the ideal of each value; NULL means the same for each. */
static void
numbers_of_values(FunctionCallInfo fcinfo, const char *name, int n, double otherwise, double *values)
{
	for (int i = 0; i < n; i++)
		values[i] = otherwise;
	if (is_given(fcinfo, name))
		memcpy(values, point_argument(fcinfo, name, n), sizeof(double) * n);
}

/* Converts a measure to a cost, and back. */
static double
turned(Objective measure, double value)
{
	return objective_rises(measure) ? -value : value;
}

/*
 * Fails if preferred values, all costs, cannot direct a search; measures are
 * those that they are of, or NULL.
 */
static void
check_preferred(int n, const double *preferred, const double *weights, const double *ideal, const Objective *measures)
{
	double		sum = 0;

	for (int i = 0; i < n; i++)
	{
		sum += weights[i];
		if (weights[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("weights must be at least 0, not %g", weights[i])));
		if (preferred[i] < ideal[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a preference must not be better than the ideal point"),
					 measures == NULL ? errdetail("%g is preferred, %g is ideal.", preferred[i], ideal[i]) :
					 errdetail("%g is preferred of %s, %g is ideal.", turned(measures[i], preferred[i]), objective_name(measures[i]),
							   turned(measures[i], ideal[i])),
					 measures == NULL ? 0 : errhint("Name another ideal, one number each for necd, nwp and the further measures.")));
	}
	if (!(sum > 0) || isinf(sum))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weights must have a positive, finite sum")));
}

/* How close values come to preferred ones. */
static double
judge_values(FunctionCallInfo fcinfo, int n, const double *values, const double *preferred)
{
	double	   *weights = palloc(sizeof(double) * n);
	double	   *ideal = palloc(sizeof(double) * n);

	numbers_of_values(fcinfo, "weights", n, 1, weights);
	numbers_of_values(fcinfo, "ideal", n, 0, ideal);
	check_preferred(n, preferred, weights, ideal, NULL);
	return achievement_of(n, values, preferred, weights, ideal);
}

/*
 * The achievement of a bias and a loss, which rounding may have lifted above
 * 1.  Arguments are found by position, since this is called for many rows.
 */
SQL_FUNCTION(anonopt_achievement)
{
	Preference	preference;
	double		values[2];
	double		necd;

	for (int i = 0; i < 4; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	values[0] = require_share("necd", PG_GETARG_FLOAT8(0), 1 + 1e-9);
	values[1] = require_share("nwp", PG_GETARG_FLOAT8(1), 1 + 1e-9);
	necd = require_share("necd_pref", PG_GETARG_FLOAT8(2), 1);
	preference_begin(&preference, necd, require_share("nwp_pref", PG_GETARG_FLOAT8(3), 1));
	if (PG_ARGISNULL(4) && PG_ARGISNULL(5))
		PG_RETURN_FLOAT8(preference_achievement(&preference, values));
	PG_RETURN_FLOAT8(judge_values(fcinfo, 2, values, preference.preferred));
}

/* The achievement of any number of values, where less is better. */
OWN_FUNCTION(anonopt_achievement_of)
{
	ArrayType  *array;
	int			n;

	if (!is_given(fcinfo, "values") || !is_given(fcinfo, "preferences"))
		PG_RETURN_NULL();
	array = array_argument(fcinfo, "values", FLOAT8ARRAYOID);
	n = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("values must be a one-dimensional array that is not empty")));
	PG_RETURN_FLOAT8(judge_values(fcinfo, n, point_argument(fcinfo, "values", n), point_argument(fcinfo, "preferences", n)));
}

/* ----------------------------------------------- the preference of a search */

/* Gets measures beside bias and loss. */
static void
add_measures(FunctionCallInfo fcinfo, const Dataset *dataset, Preference *preference)
{
	Objectives	measures = {0};

	if (is_given(fcinfo, "measures"))
		measures = objectives_argument(fcinfo, "measures", dataset);
	for (int i = 0; i < measures.n; i++)
	{
		if (measures.of[i] == OBJECTIVE_NECD || measures.of[i] == OBJECTIVE_NWP)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s cannot be a further measure, because it always has a preference", objective_name(measures.of[i]))));
		preference_add(preference, measures.of[i], 0, 0);
	}
}

/* Gets the preferred values of the further measures, one number each. */
static void
prefer_further(FunctionCallInfo fcinfo, Preference *preference)
{
	int			n = preference->measures.n - FIRST_FURTHER;
	const double *values;

	if (n == 0 && !is_given(fcinfo, "preferences"))
		return;
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("preferences requires measures"),
				 errhint("necd_pref and nwp_pref are the preferences for bias and loss.")));
	values = point_argument(fcinfo, "preferences", n);
	for (int i = 0; i < n; i++)
		preference->preferred[FIRST_FURTHER + i] = turned(preference->measures.of[FIRST_FURTHER + i], values[i]);
}

/* Gets the weight and the ideal of each measure. */
static void
weigh(FunctionCallInfo fcinfo, Preference *preference)
{
	numbers_of_values(fcinfo, "weights", preference->measures.n, 1, preference->weights);
	numbers_of_values(fcinfo, "ideal", preference->measures.n, 0, preference->ideal);
	preference->has_weights = is_given(fcinfo, "weights") || is_given(fcinfo, "ideal");
	for (int i = 0; i < preference->measures.n; i++)
		preference->ideal[i] = turned(preference->measures.of[i], preference->ideal[i]);
}

/* Gets the preference of efficiency and nsga2. */
static Preference
whole_preference(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	Preference	preference;
	double		necd = probability_argument(fcinfo, "necd_pref");

	preference_begin(&preference, necd, probability_argument(fcinfo, "nwp_pref"));
	add_measures(fcinfo, dataset, &preference);
	prefer_further(fcinfo, &preference);
	weigh(fcinfo, &preference);
	return preference;
}

/*
 * Prepares the population for a preference, whose ideals default to 0, or to
 * the value of a single class of all people.
 */
static Population *
preferred_population(FunctionCallInfo fcinfo, const SearchCall *call, Preference *preference)
{
	Population *population = searched_population(call->population, &preference->measures);

	for (int i = 0; i < preference->measures.n && !is_given(fcinfo, "ideal"); i++)
		if (objective_rises(preference->measures.of[i]))
			preference->ideal[i] = best_of_one_class(population, preference->measures.of[i]);
	check_preferred(preference->measures.n, preference->preferred, preference->weights, preference->ideal, preference->measures.of);
	return population;
}

/* -------------------------------------------------------------------- results */

/* Puts the costs of some of a preference's measures as what they measure. */
static void
put_measures(ResultRow *row, const char *name, const Preference *preference, int first, const double *costs)
{
	double		values[MAX_PREFERRED];

	for (int i = first; i < preference->measures.n; i++)
		values[i - first] = turned(preference->measures.of[i], costs[i - first]);
	if (first < preference->measures.n)
		put_datum(row, name, FLOAT8ARRAYOID, doubles_datum(values, preference->measures.n - first));
}

static void
tell_largest_k(const Promise *promise, const Population *population, int64 largest)
{
	Promise		others = *promise;

	others.k = 0;
	if (promise_given(&others, population))
		ereport(NOTICE,
				(errmsg("no generalization keeps the promises with at most " INT64_FORMAT " people suppressed", promise->limit),
				 errhint("anonopt.policy_check says which promises can be kept.")));
	else if (promise->limit == 0)
		ereport(NOTICE,
				(errmsg("no generalization is " INT64_FORMAT "-anonymous without suppression", promise->k),
				 errdetail("The largest k is " INT64_FORMAT ".", largest)));
	else
		ereport(NOTICE,
				(errmsg("no generalization is " INT64_FORMAT "-anonymous with at most " INT64_FORMAT " people suppressed",
						promise->k, promise->limit),
				 errdetail("The largest k without suppression is " INT64_FORMAT ".", largest)));
}

/* ---------------------------------------------------- nodes by bias and loss */

OWN_FUNCTION(anonopt_efficiency)
{
	static const char *const efficiencies[] = {
		[EFFICIENCY_STRONG] = "strong",
		[EFFICIENCY_WEAK] = "weak",
		[EFFICIENCY_NONE] = "none"
	};
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	EfficiencySearch search = {0};

	(void) integer_argument(fcinfo, "k", 1, PG_INT32_MAX);
	call.promise = promise_arguments(fcinfo, call.dataset);
	search.preference = whole_preference(fcinfo, call.dataset);
	if (!search_read(&call, ALGORITHM_EFFICIENCY, NULL))
		return (Datum) 0;
	search.promise = call.promise;
	search.population = preferred_population(fcinfo, &call, &search.preference);
	search.workers = max_workers();
	efficiency_search(&search);
	for (const JudgedNode *node = search.nodes; node < search.nodes + search.nnodes; node++)
	{
		CHECK_FOR_INTERRUPTS();
		put_datum(call.row, "levels", INT4ARRAYOID, integers_datum(node->levels, search.population->nattrs));
		put_count(call.row, "k", node->k);
		put_number(call.row, "necd", node->costs[0]);
		put_number(call.row, "nwp", node->costs[1]);
		put_string(call.row, "efficiency", efficiencies[node->efficiency]);
		put_number(call.row, "ach", node->ach);
		put_number(call.row, "pref_dev", node->deviation);
		put_bool(call.row, "chosen", node == search.nodes);
		put_measures(call.row, "further", &search.preference, FIRST_FURTHER, node->costs + FIRST_FURTHER);
		row_add(call.row);
	}
	session_end(call.session, search.evaluated, search.helped, true);
	if (search.nnodes == 0)
		tell_largest_k(&call.promise, call.population, search.largest_k);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------- cuts */

/* Puts what nsga2 and reference_direction show of a solution. */
static void
put_solution(ResultRow *row, const Nsga2 *search, uint32 number, const Preference *preference)
{
	const Solution *solution = &search->solutions[number];
	const CutSpace *space = search->space;
	const uint64 *cut = nsga2_cut(search, number);
	int			nattrs = space->population->nattrs;
	Datum		bits[MAX_ATTRIBUTES];
	int			groups[MAX_ATTRIBUTES];

	for (int a = 0; a < nattrs; a++)
	{
		int			nbits = space->first_bit[a + 1] - space->first_bit[a];
		bool	   *separated = palloc(sizeof(bool) * ((Size) nbits + 1));

		for (int i = 0; i < nbits; i++)
			separated[i] = cut_has(cut, space->first_bit[a] + i);
		bits[a] = separating_bits(separated, nbits);
		pfree(separated);
		groups[a] = cut_groups(space, cut, a);
	}
	put_datum(row, "cuts", VARBITARRAYOID, PointerGetDatum(construct_array(bits, nattrs, VARBITOID, -1, false, TYPALIGN_INT)));
	put_datum(row, "groups", INT4ARRAYOID, integers_datum(groups, nattrs));
	put_count(row, "k", solution->k);
	put_number(row, "necd", nsga2_costs(search, number)[0]);
	put_number(row, "nwp", nsga2_costs(search, number)[1]);
	put_number(row, "ach", solution->ach);
	put_number(row, "pref_dev", solution->deviation);
	put_measures(row, "further", preference, FIRST_FURTHER, nsga2_costs(search, number) + FIRST_FURTHER);
}

/* Gets which quasi-identifiers' groups must be labels: all, or those named. */
static void
taxonomy_arguments(FunctionCallInfo fcinfo, const Dataset *dataset, bool *along_tree)
{
	bool		all = boolean_argument(fcinfo, "taxonomy");
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	int			n = 0;
	char	  **names = is_given(fcinfo, "taxonomy_columns") ? columns_argument(fcinfo, "taxonomy_columns", dataset->relation, &n) : NULL;

	for (int a = 0; a < nattrs; a++)
		along_tree[a] = all;
	for (int i = 0; i < n; i++)
	{
		int			a = 0;

		while (a < nattrs && strcmp(declared_attribute(dataset, a)->column, names[i]) != 0)
			a++;
		if (a == nattrs)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" is not a quasi-identifier of data set \"%s\"", names[i], dataset->name),
					 errhint("Name quasi-identifiers in taxonomy_columns.")));
		along_tree[a] = true;
	}
}

/* Gets the settings of a search, but for its preference. */
static Nsga2Settings
nsga2_arguments(FunctionCallInfo fcinfo, SearchCall *call)
{
	Nsga2Settings settings = {0};

	(void) integer_argument(fcinfo, "k", 1, PG_INT32_MAX);
	call->promise = promise_arguments(fcinfo, call->dataset);
	settings.size = integer_argument(fcinfo, "population", 2, MOST_IN_GENERATION);
	settings.evaluations = integer_argument(fcinfo, "evaluations", 1, PG_INT32_MAX);
	if (settings.evaluations < settings.size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("evaluations must be at least the population"),
				 errdetail("%d evaluations are not enough for a generation of %d.", settings.evaluations, settings.size)));
	settings.crossover = probability_argument(fcinfo, "crossover");
	settings.mutation = probability_argument(fcinfo, "mutation");
	settings.seed = seed_argument(fcinfo);
	taxonomy_arguments(fcinfo, call->dataset, settings.along_tree);
	settings.plain = boolean_argument(fcinfo, "plain");
	settings.unseeded = settings.plain || !boolean_argument(fcinfo, "seeds");
	settings.copies = settings.plain || boolean_argument(fcinfo, "copies");
	settings.workers = max_workers();
	if (takes_argument(fcinfo, "time_limit"))
		settings.deadline = deadline_argument(fcinfo);
	return settings;
}

/* Reads the relation and prepares the search; NULL if there are no rows. */
static Nsga2 *
begin_search(FunctionCallInfo fcinfo, SearchCall *call, Algorithm algorithm, Nsga2Settings *settings)
{
	if (!search_read(call, algorithm, (const int64 *) &settings->seed))
		return NULL;
	progress_search(settings->evaluations);
	settings->promise = call->promise;
	settings->population = preferred_population(fcinfo, call, &settings->preference);
	return nsga2_begin(settings);
}

/* Ends the search; tells how far k can be had, if nothing is close to the last preference. */
static void
end_search(SearchCall *call, Nsga2 *search)
{
	session_end(call->session, search->evaluated, worker_pool_end(search->pool), false);
	if (!search->in_time)
		session_tell_limit(call->session, false);
	if (search->chosen != NO_SOLUTION)
		return;
	if (search->settings.unseeded)
		ereport(NOTICE,
				(errmsg("the search found no feasible generalization"),
				 errhint("With seeds it begins with the most general one, which is feasible if any is.")));
	else						/* the first solution is the top */
		tell_largest_k(&call->promise, call->population, search->solutions[0].k);
}

OWN_FUNCTION(anonopt_nsga2)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	Nsga2Settings settings = nsga2_arguments(fcinfo, &call);
	Nsga2	   *search;
	uint32	   *front;
	uint32		nfront;

	settings.preference = whole_preference(fcinfo, call.dataset);
	search = begin_search(fcinfo, &call, ALGORITHM_NSGA2, &settings);
	if (search == NULL)
		return (Datum) 0;
	nsga2_search(search, &settings.preference, settings.evaluations);
	end_search(&call, search);
	nfront = nsga2_front(search, &front);
	for (uint32 i = 0; i < nfront; i++)
	{
		put_solution(call.row, search, front[i], &settings.preference);
		put_bool(call.row, "feasible", search->solutions[front[i]].k >= call.promise.k);
		put_bool(call.row, "chosen", front[i] == search->chosen);
		row_add(call.row);
	}
	return (Datum) 0;
}

/* -------------------------------------------------- a walk of reference points */

/* Gets a point of bias, loss and the further measures, as costs. */
static void
reference_argument(FunctionCallInfo fcinfo, const char *name, const Preference *preference, double *point)
{
	const double *values = point_argument(fcinfo, name, preference->measures.n);

	for (int i = 0; i < preference->measures.n; i++)
	{
		if (i < FIRST_FURTHER && !(values[i] >= 0 && values[i] <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must be between 0 and 1, not %g", name, values[i]),
					 errhint("Give {necd,nwp}, followed by the further measures.")));
		point[i] = turned(preference->measures.of[i], values[i]);
	}
}

OWN_FUNCTION(anonopt_reference_direction)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	int			steps = integer_argument(fcinfo, "steps", 1, 10000);
	Nsga2Settings settings = nsga2_arguments(fcinfo, &call);
	Preference	reference;
	double		start[MAX_PREFERRED];
	double		aspiration[MAX_PREFERRED];
	Nsga2	   *search;

	preference_begin(&reference, 0, 0);
	add_measures(fcinfo, call.dataset, &reference);
	reference_argument(fcinfo, "start", &reference, start);
	reference_argument(fcinfo, "aspiration", &reference, aspiration);
	weigh(fcinfo, &reference);
	/* the better end of the walk: checks on it hold for all steps */
	for (int i = 0; i < reference.measures.n; i++)
		reference.preferred[i] = Min(start[i], aspiration[i]);
	settings.preference = reference;
	search = begin_search(fcinfo, &call, ALGORITHM_REFERENCE_DIRECTION, &settings);
	if (search == NULL)
		return (Datum) 0;
	reference = settings.preference;
	for (int step = 1; step <= steps; step++)
	{
		/*
		 * the first step gets half of the evaluations, the others share the
		 * rest
		 */
		int			half = settings.evaluations / 2;
		int			evaluations = steps == 1 ? settings.evaluations : Max(step == 1 ? half : half / (steps - 1), settings.size);

		/* the reference point moves from the start to the aspiration */
		for (int i = 0; i < reference.measures.n; i++)
		{
			reference.preferred[i] = start[i] + (double) step / steps * (aspiration[i] - start[i]);
			/* rounding must not move it beyond the ideal */
			if (i < FIRST_FURTHER)
				reference.preferred[i] = Max(reference.preferred[i], 0);
			reference.preferred[i] = Max(reference.preferred[i], Min(start[i], aspiration[i]));
		}
		nsga2_search(search, &reference, evaluations);
		put_count(call.row, "step", step);
		put_measures(call.row, "reference", &reference, 0, reference.preferred);
		if (search->chosen != NO_SOLUTION)
			put_solution(call.row, search, search->chosen, &reference);
		row_add(call.row);
	}
	end_search(&call, search);
	return (Datum) 0;
}
