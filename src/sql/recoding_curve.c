/*
 * recoding_curve.c
 *	  SQL: recoding_curve.
 *
 * Searches for recodings to measure them, without writing a table.
 */
#include "base/compat.h"

#include "catalog/own_objects.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/search_call.h"

OWN_FUNCTION(anonopt_recoding_curve);

/*
 * Adds the measures of the recoding that the search finds, if any; returns how
 * many workers helped.
 */
static int
put_recoding(ResultRow *row, Population *population, const RecodingOrder *order)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt curve", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	RecodingResult *found = recoding_search(order, NULL, max_workers());
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
curve_argument(FunctionCallInfo fcinfo, int *n)
{
	const int32 *k = elements_argument(fcinfo, "k", INT4ARRAYOID, n);

	for (int i = 0; i < *n; i++)
		if (k[i] < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("k must be at least 1, not %d", k[i])));
	return k;
}

static Datum
anonopt_recoding_curve_call(PG_FUNCTION_ARGS)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	RecodingOrder order = {0};
	Objectives	loss = {.n = 1};
	const int32 *k;
	int			n;
	int			helped = 0;

	require_overlaps_kept(call.dataset, "a recoding");
	k = curve_argument(fcinfo, &n);
	order.loss = loss.of[0] = recoding_loss_argument(fcinfo, call.dataset);
	order.labels = labels_argument(fcinfo);
	order.seed = (uint64) seed_argument(fcinfo);
	if (!search_read(&call, ALGORITHM_RECODING_CURVE, NULL))
		return (Datum) 0;
	session_seed(call.session, (int64) order.seed);
	progress_search(n);
	order.promise = call.promise;
	order.population = searched_population(call.population, &loss);
	for (int i = 0; i < n; i++)
	{
		int			workers;

		CHECK_FOR_INTERRUPTS();
		order.promise.k = k[i];
		workers = put_recoding(call.row, call.population, &order);
		helped = Max(helped, workers);
		progress_update(i + 1, i + 1);
	}
	session_end(call.session, 0, helped, false);
	return (Datum) 0;
}
