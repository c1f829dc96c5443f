/*
 * preferences.c
 *	  SQL: achievement, efficiency, nsga2, reference_direction.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "search/efficient.h"
#include "search/nsga2.h"
#include "sql/arguments.h"
#include "sql/node.h"
#include "sql/search_call.h"
#include "sql/session.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/varbit.h"

PG_FUNCTION_INFO_V1(anonopt_achievement);
PG_FUNCTION_INFO_V1(anonopt_achievement_of);
PG_FUNCTION_INFO_V1(anonopt_efficiency);
PG_FUNCTION_INFO_V1(anonopt_nsga2);
PG_FUNCTION_INFO_V1(anonopt_reference_direction);

/*
 * The position of l among the arguments, followed by t: among all, and counted
 * from the population on.
 */
#define EFFICIENCY_L 4
#define NSGA2_L 8

/* The size limit of a generation. */
#define MOST_IN_GENERATION 100000

static double
preference_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	require_argument(fcinfo, argument, name);
	return probability_argument(fcinfo, argument, name, 0);
}

static Preference
preference_arguments(FunctionCallInfo fcinfo, int argument)
{
	Preference	preference;

	preference.necd = preference_argument(fcinfo, argument, "necd_pref");
	preference.nwp = preference_argument(fcinfo, argument + 1, "nwp_pref");
	return preference;
}

/* Gets a measured bias or loss, which rounding may have lifted above 1. */
static double
measure_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	double		value = PG_GETARG_FLOAT8(argument);

	if (!(value >= 0 && value <= 1 + 1e-9))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must lie between 0 and 1, not at %g", name, value)));
	return value;
}

