/*
 * declare_promise.c
 *	  SQL: add_promise, drop_promise.
 *
 * Every fault of a promise that can be detected is reported here, not by a
 * later search.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/dataset.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "sql/arguments.h"
#include "utils/builtins.h"

OWN_FUNCTION(anonopt_add_promise);
OWN_FUNCTION(anonopt_drop_promise);

static PromiseModel
model_argument(FunctionCallInfo fcinfo, int argument)
{
	char	   *name = name_argument(fcinfo, "model");
	int			model = model_by_name(name);

	if (model < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown model \"%s\"", name),
				 errhint("Models are %s.", model_names())));
	return (PromiseModel) model;
}

static char *
promise_column_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(argument)));
}

/* Fails unless a column is one of the data set's sensitive ones. */
static void
require_sensitive_column(const Dataset *dataset, const char *column)
{
	require_column(dataset->relation, column);
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_SENSITIVE && strcmp(dataset->attributes[i].column, column) == 0)
			return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" of data set \"%s\" is not sensitive", column, dataset->name),
			 errhint("Add it with anonopt.add_sensitive first.")));
}

/*
 * Fails unless a population can be read, and has the quasi-identifiers as
 * columns whose types match their hierarchies.
 */
static void
require_population(const Dataset *dataset, Oid population)
{
	require_rows(population);
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];

		if (declared->role != ROLE_QUASI_IDENTIFIER)
			continue;
		require_readable_column(population, declared->column);
		if (column_type(population, declared->column) != column_type(dataset->relation, declared->column))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of population %s has another type than that of data set \"%s\"",
							declared->column, relation_sql_name(population), dataset->name),
					 errdetail("It has type %s, not %s.",
							   format_type_be(column_type(population, declared->column)),
							   format_type_be(column_type(dataset->relation, declared->column)))));
	}
}

static void
check_declaration(const Dataset *dataset, const DeclaredPromise *promise)
{
	char	   *problem = promise_problem(promise);

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("promise of %s is not sound", model_name(promise->model)),
				 errdetail("%s", problem),
				 errhint("Models are %s.", model_names())));
	if (promise->column != NULL)
		require_sensitive_column(dataset, promise->column);
	if (OidIsValid(promise->population))
		require_population(dataset, promise->population);
	if (dataset->npromises >= MAX_PROMISES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("data set \"%s\" already has %d promises", dataset->name, MAX_PROMISES)));
}

static void
insert_promise(const Dataset *dataset, const DeclaredPromise *promise)
{
	bool		has_population = OidIsValid(promise->population);
	Oid			types[7] = {TEXTOID, TEXTOID, NAMEOID, FLOAT8OID, FLOAT8OID, OIDOID, OIDOID};
	Datum		values[7];
	char		nulls[8] = "       ";

	values[0] = CStringGetTextDatum(dataset->name);
	values[1] = CStringGetTextDatum(model_name(promise->model));
	values[2] = name_datum(promise->column);
	nulls[2] = promise->column == NULL ? 'n' : ' ';
	values[3] = Float8GetDatum(promise->threshold);
	values[4] = Float8GetDatum(promise->c);
	nulls[4] = promise->has_c ? ' ' : 'n';
	values[5] = ObjectIdGetDatum(promise->population);
	values[6] = ObjectIdGetDatum(has_population ? row_type(promise->population) : InvalidOid);
	nulls[5] = nulls[6] = has_population ? ' ' : 'n';
	if (write_catalog("INSERT INTO anonopt.promise (dataset, model, column_name, threshold, c, population, population_type)"
					  " VALUES ($1, $2, $3, $4, $5, $6::regclass, $7::regtype)"
					  " ON CONFLICT DO NOTHING", 7, types, values, nulls) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 promise->column == NULL ?
				 errmsg("data set \"%s\" already promises %s", dataset->name, model_name(promise->model)) :
				 errmsg("data set \"%s\" already promises %s for column \"%s\"", dataset->name, model_name(promise->model),
						promise->column),
				 errhint("Call anonopt.drop_promise first.")));
}

static Datum
anonopt_add_promise_call(PG_FUNCTION_ARGS)
{
	DeclaredPromise promise = {0};
	Dataset    *dataset = dataset_load_owned(name_argument(fcinfo, "dataset"));

	dataset_check(dataset);
	promise.model = model_argument(fcinfo, 1);
	require_argument(fcinfo, "threshold");
	promise.threshold = PG_GETARG_FLOAT8(2);
	promise.column = promise_column_argument(fcinfo, 3);
	promise.has_c = !PG_ARGISNULL(4);
	promise.c = promise.has_c ? PG_GETARG_FLOAT8(4) : 0;
	promise.population = PG_ARGISNULL(5) ? InvalidOid : PG_GETARG_OID(5);
	check_declaration(dataset, &promise);
	insert_promise(dataset, &promise);
	PG_RETURN_VOID();
}

uint64
delete_promises(const Dataset *dataset, const char *model, const char *column)
{
	Oid			types[3] = {TEXTOID, TEXTOID, NAMEOID};
	Datum		values[3];
	char		nulls[4] = "   ";

	values[0] = CStringGetTextDatum(dataset->name);
	values[1] = model == NULL ? (Datum) 0 : CStringGetTextDatum(model);
	values[2] = name_datum(column);
	nulls[1] = model == NULL ? 'n' : ' ';
	nulls[2] = column == NULL ? 'n' : ' ';
	return write_catalog("DELETE FROM anonopt.promise WHERE dataset = $1"
						 " AND ($2 IS NULL OR model = $2)"
						 " AND ($3 IS NULL OR column_name = $3)", 3, types, values, nulls);
}

/* Accepts unknown models, too: any row in the catalogs must be droppable. */
static Datum
anonopt_drop_promise_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset = dataset_load_owned_entry(name_argument(fcinfo, "dataset"));
	char	   *model = name_argument(fcinfo, "model");
	char	   *column = promise_column_argument(fcinfo, 2);

	if (delete_promises(dataset, model, column) > 0)
		PG_RETURN_VOID();
	(void) model_argument(fcinfo, 1);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 column == NULL ? errmsg("data set \"%s\" promises no %s", dataset->name, model) :
			 errmsg("data set \"%s\" promises no %s for column \"%s\"", dataset->name, model, column),
			 errhint("anonopt.promise lists the promises.")));
	PG_RETURN_VOID();
}
