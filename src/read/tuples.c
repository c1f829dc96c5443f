/*
 * tuples.c
 *	  The aggregate that turns rows into distinct tuples of codes.
 *
 * anonopt.tuples(encoders, columns…) encodes each row while it is read and
 * counts equal ones, also in parallel workers, which build their encoders from
 * the bytes of the first argument, a parameter of the query.  Its type,
 * anonopt.opaque, has no input function, so only our own code, which read the
 * hierarchies with the caller's rights, can call the aggregate.
 */
#include "read/reading.h"

#include <math.h>

#include "access/parallel.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/pg_type.h"
#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* The transition function's first argument that is a column. */
#define FIRST_COLUMN 2

static Tuples *
tuples_create(MemoryContext parent, int ncolumns, int nwords)
{
	MemoryContext context = AllocSetContextCreate(parent, "anonopt tuples", ALLOCSET_DEFAULT_SIZES);
	Tuples	   *tuples = MemoryContextAllocZero(context, sizeof(Tuples));

	tuples->context = context;
	tuples->ncolumns = ncolumns;
	tuples->counter = key_counter_create(context, nwords, 1024);
	tuples->dictionaries = MemoryContextAllocZero(context, sizeof(Dictionary *) * (ncolumns + 1));
	tuples->fields = MemoryContextAllocZero(context, sizeof(KeyField) * (ncolumns + 1));
	return tuples;
}

Tuples *
tuples_begin(MemoryContext parent, EncoderSet *set)
{
	Tuples	   *tuples = tuples_create(parent, set->nencoders, set->nwords);

	tuples->set = set;
	for (int i = 0; i < set->nencoders; i++)
	{
		if (set->encoders[i].hierarchy != NULL)
			continue;
		tuples->dictionaries[i] = set->encoders[i].dictionary;
		tuples->fields[i] = set->encoders[i].field;
	}
	return tuples;
}

/*
 * Begins with the encoders in the first row's arguments; in a worker, they are
 * rebuilt from the bytes.  Fails if an argument does not have the type that its
 * encoder decodes.
 */
static Tuples *
counting_begin(FunctionCallInfo fcinfo, MemoryContext parent)
{
	EncoderSet *set;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("aggregate anonopt.tuples cannot be called from SQL"),
				 errhint("Use anonopt.evaluate or another function of the extension.")));
	set = encoders_of_value(PG_GETARG_DATUM(1), parent);
	if (PG_NARGS() != FIRST_COLUMN + set->nencoders + (set->has_count ? 1 : 0))
		elog(ERROR, "anonopt.tuples has %d arguments for %d columns", PG_NARGS(), set->nencoders);
	for (int i = 0; i < set->nencoders; i++)
		rows_require_type(get_fn_expr_argtype(fcinfo->flinfo, FIRST_COLUMN + i), set->encoders[i].type.type,
						  set->encoders[i].column);
	if (set->has_count)
		rows_require_type(get_fn_expr_argtype(fcinfo->flinfo, FIRST_COLUMN + set->nencoders), INT8OID, "count");
	return tuples_begin(parent, set);
}

void
tuples_add_miss(Tuples *tuples, int encoder, const char *value)
{
	for (int i = 0; i < tuples->nmisses; i++)
		if (tuples->misses[i].encoder == encoder && strcmp(tuples->misses[i].value, value) == 0)
			return;
	if (tuples->nmisses == MAX_MISSES)
		return;
	tuples->misses[tuples->nmisses].encoder = encoder;
	tuples->misses[tuples->nmisses++].value = MemoryContextStrdup(tuples->context, value);
}

uint32
tuples_miss(Tuples *tuples, int encoder, Datum value)
{
	const Encoder *missing = &tuples->set->encoders[encoder];

	if (missing->miss_code != NO_LEAF)
		return missing->miss_code;
	tuples_add_miss(tuples, encoder, value_text(missing->type.type, value));
	return 0;
}