/* Gets a number of finite numbers; NULL means the same number for each. */
static const double *
point_of(FunctionCallInfo fcinfo, int argument, const char *name, int n, double otherwise)
{
	double	   *values = palloc(sizeof(double) * (n + 1));
	ArrayType  *array;

	for (int i = 0; i < n; i++)
		values[i] = otherwise;
	if (PG_ARGISNULL(argument))
		return values;
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != n || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be %d numbers, one a value", name, n)));
	memcpy(values, ARR_DATA_PTR(array), sizeof(double) * n);
	for (int i = 0; i < n; i++)
		if (isnan(values[i]) || isinf(values[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must be finite, not %g", name, values[i])));
	return values;
}

/* Checks the arguments of a preference, and computes how close values come. */
static Datum
judge_values(int n, const double *values, const double *preferences, const double *weights, const double *ideal)
{
	double		sum = 0;

	for (int i = 0; i < n; i++)
	{
		sum += weights[i];
		if (weights[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("weights must not be negative, as %g is", weights[i])));
		if (preferences[i] < ideal[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a preference must not be better than the ideal point"),
					 errdetail("%g is preferred, %g is ideal.", preferences[i], ideal[i])));
	}
	if (!(sum > 0) || isinf(sum))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weights must have a positive, finite sum")));
	PG_RETURN_FLOAT8(achievement_of(n, values, preferences, weights, ideal));
}

/* The achievement of a bias and a loss. */
Datum
anonopt_achievement(PG_FUNCTION_ARGS)
{
	Preference	preference;
	double		values[2];
	double		preferences[2];

	for (int i = 0; i < 4; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	values[0] = measure_argument(fcinfo, 0, "necd");
	values[1] = measure_argument(fcinfo, 1, "nwp");
	preference = preference_arguments(fcinfo, 2);
	if (PG_ARGISNULL(4) && PG_ARGISNULL(5))
		PG_RETURN_FLOAT8(achievement(values[0], values[1], &preference));
	preferences[0] = preference.necd;
	preferences[1] = preference.nwp;
	return judge_values(2, values, preferences, point_of(fcinfo, 4, "weights", 2, 1), point_of(fcinfo, 5, "ideal", 2, 0));
}

/* The achievement of any number of values, where less is better. */
Datum
anonopt_achievement_of(PG_FUNCTION_ARGS)
{
	ArrayType  *array;
	int			n;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	array = PG_GETARG_ARRAYTYPE_P(0);
	n = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("values must be an array of one dimension that is not empty")));
	return judge_values(n, point_of(fcinfo, 0, "values", n, 0), point_of(fcinfo, 1, "preferences", n, 0),
						point_of(fcinfo, 2, "weights", n, 1), point_of(fcinfo, 3, "ideal", n, 0));
}

static void
tell_largest_k(const Promise *promise, const Population *population, int64 largest)
{
	Promise		others = *promise;

	others.has_k = false;
	if (promise_given(&others, population))
		ereport(NOTICE,
				(errmsg("no generalization keeps what is promised with at most " INT64_FORMAT " people suppressed", promise->limit),
				 errhint("anonopt.policy_check says which promises can be kept.")));
	else if (promise->limit == 0)
		ereport(NOTICE,
				(errmsg("no generalization is " INT64_FORMAT "-anonymous without suppression", promise->k),
				 errdetail("The largest k there is is " INT64_FORMAT ".", largest)));
	else
		ereport(NOTICE,
				(errmsg("no generalization is " INT64_FORMAT "-anonymous with at most " INT64_FORMAT " people suppressed",
						promise->k, promise->limit),
				 errdetail("The largest k there is without suppression is " INT64_FORMAT ".", largest)));
}

static const char *
efficiency_name(Efficiency efficiency)
{
	static const char *const names[] = {
		[EFFICIENCY_STRONG] = "strong",
		[EFFICIENCY_WEAK] = "weak",
		[EFFICIENCY_NONE] = "none"
	};

	return names[efficiency];
}

static void
put_judged(ReturnSetInfo *result, const JudgedNode *node, int nattrs, bool chosen)
{
	Datum		values[8];
	bool		nulls[8] = {0};

	values[0] = levels_datum(node->levels, nattrs);
	values[1] = Int64GetDatum(node->k);
	values[2] = Float8GetDatum(node->necd);
	values[3] = Float8GetDatum(node->nwp);
	values[4] = CStringGetTextDatum(efficiency_name(node->efficiency));
	values[5] = Float8GetDatum(node->ach);
	values[6] = Float8GetDatum(node->deviation);
	values[7] = BoolGetDatum(chosen);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
anonopt_efficiency(PG_FUNCTION_ARGS)
{
	EfficiencySearch search = {0};
	ReturnSetInfo *result;
	Dataset    *dataset;
	Population *population;
	Session    *session;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = dataset_argument(fcinfo, 0);
	(void) integer_argument(fcinfo, 1, "k", 1, PG_INT32_MAX);
	search.promise = promise_at(fcinfo, 1, EFFICIENCY_L, EFFICIENCY_L + 1, dataset);
	search.preference = preference_arguments(fcinfo, 2);
	session = session_begin(ALGORITHM_EFFICIENCY, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return (Datum) 0;
	search.promise.limit = share_of_people(dataset->max_suppression, population->people);
	search.population = searched_population(population, &search.promise, 0, NULL);
	search.workers = max_workers();
	efficiency_search(&search);
	for (Size i = 0; i < search.nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_judged(result, &search.nodes[i], population->nattrs, i == 0);
	}
	session_end(session, search.evaluated, search.helped, true);
	if (search.nnodes == 0)
		tell_largest_k(&search.promise, population, search.largest_k);
	return (Datum) 0;
}

/* An attribute's bits as a varbit. */
static Datum
bits_datum(const CutSpace *space, const uint64 *cut, int a)
{
	int			nbits = space->first_bit[a + 1] - space->first_bit[a];
	VarBit	   *bits = palloc0(VARBITTOTALLEN(nbits));

	SET_VARSIZE(bits, VARBITTOTALLEN(nbits));
	VARBITLEN(bits) = nbits;
	for (int i = 0; i < nbits; i++)
		if (cut_has(cut, space->first_bit[a] + i))
			VARBITS(bits)[i / BITS_PER_BYTE] |= HIGHBIT >> (i % BITS_PER_BYTE);
	return VarBitPGetDatum(bits);
}

static void
cut_datums(const CutSpace *space, const uint64 *cut, Datum *cuts, Datum *groups)
{
	int			nattrs = space->population->nattrs;
	Datum		bits[MAX_ATTRIBUTES];
	int			ngroups[MAX_ATTRIBUTES];

	for (int a = 0; a < nattrs; a++)
	{
		bits[a] = bits_datum(space, cut, a);
		ngroups[a] = cut_groups(space, cut, a);
	}
	*cuts = PointerGetDatum(construct_array(bits, nattrs, VARBITOID, -1, false, TYPALIGN_INT));
	*groups = levels_datum(ngroups, nattrs);
}

/*
 * Gets a search's settings, which start at an argument; the second is
 * evaluations.
 */
static Nsga2Settings
nsga2_arguments(FunctionCallInfo fcinfo, int first, const Dataset *dataset)
{
	Nsga2Settings settings = {0};

	(void) integer_argument(fcinfo, 1, "k", 1, PG_INT32_MAX);
	settings.promise = promise_at(fcinfo, 1, first + NSGA2_L, first + NSGA2_L + 1, dataset);
	settings.k = settings.promise.k;
	settings.size = integer_argument(fcinfo, first, "population", 2, MOST_IN_GENERATION);
	settings.evaluations = integer_argument(fcinfo, first + 1, "evaluations", 1, PG_INT32_MAX);
	if (settings.evaluations < settings.size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("evaluations must be at least the population"),
				 errdetail("%d evaluations are not enough for a generation of %d.", settings.evaluations, settings.size)));
	require_argument(fcinfo, first + 2, "crossover");
	settings.crossover = probability_argument(fcinfo, first + 2, "crossover", 0);
	require_argument(fcinfo, first + 3, "mutation");
	settings.mutation = probability_argument(fcinfo, first + 3, "mutation", 0);
	settings.seed = seed_argument(fcinfo, first + 4);
	settings.taxonomy = boolean_argument(fcinfo, first + 5, "taxonomy");
	settings.unseeded = !boolean_argument(fcinfo, first + 6, "seeds");
	settings.copies = boolean_argument(fcinfo, first + 7, "copies");
	settings.workers = max_workers();
	return settings;
}

/* Reads the relation and prepares the search; NULL if there are no rows. */
static Nsga2 *
begin_search(Session *session, const Dataset *dataset, Nsga2Settings *settings)
{
	Population *population;

	session_seed(session, settings->seed);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return NULL;
	progress_search(settings->evaluations);
	settings->promise.limit = share_of_people(dataset->max_suppression, population->people);
	settings->population = searched_population(population, &settings->promise, 0, NULL);
	return nsga2_begin(settings);
}

static void
end_search(Session *session, Nsga2 *search)
{
	session_end(session, nsga2_size(search), nsga2_end(search), false);
}

static void
put_solution(ReturnSetInfo *result, const Nsga2 *search, uint32 number, int64 k)
{
	const Solution *solution = nsga2_solution(search, number);
	Datum		values[9];
	bool		nulls[9] = {0};

	cut_datums(nsga2_space(search), nsga2_cut(search, number), &values[0], &values[1]);
	values[2] = Int64GetDatum(solution->k);
	values[3] = Float8GetDatum(solution->necd);
	values[4] = Float8GetDatum(solution->nwp);
	values[5] = Float8GetDatum(solution->ach);
	values[6] = Float8GetDatum(solution->deviation);
	values[7] = BoolGetDatum(solution->k >= k);
	values[8] = BoolGetDatum(number == nsga2_chosen(search));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
anonopt_nsga2(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	Nsga2Settings settings;
	Preference	preference;
	Session    *session;
	Nsga2	   *search;
	uint32	   *front;
	uint32		nfront;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo, 0);
	preference = preference_arguments(fcinfo, 2);
	settings = nsga2_arguments(fcinfo, 4, dataset);
	session = session_begin(ALGORITHM_NSGA2, dataset);
	search = begin_search(session, dataset, &settings);
	if (search == NULL)
		return (Datum) 0;
	nsga2_search(search, &preference, settings.evaluations);
	end_search(session, search);
	nfront = nsga2_front(search, &front);
	for (uint32 i = 0; i < nfront; i++)
		put_solution((ReturnSetInfo *) fcinfo->resultinfo, search, front[i], settings.k);
	if (nsga2_chosen(search) == NO_SOLUTION)
		tell_largest_k(&settings.promise, settings.population, nsga2_solution(search, 0)->k);
	return (Datum) 0;
}

/* A point of bias and loss. */
static Preference
point_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	Preference	point;
	ArrayType  *array;
	const double *values;

	require_argument(fcinfo, argument, name);
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != 2 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be two numbers", name),
				 errhint("Give {necd,nwp}.")));
	values = (const double *) ARR_DATA_PTR(array);
	for (int i = 0; i < 2; i++)
		if (!(values[i] >= 0 && values[i] <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must lie between 0 and 1, not at %g", name, values[i])));
	point.necd = values[0];
	point.nwp = values[1];
	return point;
}

static Datum
point_datum(const Preference *point)
{
	Datum		values[2] = {Float8GetDatum(point->necd), Float8GetDatum(point->nwp)};

	return PointerGetDatum(construct_array(values, 2, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Adds a step's row: the chosen solution, if there is one. */
static void
put_step(ReturnSetInfo *result, const Nsga2 *search, int step, const Preference *reference)
{
	uint32		chosen = nsga2_chosen(search);
	const Solution *solution;
	Datum		values[9] = {0};
	bool		nulls[9];

	memset(nulls, chosen == NO_SOLUTION, sizeof(nulls));
	nulls[0] = nulls[1] = false;
	values[0] = Int32GetDatum(step);
	values[1] = point_datum(reference);
	if (chosen != NO_SOLUTION)
	{
		solution = nsga2_solution(search, chosen);
		cut_datums(nsga2_space(search), nsga2_cut(search, chosen), &values[2], &values[3]);
		values[4] = Int64GetDatum(solution->k);
		values[5] = Float8GetDatum(solution->necd);
		values[6] = Float8GetDatum(solution->nwp);
		values[7] = Float8GetDatum(solution->ach);
		values[8] = Float8GetDatum(solution->deviation);
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* The first step gets half of the evaluations, the others share the rest. */
static int
evaluations_of_step(const Nsga2Settings *settings, int step, int steps)
{
	if (steps == 1)
		return settings->evaluations;
	return Max(step == 1 ? settings->evaluations / 2 : settings->evaluations / 2 / (steps - 1), settings->size);
}

Datum
anonopt_reference_direction(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	Nsga2Settings settings;
	Preference	start;
	Preference	aspiration;
	int			steps;
	Session    *session;
	Nsga2	   *search;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo, 0);
	start = point_argument(fcinfo, 2, "start");
	aspiration = point_argument(fcinfo, 3, "aspiration");
	steps = integer_argument(fcinfo, 4, "steps", 1, 10000);
	settings = nsga2_arguments(fcinfo, 5, dataset);
	session = session_begin(ALGORITHM_REFERENCE_DIRECTION, dataset);
	search = begin_search(session, dataset, &settings);
	if (search == NULL)
		return (Datum) 0;
	for (int step = 1; step <= steps; step++)
	{
		double		share = (double) step / steps;
		Preference	reference;

		reference.necd = Max(start.necd + share * (aspiration.necd - start.necd), 0);
		reference.nwp = Max(start.nwp + share * (aspiration.nwp - start.nwp), 0);
		nsga2_search(search, &reference, evaluations_of_step(&settings, step, steps));
		put_step((ReturnSetInfo *) fcinfo->resultinfo, search, step, &reference);
	}
	end_search(session, search);
	if (nsga2_chosen(search) == NO_SOLUTION)
		tell_largest_k(&settings.promise, settings.population, nsga2_solution(search, 0)->k);
	return (Datum) 0;
}
