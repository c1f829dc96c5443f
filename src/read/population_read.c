/*
 * population_read.c
 *	  Reads a declared relation into a population.
 *
 * One ordinary SQL statement reads the relation, so that rights, row
 * security, views and partitions hold and the planner may use workers:
 *
 *		SELECT anonopt.tuples($1, r.a, r.b::numeric, …) FROM relation r
 * read_run.c runs it, and population_build.c builds the population.
 */
#include "read/population_read.h"

#include "base/budget.h"
#include "catalog/pg_class.h"
#include "catalog/sql.h"
#include "read/reading.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* The entries in the population's layout. */
static Outsiders *
make_entries(const Reading *reading, const Population *population, bool shows_unknown)
{
	Outsiders  *entries = palloc0(sizeof(Outsiders));
	const KeyCounter *counter = reading->tuples->counter;
	Size		n = (Size) counter->nkeys + 1;
	uint64	   *unknown;
	uint64		any = 0;

	budget_require(population->context, (sizeof(uint64) * (population->nwords + 1) + sizeof(int64)) * n);
	entries->ntuples = counter->nkeys;
	entries->keys = MemoryContextAllocExtended(population->context, sizeof(uint64) * population->nwords * n,
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	entries->counts = MemoryContextAllocHuge(population->context, sizeof(int64) * n);
	unknown = MemoryContextAllocExtended(population->context, sizeof(uint64) * n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < counter->nkeys; i++)
	{
		entries->counts[i] = counter->counts[i];
		for (int a = 0; a < population->nattrs; a++)
		{
			uint32		leaf = read_code(reading, i, a);

			/* NULL is a leaf only if the population has it */
			if (leaf == reading->set.encoders[a].miss_code)
				leaf = shows_unknown ? population->attrs[a].unknown_leaf : NO_LEAF;
			else if (leaf >= population->attrs[a].hierarchy->nleaves)
				leaf = NO_LEAF;
			if (leaf != NO_LEAF)
				key_put(entries->keys + (Size) i * population->nwords, &population->attrs[a].field, leaf);
			else
				unknown[i] |= UINT64CONST(1) << a;
		}
		any |= unknown[i];
	}
	if (any != 0)
		entries->unknown = unknown;
	else
		pfree(unknown);
	return entries;
}

Outsiders *
read_outsiders(const Dataset *dataset, Oid relation, const Population *population, bool shows_unknown)
{
	Reading    *reading = reading_begin(dataset, population->context);
	Dataset    *other = palloc0(sizeof(Dataset));
	Outsiders  *entries;

	/* the quasi-identifiers of the declaration, applied to the other relation */
	other->name = dataset->name;
	other->relation = relation;
	other->for_release = dataset->for_release;
	other->attributes = palloc(sizeof(Declared) * (dataset->nattributes + 1));
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			other->attributes[other->nattributes++] = dataset->attributes[i];
	reading->dataset = other;
	reading->admits_misses = true;
	reading_prepare(reading);
	run_read(reading);
	entries = make_entries(reading, population, shows_unknown);
	reading_close(reading);
	MemoryContextDelete(reading->tuples->context);
	return entries;
}

/* Adds to errors which promise needs the population that is read; a report goes on without it. */
static void
tell_promise(void *arg)
{
	errcontext("population of promise %s", (const char *) arg);
}

void
begin_telling_promise(const DeclaredPromise *promise, ErrorContextCallback *callback)
{
	callback->callback = tell_promise;
	callback->previous = error_context_stack;
	callback->arg = psprintf("%s, %s", promise_text(promise), relation_sql_name(promise->population));
	error_context_stack = callback;
}

void
population_read_outside(Population *population, const Dataset *dataset)
{
	for (int i = 0; i < dataset->npromises; i++)
	{
		const DeclaredPromise *promise = &dataset->promises[i];
		const Model *model = models[promise->model];
		OutsidePromise *outside = &population->outside[model->place];
		ErrorContextCallback telling;

		if (!model_needs_population(promise->model) || population->people == 0)
			continue;
		if (outside->given)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s is promised twice, of different populations or shares", model_name(promise->model)),
					 errhint("Drop the release and publish it again.")));
		begin_telling_promise(promise, &telling);
		outside->people = *read_outsiders(dataset, promise->population, population, true);
		error_context_stack = telling.previous;
		outside->model = promise->model;
		promise_bounds(promise, &outside->least, &outside->most);
		outside->given = true;
	}
}

Population *
reading_population(const Dataset *dataset, bool may_use_store, bool keeps_ties, Reading **result)
{
	Reading    *reading = reading_begin(dataset, AllocSetContextCreate(CurrentMemoryContext, "anonopt", ALLOCSET_DEFAULT_SIZES));
	Population *population;

	reading->may_use_store = may_use_store;
	reading->keeps_ties = keeps_ties;
	reading_prepare(reading);
	(void) reading_expect_memory(reading);
	run_read(reading);
	reading_expect_tuples(reading, reading->tuples->counter->nkeys);
	population = make_population(reading);
	reading_close(reading);
	population_read_outside(population, dataset);
	*result = reading;
	return population;
}

char *
reading_statement(const Dataset *dataset)
{
	Reading    *reading = reading_begin(dataset, CurrentMemoryContext);

	reading->may_use_store = true;
	reading_prepare(reading);
	plan_read(reading);
	if (reading->places != NULL)
		plan_store_statement(reading);
	reading_close(reading);
	if (reading->store == NULL)
		return reading->statement;
	store_read_end(reading->store);
	return psprintf("-- stored_tuples are the rows of %s\n%s", relation_sql_name(reading->store->table), reading->statement);
}

Population *
population_read(const Dataset *dataset)
{
	Reading    *reading;
	Population *population = reading_population(dataset, true, false, &reading);

	/* its dictionaries are no longer needed */
	MemoryContextDelete(reading->tuples->context);
	return population;
}

Population *
population_read_column(const Dataset *dataset, const Declared *declared)
{
	Dataset		single = *dataset;
	Declared	column = *declared;

	column.role = ROLE_QUASI_IDENTIFIER;
	column.min_level = 0;
	column.max_level = -1;
	single.attributes = &column;
	single.nattributes = 1;
	single.npromises = 0;
	single.person = NULL;
	return population_read(&single);
}

int64
share_of_people(double share, int64 people)
{
	Datum		limit = DirectFunctionCall2(numeric_mul,
											DirectFunctionCall1(float8_numeric, Float8GetDatum(share)),
											NumericGetDatum(int64_to_numeric(people)));

	return DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall1(numeric_floor, limit)));
}

void
require_weights(const Dataset *dataset, const Population *population)
{
	double		weights = 0;

	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	if (weights <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("all quasi-identifiers of data set \"%s\" have weight 0", dataset->name),
				 errhint("Declare at least one of them with a positive weight.")));
}
