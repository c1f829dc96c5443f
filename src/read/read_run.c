/*
 * read_run.c
 *	  Runs the statement that reads a relation.
 *
 * Distinct tuples arrive as one value of our aggregate, since a cursor would
 * prevent parallelism, or as groups, which are encoded here.
 */
#include "read/reading.h"

#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "optimizer/cost.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* The code of a column of a row that stands for several rows. */
static uint32
code_of_group(Reading *reading, int i, Datum value, bool isnull)
{
	Encoder    *encoder = &reading->set.encoders[i];
	const Buckets *buckets = reading->columns[i].buckets;
	uint32		code;
	int			bucket;

	if (buckets == NULL || isnull)
	{
		code = encode(encoder, value, isnull);
		if (code != NO_LEAF || (reading->leaves_out && encoder->miss_code == NO_LEAF))
			return code;
		return tuples_miss(reading->tuples, i, value);
	}
	bucket = DatumGetInt32(value);
	/* whatever a server answers is a number, and no index yet */
	if (bucket < 0 || bucket > buckets->n)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("a server gave an impossible answer for column \"%s\"", encoder->column),
				 errdetail("It placed a value in bucket %d of hierarchy %s.", bucket, encoder->hierarchy),
				 errhint("Set anonopt.read_mode to aggregate to read row by row.")));
	code = buckets->codes[bucket];
	if (code != NO_LEAF)
		return code;
	if (encoder->miss_code != NO_LEAF)
		return encoder->miss_code;
	tuples_add_miss(reading->tuples, i, bucket == 0 ? psprintf("below %s", buckets->names[0]) :
					psprintf("%s or above", buckets->names[bucket - 1]));
	return 0;
}

uint32
count_codes(Reading *reading, const Datum *values, const bool *nulls, int64 count)
{
	KeyCounter *counter = reading->tuples->counter;
	uint64	   *key = key_counter_candidate(counter);

	memset(key, 0, sizeof(uint64) * counter->nwords);
	for (int i = 0; i < reading->ncolumns; i++)
	{
		uint32		code = code_of_group(reading, i, values[i], nulls[i]);

		if (code == NO_LEAF)
			return LEFT_OUT;
		key_put(key, &reading->set.encoders[i].field, code);
	}
	return key_counter_add(counter, count);
}

/* Counts a store's tuple, which stands for a number of rows. */
static void
count_stored(void *arg, const Datum *values, const bool *nulls, int64 count)
{
	Reading    *reading = arg;
	MemoryContext old = MemoryContextSwitchTo(reading->row);

	(void) count_codes(reading, values, nulls, count);
	MemoryContextSwitchTo(old);
	MemoryContextReset(reading->row);
}

/* Receives a row of a grouped statement: the columns, and the count. */
static void
take_group(void *arg, const Datum *values, const bool *nulls)
{
	int			ncolumns = ((Reading *) arg)->ncolumns;
	int64		count = DatumGetInt64(values[ncolumns]);

	if (nulls[ncolumns])
		refuse_row_count(ROW_COUNT_NULL);
	if (count < 0)
		refuse_row_count((RowCountFault) count);
	/* a group whose rows stand for nobody */
	if (count > 0)
		(void) count_codes(arg, values, nulls, count);
}

/* Receives all tuples as one value, and moves them out of the query's memory. */
static void
take_tuples(void *arg, const Datum *values, const bool *nulls)
{
	Reading    *reading = arg;

	if (!nulls[0])
		reading->tuples = tuples_of_value(values[0], reading->context);
}

void
refuse_misses(const Reading *reading)
{
	StringInfoData values;
	const Encoder *encoder;
	int			first;

	if (reading->tuples->nmisses == 0)
		return;
	/* report one column at a time */
	first = reading->tuples->misses[0].encoder;
	encoder = &reading->set.encoders[first];
	initStringInfo(&values);
	for (int i = 0; i < reading->tuples->nmisses; i++)
		if (reading->tuples->misses[i].encoder == first)
			appendStringInfo(&values, "%s%s", values.len > 0 ? ", " : "",
							 quote_literal_cstr(reading->tuples->misses[i].value));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" holds values without a leaf in hierarchy %s",
					encoder->column, encoder->hierarchy),
			 errdetail("Among them: %s.", values.data),
			 errhint("Call anonopt.extend_hierarchy, if a function of anonopt built it; or add the values to the hierarchy table, or declare a quasi-identifier with unknown => '*'.")));
}

/* Groups arrive one by one, or all tuples as one value. */
static void
run_statement(Reading *reading)
{
	List	   *relations = reading->leaves != NIL ? reading->leaves : list_make1_oid(reading->dataset->relation);
	ErrorContextCallback telling;

	begin_telling_servers(reading, &telling);
	if (reading->grouped)
	{
		reading->tuples = tuples_begin(reading->context, &reading->set);
		check_shard_collations(reading);
		rows_read(reading->statement, relations, NULL, NULL, reading->ncolumns + 1, reading_types(reading), take_group, reading);
	}
	else
	{
		Oid			type = own_type("opaque");
		ParamListInfo params;

		reading->set.has_count = reading->dataset->count_column != NULL || reading->store != NULL;
		params = add_value(NULL, type, encoders_value(&reading->set, max_parallel_workers_per_gather > 0), false);

		/*
		 * not constant, so that the planner does not copy the encoders into
		 * its plan
		 */
		params->params[0].pflags = 0;
		rows_read(reading->statement, relations, params, reading->store == NULL ? NULL : store_read_show(reading->store),
				  1, &type, take_tuples, reading);
		if (reading->store != NULL)
			store_read_end(reading->store);
	}
	error_context_stack = telling.previous;
}

void
run_read(Reading *reading)
{
	ActingAs	before = act_as(reading->role);
	bool		fed = false;

	plan_read(reading);
	if (reading->store != NULL)
		store_read_tell(reading->store);
	if (reading->places != NULL)
	{
		/* a store's rows are encoded as they come */
		reading->row = AllocSetContextCreate(reading->context, "anonopt row", ALLOCSET_DEFAULT_SIZES);
		reading->tuples = tuples_begin(reading->context, &reading->set);
		fed = store_read_feed(reading->store, reading->places, reading->ncolumns, reading_types(reading), count_stored, reading);
		MemoryContextDelete(reading->row);
	}
	if (reading->places != NULL && !fed)
	{
		/* a statement must add them up; the encoders have numbered values */
		MemoryContextDelete(reading->tuples->context);
		reading->tuples = NULL;
		reading_make_encoders(reading);
		plan_store_statement(reading);
	}
	if (!fed)
		run_statement(reading);
	act_end(&before);
	check_leaves(reading);
	if (reading->tuples == NULL)
		reading->tuples = tuples_begin(reading->context, &reading->set);
	refuse_misses(reading);
}
