/*
 * preferences.c
 *	  SQL: achievement, efficiency, nsga2, reference_direction.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "search/preference.h"
#include "search/searches.h"
#include "search/nsga2.h"
#include "sql/arguments.h"
#include "sql/call.h"
#include "sql/search_call.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/varbit.h"

PG_FUNCTION_INFO_V1(anonopt_achievement);
OWN_FUNCTION(anonopt_achievement_of);
OWN_FUNCTION(anonopt_efficiency);
OWN_FUNCTION(anonopt_nsga2);
OWN_FUNCTION(anonopt_reference_direction);

/*
 * The position of l among the arguments, followed by t: among all, and counted
 * from the population on.
 */
#define EFFICIENCY_L 4
#define NSGA2_L 8

/* The position of further measures, counted from l. */
#define MEASURES 2

/* What a generation may hold. */
#define MOST_IN_GENERATION 100000

static double
preference_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	require_argument(fcinfo, name);
	return probability_argument(fcinfo, name, 0);
}

static Preference
preference_arguments(FunctionCallInfo fcinfo, int argument)
{
	Preference	preference;
	double		necd = preference_argument(fcinfo, argument, "necd_pref");

	preference_begin(&preference, necd, preference_argument(fcinfo, argument + 1, "nwp_pref"));
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
				 errmsg("%s must be between 0 and 1, not %g", name, value)));
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
				 errmsg("%s must have %d numbers, one per value", name, n)));
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
					 errmsg("weights must be at least 0, not %g", weights[i])));
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

	for (int i = 0; i < 4; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	values[0] = measure_argument(fcinfo, 0, "necd");
	values[1] = measure_argument(fcinfo, 1, "nwp");
	preference = preference_arguments(fcinfo, 2);
	if (PG_ARGISNULL(4) && PG_ARGISNULL(5))
		PG_RETURN_FLOAT8(preference_achievement(&preference, values));
	return judge_values(2, values, preference.preferred, point_of(fcinfo, 4, "weights", 2, 1), point_of(fcinfo, 5, "ideal", 2, 0));
}

/* The achievement of any number of values, where less is better. */
static Datum
anonopt_achievement_of_call(PG_FUNCTION_ARGS)
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
				 errmsg("values must be a one-dimensional array that is not empty")));
	return judge_values(n, point_of(fcinfo, 0, "values", n, 0), point_of(fcinfo, 1, "preferences", n, 0),
						point_of(fcinfo, 2, "weights", n, 1), point_of(fcinfo, 3, "ideal", n, 0));
}

/* Gets the further measures of a preference. */
static void
measures_argument(FunctionCallInfo fcinfo, const Dataset *dataset, Preference *preference)
{
	Objective	measures[MAX_OBJECTIVES];
	int			n = is_given(fcinfo, "measures") ? objectives_argument(fcinfo, "measures", dataset, measures) : 0;

	for (int i = 0; i < n; i++)
	{
		if (measures[i] == OBJECTIVE_NECD || measures[i] == OBJECTIVE_NWP)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s cannot be a further measure, because it always has a preference", objective_name(measures[i]))));
		preference_add(preference, measures[i], 0, 0);
	}
}

/* Converts a measure to a cost, and back. */
static double
turned(Objective measure, double value)
{
	return objective_rises(measure) ? -value : value;
}

/* Gets the preferred values of the further measures, one number each. */
static void
further_argument(FunctionCallInfo fcinfo, int argument, Preference *preference)
{
	int			n = preference->n - FIRST_FURTHER;
	const double *values;

	if (n == 0 && PG_ARGISNULL(argument))
		return;
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("preferences requires measures"),
				 errhint("necd_pref and nwp_pref are the preferences for bias and loss.")));
	require_argument(fcinfo, "preferences");
	values = point_of(fcinfo, argument, "preferences", n, 0);
	for (int i = 0; i < n; i++)
		preference->preferred[FIRST_FURTHER + i] = turned(preference->measures[FIRST_FURTHER + i], values[i]);
}

