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
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "sql/arguments.h"
#include "sql/call.h"
#include "sql/declare.h"
#include "utils/builtins.h"

OWN_FUNCTION(anonopt_add_promise);
OWN_FUNCTION(anonopt_drop_promise);

static PromiseModel
model_argument(FunctionCallInfo fcinfo)
{
	return (PromiseModel) choice_argument(fcinfo, "model", model_by_name, psprintf("Models are %s.", model_names()));
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
	Parameters	row = {0};

	add_text(&row, dataset->name);
	add_text(&row, model_name(promise->model));
	add_name(&row, promise->column);
	add_value(&row, FLOAT8OID, Float8GetDatum(promise->threshold), false);
	add_value(&row, FLOAT8OID, Float8GetDatum(promise->c), !promise->has_c);
	add_oid(&row, promise->population);
	add_oid(&row, OidIsValid(promise->population) ? row_type(promise->population) : InvalidOid);
	if (write_catalog("INSERT INTO anonopt.promise (dataset, model, column_name, threshold, c, population, population_type)"
					  " VALUES ($1, $2, $3, $4, $5, $6::regclass, $7::regtype)"
					  " ON CONFLICT DO NOTHING", row.n, row.types, row.values, row.nulls) == 0)
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
	promise.model = model_argument(fcinfo);
	promise.threshold = number_argument(fcinfo, "threshold");
	promise.column = name_if_given(fcinfo, "column_name");
	promise.has_c = is_given(fcinfo, "c");
	promise.c = promise.has_c ? number_argument(fcinfo, "c") : 0;
	promise.population = relation_if_given(fcinfo, "population");
	check_declaration(dataset, &promise);
	insert_promise(dataset, &promise);
	PG_RETURN_VOID();
}

/* Accepts unknown models, too: any row in the catalogs must be droppable. */
static Datum
anonopt_drop_promise_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset = dataset_load_owned_entry(name_argument(fcinfo, "dataset"));
	char	   *model = name_argument(fcinfo, "model");
	char	   *column = name_if_given(fcinfo, "column_name");

	if (delete_declared(dataset, "promise", column, "model", model) > 0)
		PG_RETURN_VOID();
	(void) model_argument(fcinfo);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 column == NULL ? errmsg("data set \"%s\" promises no %s", dataset->name, model) :
			 errmsg("data set \"%s\" promises no %s for column \"%s\"", dataset->name, model, column),
			 errhint("anonopt.promise lists the promises.")));
	PG_RETURN_VOID();
}