/* Counts one row. */
SQL_FUNCTION(anonopt_tuples_step)
{
	MemoryContext context = aggregate_context(fcinfo);
	Tuples	   *tuples = PG_ARGISNULL(0) ? counting_begin(fcinfo, context) : (Tuples *) PG_GETARG_POINTER(0);
	EncoderSet *set = tuples->set;
	uint64	   *key = key_counter_candidate(tuples->counter);
	NullableDatum *last = &fcinfo->args[FIRST_COLUMN + set->nencoders];
	int64		count = set->has_count ? row_count(last->value, last->isnull) : 1;

	if (count == 0)
		PG_RETURN_POINTER(tuples);
	memset(key, 0, sizeof(uint64) * tuples->counter->nwords);
	for (int i = 0; i < set->nencoders; i++)
	{
		NullableDatum *argument = &fcinfo->args[FIRST_COLUMN + i];
		uint32		code = encode(&set->encoders[i], argument->value, argument->isnull);

		if (code == NO_LEAF)
			code = tuples_miss(tuples, i, argument->value);
		key_put(key, &set->encoders[i].field, code);
	}
	key_counter_add(tuples->counter, count);
	PG_RETURN_POINTER(tuples);
}

static void
append_bytes(StringInfo buffer, const void *bytes, Size size)
{
	/*
	 * a StringInfo is limited to 1 GB; a worker's share of the tuples must
	 * fit
	 */
	if (size > MaxAllocSize - 1024 || buffer->len > MaxAllocSize - 1024 - size)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("a parallel worker counted more distinct tuples than it can hand over"),
				 errhint("Set max_parallel_workers_per_gather to 0 for this call.")));
	appendBinaryStringInfo(buffer, bytes, (int) size);
}

/* Tuples as bytes, for another process, after others. */
static bytea *
pack_tuples(const Tuples *tuples, const char *first)
{
	const KeyCounter *counter = tuples->counter;
	StringInfoData buffer;

	initStringInfo(&buffer);
	appendStringInfoSpaces(&buffer, VARHDRSZ);
	appendStringInfoString(&buffer, first);
	append_uint32(&buffer, tuples->ncolumns);
	append_uint32(&buffer, counter->nwords);
	for (int i = 0; i < tuples->ncolumns; i++)
	{
		const Dictionary *dictionary = tuples->dictionaries[i];
		bool		integers = dictionary != NULL && dictionary->type.kind == VALUE_INTEGER;

		append_uint32(&buffer, dictionary != NULL);
		if (dictionary == NULL)
			continue;
		append_bytes(&buffer, &tuples->fields[i], sizeof(KeyField));
		append_uint32(&buffer, dictionary->type.type);
		append_uint32(&buffer, dictionary->nvalues);
		for (uint32 v = 0; v < dictionary->nvalues; v++)
		{
			bool		byval = integers || dictionary->type.byval;
			int16		length = integers ? 8 : dictionary->type.length;
			Size		size = datumEstimateSpace(dictionary->values[v], false, byval, length);
			char	   *bytes = palloc(size);
			char	   *end = bytes;

			datumSerialize(dictionary->values[v], false, byval, length, &end);
			append_bytes(&buffer, bytes, size);
			pfree(bytes);
		}
	}
	append_uint32(&buffer, tuples->nmisses);
	for (int i = 0; i < tuples->nmisses; i++)
	{
		append_uint32(&buffer, tuples->misses[i].encoder);
		append_bytes(&buffer, tuples->misses[i].value, strlen(tuples->misses[i].value) + 1);
	}
	append_uint32(&buffer, counter->nkeys);
	append_bytes(&buffer, counter->keys, sizeof(uint64) * counter->nwords * counter->nkeys);
	append_bytes(&buffer, counter->counts, sizeof(int64) * counter->nkeys);
	SET_VARSIZE(buffer.data, buffer.len);
	return (bytea *) buffer.data;
}

SQL_FUNCTION(anonopt_tuples_serialize)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_BYTEA_P(pack_tuples((Tuples *) PG_GETARG_POINTER(0), ""));
}

/* Only stores a pointer to the bytes; combining reads them. */
SQL_FUNCTION(anonopt_tuples_deserialize)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_POINTER(PG_GETARG_BYTEA_P(0));
}