/* Gets the weight and the ideal of each measure, from two arguments. */
static void
importance_arguments(FunctionCallInfo fcinfo, int argument, Preference *preference)
{
	const double *weights = point_of(fcinfo, argument, "weights", preference->n, 1);
	const double *ideal = point_of(fcinfo, argument + 1, "ideal", preference->n, 0);

	preference->has_weights = !PG_ARGISNULL(argument) || !PG_ARGISNULL(argument + 1);
	memcpy(preference->weights, weights, sizeof(double) * preference->n);
	for (int i = 0; i < preference->n; i++)
		preference->ideal[i] = turned(preference->measures[i], ideal[i]);
}

/*
 * Sets default ideals, once the number of people is known: 0, or the value of
 * a single class of all people.
 */
static void
complete_ideal(FunctionCallInfo fcinfo, int argument, const Population *population, Preference *preference)
{
	for (int i = 0; i < preference->n && PG_ARGISNULL(argument); i++)
		if (objective_rises(preference->measures[i]))
			preference->ideal[i] = best_of_one_class(population, preference->measures[i]);
}

/* Fails if a preference cannot direct a search. */
static void
check_preference(const Preference *preference)
{
	double		sum = 0;

	for (int i = 0; i < preference->n; i++)
	{
		Objective	measure = preference->measures[i];

		sum += preference->weights[i];
		if (preference->weights[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("weights must be at least 0, not %g", preference->weights[i])));
		if (preference->preferred[i] < preference->ideal[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a preference must not be better than the ideal point"),
					 errdetail("%g is preferred of %s, %g is ideal.", turned(measure, preference->preferred[i]), objective_name(measure),
							   turned(measure, preference->ideal[i])),
					 errhint("Name another ideal, one number each for necd, nwp and the further measures.")));
	}
	if (!(sum > 0) || isinf(sum))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weights must have a positive, finite sum")));
}

