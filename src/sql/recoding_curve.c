/*
 * recoding_curve.c
 *	  SQL: recoding_curve, and other_recoding, which only the benchmark
 *	  declares.
 *
 * Searches for recodings to measure them, without writing a table.
 */
#include "base/compat.h"

#include "base/names.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "search/recoding.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/array.h"

OWN_FUNCTION(anonopt_recoding_curve);
OWN_FUNCTION(anonopt_other_recoding);

typedef RecodingResult *(*RecodingSearch) (const RecodingOrder *order);

/*
 * Adds the measures of the recoding that a search finds, if any; returns how
 * many workers helped.
 */
static int
put_recoding(ResultRow *row, Population *population, const RecodingOrder *order, RecodingSearch search)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt curve", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	RecodingResult *found = search(order);
	int			helped = found->helped;

	if (found->feasible)
	{
		ClassFault	fault;
		Measures	measures;

		classes_measure(classes_of_recoding(population, found->class_of, found->nclasses, order->labels, &fault),
						&order->promise, &measures);
		put_node(row, population, NULL, &measures);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return helped;
}

/* Gets the k of a curve, each at least 1. */
static const int32 *
curve_argument(FunctionCallInfo fcinfo, int argument, int *n)
{
	ArrayType  *array;
	const int32 *k;

	require_argument(fcinfo, "k");
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("k must be a one-dimensional array without nulls")));
	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	k = (const int32 *) ARR_DATA_PTR(array);
	for (int i = 0; i < *n; i++)
		if (k[i] < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("k must be at least 1, not %d", k[i])));
	return k;
}

static RecodingResult *
search_all(const RecodingOrder *order)
{
	return recoding_search(order, NULL, max_workers());
}

static Datum
anonopt_recoding_curve_call(PG_FUNCTION_ARGS)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset;
	Population *population;
	RecodingOrder order = {0};
	Session    *session;
	const int32 *k;
	int			n;
	int			helped = 0;

	dataset = dataset_argument(fcinfo);
	require_overlaps_kept(dataset, "a recoding");
	k = curve_argument(fcinfo, 1, &n);
	order.loss = recoding_loss_argument(fcinfo, dataset);
	order.labels = labels_argument(fcinfo);
	order.seed = (uint64) seed_argument(fcinfo);
	order.effort = 0;
	session = session_begin(ALGORITHM_RECODING_CURVE, dataset);
	population = population_argument(dataset);
	session_read(session, population);
	if (population == NULL)
		return (Datum) 0;
	session_seed(session, (int64) order.seed);
	progress_search(n);
	order.promise.limit = share_of_people(dataset->max_suppression, population->people);
	order.population = searched_population(population, 1, &order.loss);
	for (int i = 0; i < n; i++)
	{
		int			workers;

		CHECK_FOR_INTERRUPTS();
		order.promise.k = k[i];
		workers = put_recoding(row, population, &order, search_all);
		helped = Max(helped, workers);
		progress_update(i + 1, i + 1);
	}
	session_end(session, 0, helped, false);
	return (Datum) 0;
}

static RecodingResult *
search_start(const RecodingOrder *order)
{
	return recoding_search(order, NULL, 0);
}

/* Other algorithms: only the start of the search, and strict Mondrian. */
static Datum
anonopt_other_recoding_call(PG_FUNCTION_ARGS)
{
	static const char *const ways[] = {"start", "mondrian"};
	static const RecodingSearch searches[] = {search_start, recoding_mondrian};
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset;
	Population *population;
	RecodingOrder order = {.loss = OBJECTIVE_GLM};
	int			way;

	dataset = dataset_argument(fcinfo);
	require_overlaps_kept(dataset, "a recoding");
	way = find_name(name_argument(fcinfo, "way"), ways, lengthof(ways));
	if (way < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown way"),
				 errhint("Ways are start and mondrian.")));
	order.promise.k = integer_argument(fcinfo, "k", 1, PG_INT32_MAX);
	order.labels = labels_argument(fcinfo);
	population = population_argument(dataset);
	if (population == NULL)
		return (Datum) 0;
	if (searches[way] == recoding_mondrian)
		require_row_a_person(dataset, population, "strict Mondrian");
	order.promise.limit = share_of_people(dataset->max_suppression, population->people);
	order.population = population;
	(void) put_recoding(row, population, &order, searches[way]);
	return (Datum) 0;
}
