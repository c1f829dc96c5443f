/*
 * relation_measures.c
 *	  SQL: k_anonymity, l_diversity, entropy_l_diversity, t_closeness.
 *
 * Measures of any relation, published or not.  A relation without a
 * declaration is read like a data set whose quasi-identifiers have no
 * hierarchy: its classes are its distinct tuples.
 */
#include "base/compat.h"

#include <math.h>

#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "read/hierarchy_read.h"
#include "read/population_read.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/builtins.h"

OWN_FUNCTION(anonopt_k_anonymity);
OWN_FUNCTION(anonopt_l_diversity);
OWN_FUNCTION(anonopt_entropy_l_diversity);
OWN_FUNCTION(anonopt_t_closeness);

Dataset *
undeclared(FunctionCallInfo fcinfo)
{
	Dataset    *dataset = palloc0(sizeof(Dataset));
	char	  **columns;
	int			ncolumns;

	dataset->relation = PG_GETARG_OID(0);
	columns = columns_argument(fcinfo, "quasi_identifiers", dataset->relation, &ncolumns);
	dataset->attributes = palloc0(sizeof(Declared) * (ncolumns + 1));
	for (int i = 0; i < ncolumns; i++)
		(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, columns[i]);
	return dataset;
}

/* The same with the sensitive column in the third argument. */
static Declared *
add_sensitive_argument(FunctionCallInfo fcinfo, Dataset *dataset)
{
	char	   *column = pstrdup(NameStr(*PG_GETARG_NAME(2)));

	require_column(dataset->relation, column);
	return dataset_declare(dataset, ROLE_SENSITIVE, column);
}

Population *
read_undeclared(const Dataset *dataset)
{
	if (dataset->nattributes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no quasi-identifiers are named"),
				 errhint("Name the columns by which people could be recognized.")));
	return population_read(dataset);
}

/* Measures the relation without generalization; returns false if it is empty. */
static bool
measure_relation(const Dataset *dataset, Measures *measures)
{
	Population *population = read_undeclared(dataset);
	Promise		nothing = {0};
	int			bottom[MAX_ATTRIBUTES] = {0};

	if (population->people == 0)
		return false;
	measure(measurer_create(population, &nothing), node_of_levels(population, bottom),
			population->tuples, measures);
	return true;
}

static Datum
anonopt_k_anonymity_call(PG_FUNCTION_ARGS)
{
	Measures	measures;

	if (!measure_relation(undeclared(fcinfo), &measures))
		PG_RETURN_NULL();
	PG_RETURN_INT64(measures.k);
}

static Datum
anonopt_l_diversity_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset = undeclared(fcinfo);
	Measures	measures;

	add_sensitive_argument(fcinfo, dataset);
	if (!measure_relation(dataset, &measures))
		PG_RETURN_NULL();
	PG_RETURN_INT64(measures.l);
}

static Datum
anonopt_entropy_l_diversity_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset = undeclared(fcinfo);
	Measures	measures;

	add_sensitive_argument(fcinfo, dataset);
	if (!measure_relation(dataset, &measures))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(measures.entropy_l);
}

static Datum
anonopt_t_closeness_call(PG_FUNCTION_ARGS)
{
	Dataset    *dataset;
	Declared   *sensitive;
	Measures	measures;

	for (int argument = 0; argument < 4; argument++)
		if (PG_ARGISNULL(argument))
			PG_RETURN_NULL();
	dataset = undeclared(fcinfo);
	sensitive = add_sensitive_argument(fcinfo, dataset);
	sensitive->distance = distance_by_name(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	sensitive->hierarchy = PG_ARGISNULL(4) ? InvalidOid : PG_GETARG_OID(4);
	require_distance_hierarchy(sensitive->distance, sensitive->hierarchy);
	if (!measure_relation(dataset, &measures))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(measures.t);
}