/* The further measures of a solution, or NULL if there are none. */
static Datum
further_datum(const Preference *preference, const double *costs, bool *isnull)
{
	int			n = preference->n - FIRST_FURTHER;
	double		values[MAX_PREFERRED];

	*isnull = n == 0;
	if (n == 0)
		return (Datum) 0;
	for (int i = 0; i < n; i++)
		values[i] = turned(preference->measures[FIRST_FURTHER + i], costs[i]);
	return doubles_datum(values, n);
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
put_judged(ReturnSetInfo *result, const EfficiencySearch *search, const JudgedNode *node, bool chosen)
{
	int			nattrs = search->population->nattrs;
	Datum		values[9];
	bool		nulls[9] = {0};

	values[0] = levels_datum(node->levels, nattrs);
	values[1] = Int64GetDatum(node->k);
	values[2] = Float8GetDatum(node->necd);
	values[3] = Float8GetDatum(node->nwp);
	values[4] = CStringGetTextDatum(efficiency_name(node->efficiency));
	values[5] = Float8GetDatum(node->ach);
	values[6] = Float8GetDatum(node->deviation);
	values[7] = BoolGetDatum(chosen);
	values[8] = further_datum(&search->preference, node->costs + FIRST_FURTHER, &nulls[8]);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static Datum
anonopt_efficiency_call(PG_FUNCTION_ARGS)
{
	EfficiencySearch search = {0};
	ReturnSetInfo *result;
	Dataset    *dataset;
	Population *population;
	Session    *session;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = dataset_argument(fcinfo);
	(void) integer_argument(fcinfo, "k", 1, PG_INT32_MAX);
	search.promise = promise_arguments(fcinfo, dataset);
	search.preference = preference_arguments(fcinfo, 2);
	measures_argument(fcinfo, dataset, &search.preference);
	further_argument(fcinfo, EFFICIENCY_L + MEASURES + 1, &search.preference);
	importance_arguments(fcinfo, EFFICIENCY_L + MEASURES + 2, &search.preference);
	session = session_begin(ALGORITHM_EFFICIENCY, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return (Datum) 0;
	search.promise.limit = share_of_people(dataset->max_suppression, population->people);
	search.population = searched_population(population, &search.promise, search.preference.n, search.preference.measures);
	complete_ideal(fcinfo, EFFICIENCY_L + MEASURES + 3, search.population, &search.preference);
	check_preference(&search.preference);
	search.workers = max_workers();
	efficiency_search(&search);
	for (Size i = 0; i < search.nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_judged(result, &search, &search.nodes[i], i == 0);
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
nsga2_arguments(FunctionCallInfo fcinfo, int first, Dataset *dataset)
{
	Nsga2Settings settings = {0};

	(void) integer_argument(fcinfo, "k", 1, PG_INT32_MAX);
	settings.promise = promise_arguments(fcinfo, dataset);
	settings.k = settings.promise.k;
	settings.size = integer_argument(fcinfo, "population", 2, MOST_IN_GENERATION);
	settings.evaluations = integer_argument(fcinfo, "evaluations", 1, PG_INT32_MAX);
	if (settings.evaluations < settings.size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("evaluations must be at least the population"),
				 errdetail("%d evaluations are not enough for a generation of %d.", settings.evaluations, settings.size)));
	require_argument(fcinfo, "crossover");
	settings.crossover = probability_argument(fcinfo, "crossover", 0);
	require_argument(fcinfo, "mutation");
	settings.mutation = probability_argument(fcinfo, "mutation", 0);
	settings.seed = seed_argument(fcinfo);
	settings.taxonomy = boolean_argument(fcinfo, "taxonomy");
	settings.unseeded = !boolean_argument(fcinfo, "seeds");
	settings.copies = boolean_argument(fcinfo, "copies");
	settings.workers = max_workers();
	return settings;
}

/* Reads the relation and prepares the search; NULL if there are no rows. */
static Nsga2 *
begin_search(FunctionCallInfo fcinfo, int ideal, Session *session, const Dataset *dataset, Nsga2Settings *settings)
{
	Population *population;

	session_seed(session, settings->seed);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return NULL;
	progress_search(settings->evaluations);
	settings->promise.limit = share_of_people(dataset->max_suppression, population->people);
	settings->population = searched_population(population, &settings->promise, settings->preference.n, settings->preference.measures);
	complete_ideal(fcinfo, ideal, settings->population, &settings->preference);
	check_preference(&settings->preference);
	return nsga2_begin(settings);
}

static void
end_search(Session *session, Nsga2 *search)
{
	session_end(session, nsga2_size(search), nsga2_end(search), false);
}

static void
put_solution(ReturnSetInfo *result, const Nsga2 *search, uint32 number, const Nsga2Settings *settings)
{
	const Solution *solution = nsga2_solution(search, number);
	Datum		values[10];
	bool		nulls[10] = {0};

	cut_datums(nsga2_space(search), nsga2_cut(search, number), &values[0], &values[1]);
	values[2] = Int64GetDatum(solution->k);
	values[3] = Float8GetDatum(solution->necd);
	values[4] = Float8GetDatum(solution->nwp);
	values[5] = Float8GetDatum(solution->ach);
	values[6] = Float8GetDatum(solution->deviation);
	values[7] = BoolGetDatum(solution->k >= settings->k);
	values[8] = BoolGetDatum(number == nsga2_chosen(search));
	values[9] = further_datum(&settings->preference, nsga2_further(search, number), &nulls[9]);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static Datum
anonopt_nsga2_call(PG_FUNCTION_ARGS)
{
	const int	first = 4 + NSGA2_L + MEASURES;
	Dataset    *dataset;
	Nsga2Settings settings;
	Session    *session;
	Nsga2	   *search;
	uint32	   *front;
	uint32		nfront;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo);
	settings = nsga2_arguments(fcinfo, 4, dataset);
	settings.preference = preference_arguments(fcinfo, 2);
	measures_argument(fcinfo, dataset, &settings.preference);
	further_argument(fcinfo, first + 1, &settings.preference);
	importance_arguments(fcinfo, first + 2, &settings.preference);
	session = session_begin(ALGORITHM_NSGA2, dataset);
	search = begin_search(fcinfo, first + 3, session, dataset, &settings);
	if (search == NULL)
		return (Datum) 0;
	nsga2_search(search, &settings.preference, settings.evaluations);
	end_search(session, search);
	nfront = nsga2_front(search, &front);
	for (uint32 i = 0; i < nfront; i++)
		put_solution((ReturnSetInfo *) fcinfo->resultinfo, search, front[i], &settings);
	if (nsga2_chosen(search) == NO_SOLUTION)
		tell_largest_k(&settings.promise, settings.population, nsga2_solution(search, 0)->k);
	return (Datum) 0;
}

/* Gets a point of bias, loss and the further measures, as costs. */
static void
point_argument(FunctionCallInfo fcinfo, int argument, const char *name, const Preference *preference, double *point)
{
	const double *values;

	require_argument(fcinfo, name);
	values = point_of(fcinfo, argument, name, preference->n, 0);
	for (int i = 0; i < preference->n; i++)
	{
		if (i < FIRST_FURTHER && !(values[i] >= 0 && values[i] <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s must be between 0 and 1, not %g", name, values[i]),
					 errhint("Give {necd,nwp}, followed by the further measures.")));
		point[i] = turned(preference->measures[i], values[i]);
	}
}

static Datum
point_datum(const Preference *point)
{
	double		values[MAX_PREFERRED];

	for (int i = 0; i < point->n; i++)
		values[i] = turned(point->measures[i], point->preferred[i]);
	return doubles_datum(values, point->n);
}

/* Adds a step's row: the chosen solution, if there is one. */
static void
put_step(ReturnSetInfo *result, const Nsga2 *search, int step, const Preference *reference)
{
	uint32		chosen = nsga2_chosen(search);
	const Solution *solution;
	Datum		values[10] = {0};
	bool		nulls[10];

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
		values[9] = further_datum(reference, nsga2_further(search, chosen), &nulls[9]);
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

/* The reference point of a step, between the start and the aspiration. */
static void
move_reference(Preference *reference, const double *start, const double *aspiration, double share)
{
	for (int i = 0; i < reference->n; i++)
	{
		reference->preferred[i] = start[i] + share * (aspiration[i] - start[i]);
		/* rounding must not move it beyond the ideal */
		if (i < FIRST_FURTHER)
			reference->preferred[i] = Max(reference->preferred[i], 0);
		reference->preferred[i] = Max(reference->preferred[i], Min(start[i], aspiration[i]));
	}
}

static Datum
anonopt_reference_direction_call(PG_FUNCTION_ARGS)
{
	const int	first = 5 + NSGA2_L + MEASURES;
	Dataset    *dataset;
	Nsga2Settings settings;
	Preference	reference;
	double		start[MAX_PREFERRED];
	double		aspiration[MAX_PREFERRED];
	int			steps;
	Session    *session;
	Nsga2	   *search;

	InitMaterializedSRF(fcinfo, 0);
	dataset = dataset_argument(fcinfo);
	steps = integer_argument(fcinfo, "steps", 1, 10000);
	settings = nsga2_arguments(fcinfo, 5, dataset);
	preference_begin(&reference, 0, 0);
	measures_argument(fcinfo, dataset, &reference);
	point_argument(fcinfo, 2, "start", &reference, start);
	point_argument(fcinfo, 3, "aspiration", &reference, aspiration);
	importance_arguments(fcinfo, first + 1, &reference);
	/* the better end of the walk: checks on it hold for all steps */
	for (int i = 0; i < reference.n; i++)
		reference.preferred[i] = Min(start[i], aspiration[i]);
	settings.preference = reference;
	session = session_begin(ALGORITHM_REFERENCE_DIRECTION, dataset);
	search = begin_search(fcinfo, first + 2, session, dataset, &settings);
	if (search == NULL)
		return (Datum) 0;
	reference = settings.preference;
	for (int step = 1; step <= steps; step++)
	{
		move_reference(&reference, start, aspiration, (double) step / steps);
		nsga2_search(search, &reference, evaluations_of_step(&settings, step, steps));
		put_step((ReturnSetInfo *) fcinfo->resultinfo, search, step, &reference);
	}
	end_search(session, search);
	if (nsga2_chosen(search) == NO_SOLUTION)
		tell_largest_k(&settings.promise, settings.population, nsga2_solution(search, 0)->k);
	return (Datum) 0;
}
