/*
 * session.c
 *	  SQL: last_search, lattice_size.
 */
#include "session.h"

#include "arguments.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(anonopt_last_search);
PG_FUNCTION_INFO_V1(anonopt_lattice_size);

/* What last_search returns; there is none before the first search. */
typedef struct LastSearch
{
	bool		ended;
	const char *algorithm;
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
session_begin(const char *algorithm, const Dataset *dataset)
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
}

void
session_read(const Population *population)
{
	last.read_ms = lap();
	last.ended = population == NULL;
	if (population == NULL)
		return;
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
	values[0] = CStringGetTextDatum(last.algorithm);
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