/* Adds another process's values; returns this process's code for each of its codes. */
static uint32 *
take_dictionary(char **at, Tuples *tuples, int column)
{
	Oid			type;
	uint32		nvalues;
	uint32	   *codes;
	bool		byval;

	memcpy(&tuples->fields[column], *at, sizeof(KeyField));
	*at += sizeof(KeyField);
	type = take_uint32(at);
	nvalues = take_uint32(at);
	codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) nvalues + 1));

	if (tuples->dictionaries[column] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(tuples->context);
		ValueType	value_type;

		value_type_init(&value_type, type);
		tuples->dictionaries[column] = dictionary_create(tuples->context, &value_type);
		MemoryContextSwitchTo(old);
	}
	byval = tuples->dictionaries[column]->type.kind == VALUE_INTEGER || tuples->dictionaries[column]->type.byval;
	codes[0] = 0;
	for (uint32 i = 0; i < nvalues; i++)
	{
		bool		isnull;
		bool		known;
		Datum		value = datumRestore(at, &isnull);

		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		codes[i + 1] = dictionary_add(tuples->dictionaries[column], value, &known) + 1;
		/* the dictionary has a copy */
		if (!byval)
			pfree(DatumGetPointer(value));
	}
	return codes;
}

/* Adds another process's tuples, translating codes that it assigned itself. */
static void
take_tuples(char **at, Tuples *tuples, uint32 **codes)
{
	KeyCounter *counter = tuples->counter;
	int			nwords = counter->nwords;
	uint32		nkeys = take_uint32(at);
	char	   *counts = *at + sizeof(uint64) * nwords * (Size) nkeys;

	for (uint32 i = 0; i < nkeys; i++, *at += sizeof(uint64) * nwords)
	{
		uint64	   *key = key_counter_candidate(counter);
		int64		count;

		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		memcpy(key, *at, sizeof(uint64) * nwords);
		memcpy(&count, counts + sizeof(int64) * (Size) i, sizeof(int64));
		for (int column = 0; column < tuples->ncolumns; column++)
		{
			const KeyField *field = &tuples->fields[column];
			uint32		code;

			if (codes[column] == NULL)
				continue;
			code = codes[column][key_get(key, field)];
			key[field->word] = key_without(key, field);
			key_put(key, field, code);
		}
		key_counter_add(counter, count);
	}
}

/* Adds another process's tuples to the existing ones, if any. */
static Tuples *
add_packed(Tuples *tuples, MemoryContext context, char *at)
{
	uint32		ncolumns = take_uint32(&at);
	uint32		nwords = take_uint32(&at);
	uint32	  **codes = palloc0(sizeof(uint32 *) * (ncolumns + 1));
	uint32		nmisses;

	if (tuples == NULL)
		tuples = tuples_create(context, ncolumns, nwords);
	for (int i = 0; i < tuples->ncolumns; i++)
		if (take_uint32(&at) != 0)
			codes[i] = take_dictionary(&at, tuples, i);
	nmisses = take_uint32(&at);
	for (uint32 i = 0; i < nmisses; i++)
	{
		int			encoder = take_uint32(&at);

		tuples_add_miss(tuples, encoder, at);
		at += strlen(at) + 1;
	}
	take_tuples(&at, tuples, codes);
	return tuples;
}

SQL_FUNCTION(anonopt_tuples_combine)
{
	MemoryContext context = aggregate_context(fcinfo);
	Tuples	   *tuples = PG_ARGISNULL(0) ? NULL : (Tuples *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1))
		tuples = add_packed(tuples, context, VARDATA(PG_GETARG_POINTER(1)));
	if (tuples == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(tuples);
}

/*
 * The aggregate's result: the tuples themselves, or bytes if another process
 * will read them.
 */
#define VALUE_POINTER "p"
#define VALUE_PACKED "b"

SQL_FUNCTION(anonopt_tuples_final)
{
	const Tuples *tuples;
	StringInfoData value;

	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tuples = (Tuples *) PG_GETARG_POINTER(0);
	/* the whole query may run in a worker under debug_parallel_query */
	if (IsParallelWorker())
		PG_RETURN_POINTER(pack_tuples(tuples, VALUE_PACKED));

	/*
	 * the receiver may end the executor before it reads the row, as Citus
	 * does
	 */
	MemoryContextSetParent(tuples->context, CurTransactionContext);
	initStringInfo(&value);
	appendStringInfoSpaces(&value, VARHDRSZ);
	appendStringInfoString(&value, VALUE_POINTER);
	appendBinaryStringInfo(&value, (char *) &tuples, sizeof(tuples));
	SET_VARSIZE(value.data, value.len);
	PG_RETURN_POINTER(value.data);
}

