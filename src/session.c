/*
 * session.c
 *	  SQL: last_search, lattice_size; and the setting anonopt.max_workers.
 */
#include "session.h"

#include "arguments.h"
#include "optimizer/cost.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker_internals.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(anonopt_last_search);
PG_FUNCTION_INFO_V1(anonopt_lattice_size);

/* What last_search returns; there is none before the first search. */
typedef struct LastSearch
{
	bool		ended;
	Algorithm	algorithm;
	char	   *dataset;
	char	   *nodes;
	int64		rows;
	int64		tuples;
	int64		evaluated;
	int			workers;
	bool		exact;
	instr_time	start;
	double		read_ms;
	double		search_ms;
} LastSearch;

static LastSearch last;

static int	max_workers_setting = -1;

void
session_define_settings(void)
{
	DefineCustomIntVariable("anonopt.max_workers",
							"Sets the most parallel workers that a search uses.",
							"-1 uses max_parallel_workers_per_gather, 0 none.",
							&max_workers_setting, -1, -1, MAX_PARALLEL_WORKER_LIMIT,
							PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("anonopt");
}

int
max_workers(void)
{
	return max_workers_setting >= 0 ? max_workers_setting : max_parallel_workers_per_gather;
}

/* Milliseconds since the last call. */
static double
lap(void)
{
	instr_time	now;
	instr_time	span;

	INSTR_TIME_SET_CURRENT(now);
	span = now;
	INSTR_TIME_SUBTRACT(span, last.start);
	last.start = now;
	return INSTR_TIME_GET_MILLISEC(span);
}

Datum
lattice_size(const Dataset *dataset)
{
	Datum		size = NumericGetDatum(int64_to_numeric(1));

	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *attribute = &dataset->attributes[i];
		int			levels;

		if (attribute->role != ROLE_QUASI_IDENTIFIER)
			continue;
		levels = declared_max_level(attribute) - attribute->min_level + 1;
		size = DirectFunctionCall2(numeric_mul, size, NumericGetDatum(int64_to_numeric(levels)));
	}
	return size;
}

static void
keep_string(char **kept, const char *string)
{
	if (*kept != NULL)
		pfree(*kept);
	*kept = MemoryContextStrdup(TopMemoryContext, string);
}

void
session_begin(Algorithm algorithm, const Dataset *dataset)
{
	last.ended = false;
	last.algorithm = algorithm;
	keep_string(&last.dataset, dataset->name);
	keep_string(&last.nodes, DatumGetCString(DirectFunctionCall1(numeric_out, lattice_size(dataset))));
	last.rows = last.tuples = last.evaluated = 0;
	last.workers = 0;
	last.exact = true;
	last.search_ms = 0;
	INSTR_TIME_SET_CURRENT(last.start);
	progress_begin(algorithm, dataset->relation);
}

/* The nodes of the lattice as a number, -1 if it is too large for one. */
static int64
count_nodes(void)
{
	return strlen(last.nodes) > 18 ? -1 : strtoll(last.nodes, NULL, 10);
}

void
session_read(const Population *population)
{
	last.read_ms = lap();
	last.ended = population == NULL;
	if (population == NULL)
	{
		progress_end();
		return;
	}
	progress_search(count_nodes());
	last.rows = population->people;
	last.tuples = population->tuples->ntuples;
}

void
session_end(int64 evaluated, int workers, bool exact)
{
	last.search_ms = lap();
	last.evaluated = evaluated;
	last.workers = workers;
	last.exact = exact;
	last.ended = true;
	progress_end();
}

Datum
anonopt_last_search(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[10];
	bool		nulls[10] = {0};

	if (!last.ended)
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = CStringGetTextDatum(algorithm_name(last.algorithm));
	values[1] = CStringGetTextDatum(last.dataset);
	values[2] = Int64GetDatum(last.rows);
	values[3] = Int64GetDatum(last.tuples);
	values[4] = DirectFunctionCall3(numeric_in, CStringGetDatum(last.nodes),
									ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	values[5] = Int64GetDatum(last.evaluated);
	values[6] = Int32GetDatum(last.workers);
	values[7] = Float8GetDatum(last.read_ms);
	values[8] = Float8GetDatum(last.search_ms);
	values[9] = BoolGetDatum(last.exact);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* The number of nodes, which may not fit in any integer. */
Datum
anonopt_lattice_size(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(lattice_size(dataset_argument(fcinfo, 0)));
}