Tuples *
tuples_of_value(Datum datum, MemoryContext context)
{
	char	   *value = VARDATA(PG_DETOAST_DATUM(datum));
	Tuples	   *tuples;

	if (*value != *VALUE_POINTER)
		return add_packed(NULL, context, value + 1);
	memcpy(&tuples, value + 1, sizeof(tuples));
	MemoryContextSetParent(tuples->context, context);
	return tuples;
}

/* Only the extension creates such values, so a pointer in one can be trusted. */
SQL_FUNCTION(anonopt_opaque_in)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot accept a value of type anonopt.opaque")));
	PG_RETURN_VOID();
}

SQL_FUNCTION(anonopt_opaque_out)
{
	PG_RETURN_CSTRING(pstrdup("opaque"));
}

/* ----------------------------------------- invalid values of a count column */

void
refuse_row_count(RowCountFault fault)
{
	int			state = fault == ROW_COUNT_NULL ? ERRCODE_NULL_VALUE_NOT_ALLOWED :
	fault == ROW_COUNT_NOT_FINITE ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE : ERRCODE_DATA_EXCEPTION;
	const char *what = fault == ROW_COUNT_NULL ? "a null value" : fault == ROW_COUNT_NEGATIVE ? "a negative value" :
	fault == ROW_COUNT_FRACTION ? "a fraction" : "a value that is not finite";

	ereport(ERROR,
			(errcode(state),
			 errmsg("count column holds %s", what),
			 errhint("Every row must say how many people it stands for.")));
}

int64
row_count(Datum count, bool isnull)
{
	if (isnull)
		refuse_row_count(ROW_COUNT_NULL);
	if (DatumGetInt64(count) < 0)
		refuse_row_count(ROW_COUNT_NEGATIVE);
	return DatumGetInt64(count);
}

/*
 * whole_number, which reads a count column that is not an integer: a cast to
 * bigint would round, and so turn half a person into none or one.
 */
SQL_FUNCTION(anonopt_whole_number_numeric)
{
	Numeric		number = PG_GETARG_NUMERIC(0);
	Datum		whole;

	if (numeric_is_nan(number) || numeric_is_inf(number))
		refuse_row_count(ROW_COUNT_NOT_FINITE);
	whole = DirectFunctionCall2(numeric_trunc, NumericGetDatum(number), Int32GetDatum(0));
	if (!DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(number), whole)))
		refuse_row_count(ROW_COUNT_FRACTION);
	return DirectFunctionCall1(numeric_int8, NumericGetDatum(number));
}

SQL_FUNCTION(anonopt_whole_number_float8)
{
	float8		number = PG_GETARG_FLOAT8(0);

	if (isnan(number) || isinf(number))
		refuse_row_count(ROW_COUNT_NOT_FINITE);
	if (number != rint(number))
		refuse_row_count(ROW_COUNT_FRACTION);
	return DirectFunctionCall1(dtoi8, Float8GetDatum(number));
}

char *
group_count_sql(const Dataset *dataset, const char *alias)
{
	Oid			type;
	char	   *value;
	char	   *whole = "";
	char	   *fault;

	if (dataset->count_column == NULL)
		return pstrdup("pg_catalog.count(*)");
	type = column_type(dataset->relation, dataset->count_column);
	value = psprintf("%s.%s", alias, quote_identifier(dataset->count_column));
	if (!type_is_integer(type))
	{
		const char *name = type == NUMERICOID ? "numeric" : "float8";

		/* NaN is above every number */
		whole = psprintf(" WHEN %s OPERATOR(pg_catalog.>=) 'Infinity'::pg_catalog.%s"
						 " OR %s OPERATOR(pg_catalog.=) '-Infinity'::pg_catalog.%s THEN %d"
						 " WHEN %s OPERATOR(pg_catalog.<>) pg_catalog.trunc(%s) THEN %d",
						 value, name, value, name, ROW_COUNT_NOT_FINITE, value, value, ROW_COUNT_FRACTION);
	}
	fault = psprintf("pg_catalog.min(CASE WHEN %s IS NULL THEN %d%s WHEN %s OPERATOR(pg_catalog.<) 0 THEN %d ELSE 0 END)",
					 value, ROW_COUNT_NULL, whole, value, ROW_COUNT_NEGATIVE);
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.<) 0 THEN %s ELSE pg_catalog.sum(%s::pg_catalog.numeric)::pg_catalog.int8 END",
					fault, fault, value);
}
