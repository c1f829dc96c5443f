/*
 * arguments.c
 *	  Gets and checks the arguments of SQL-callable functions.
 */
#include "sql/arguments.h"

#include <math.h>

#include "access/relation.h"
#include "base/budget.h"
#include "base/names.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "read/hierarchy_read.h"
#include "release/release.h"
#include "sql/search_call.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/varbit.h"

void
require_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not be null", name)));
}

char *
name_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	require_argument(fcinfo, argument, name);
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

double
probability_argument(FunctionCallInfo fcinfo, int argument, const char *name, double otherwise)
{
	double		value = PG_ARGISNULL(argument) ? otherwise : PG_GETARG_FLOAT8(argument);

	if (!(value >= 0 && value <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between 0 and 1, not %g", name, value)));
	return value;
}

int
integer_argument(FunctionCallInfo fcinfo, int argument, const char *name, int least, int most)
{
	int			value;

	require_argument(fcinfo, argument, name);
	value = PG_GETARG_INT32(argument);
	if (value < least || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %d and %d, not %d", name, least, most, value)));
	return value;
}

bool
boolean_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	require_argument(fcinfo, argument, name);
	return PG_GETARG_BOOL(argument);
}

int64
seed_argument(FunctionCallInfo fcinfo, int argument)
{
	int64		seed;

	if (!PG_ARGISNULL(argument))
		return PG_GETARG_INT64(argument);
	if (!pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a random seed")));
	return seed & PG_INT64_MAX;
}

Dataset *
dataset_argument(FunctionCallInfo fcinfo, int argument)
{
	return dataset_sound(dataset_load(name_argument(fcinfo, argument, "dataset")));
}

Population *
population_argument(const Dataset *dataset)
{
	Population *population = population_read(dataset);

	if (population->people == 0)
		return NULL;
	require_weights(dataset, population);
	return population;
}

static int64
count_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	int32		value = PG_GETARG_INT32(argument);

	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1, not %d", name, value)));
	return value;
}

Promise
promise_arguments(FunctionCallInfo fcinfo, int first, Dataset *dataset)
{
	return promise_at(fcinfo, first, first + 1, first + 2, dataset);
}

Promise
promise_at(FunctionCallInfo fcinfo, int k, int l, int t, Dataset *dataset)
{
	Promise		promise = {0};

	if (!PG_ARGISNULL(k))
		promise.k = count_argument(fcinfo, k, "k");
	if (!PG_ARGISNULL(l))
		promise_of_all(dataset, MODEL_L, count_argument(fcinfo, l, "l"));
	if (!PG_ARGISNULL(t) && !(PG_GETARG_FLOAT8(t) >= 0 && PG_GETARG_FLOAT8(t) <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("t must be between 0 and 1")));
	if (!PG_ARGISNULL(t))
		promise_of_all(dataset, MODEL_T, PG_GETARG_FLOAT8(t));
	promise_add_declared(&promise, dataset);
	return promise;
}

ArrayType *
attributes_argument(FunctionCallInfo fcinfo, int argument, const char *name, const char *element,
					const Dataset *dataset, int *nnodes)
{
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	ArrayType  *array;
	int			ndims;

	require_argument(fcinfo, argument, name);
	array = PG_GETARG_ARRAYTYPE_P(argument);
	ndims = ARR_NDIM(array);
	if (ndims < 1 || ndims > 2 || ARR_DIMS(array)[ndims - 1] != nattrs)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of %s", name),
				 errdetail_plural("Data set \"%s\" has %d quasi-identifier.",
								  "Data set \"%s\" has %d quasi-identifiers.", nattrs, dataset->name, nattrs),
				 errhint("Give one %s for each, in the order they were added, or an array of such arrays.", element)));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be null", name)));
	*nnodes = ndims == 1 ? 1 : ARR_DIMS(array)[0];
	return array;
}

int **
levels_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes)
{
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	ArrayType  *array = attributes_argument(fcinfo, argument, "levels", "level", dataset, nnodes);
	Size		size = sizeof(int) * nattrs * *nnodes + sizeof(int *) * *nnodes;
	int		  **nodes;
	int		   *levels;

	budget_require(CurrentMemoryContext, size);
	nodes = MemoryContextAllocHuge(CurrentMemoryContext, size);
	levels = (int *) (nodes + *nnodes);
	memcpy(levels, ARR_DATA_PTR(array), sizeof(int) * nattrs * *nnodes);
	for (int i = 0; i < *nnodes; i++)
		nodes[i] = levels + (Size) i * nattrs;
	for (int i = 0; i < *nnodes; i++)
		check_node(dataset, nodes[i]);
	return nodes;
}

int *
node_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset)
{
	int			nnodes;
	int		  **nodes = levels_argument(fcinfo, argument, dataset, &nnodes);

	if (nnodes != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("only one node is expected, not %d", nnodes)));
	return nodes[0];
}

RiskModel
risk_argument(FunctionCallInfo fcinfo, int argument)
{
	char	   *name = name_argument(fcinfo, argument, "risk");
	int			risk = risk_by_name(name);

	if (risk < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown risk \"%s\"", name),
				 errhint("Risks are sensitivity, identity and entropy.")));
	return (RiskModel) risk;
}

UtilityModel
utility_argument(FunctionCallInfo fcinfo, int argument)
{
	char	   *name = name_argument(fcinfo, argument, "utility");
	int			utility = utility_by_name(name);

	if (utility < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown utility \"%s\"", name),
				 errhint("Utilities are depth, leaves, log_leaves, xiao_tao and lm.")));
	return (UtilityModel) utility;
}

char *
key_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset)
{
	char	   *key;

	if (PG_ARGISNULL(argument))
		return NULL;
	key = pstrdup(NameStr(*PG_GETARG_NAME(argument)));
	require_column(dataset->relation, key);
	return key;
}

char **
columns_argument(FunctionCallInfo fcinfo, int argument, Oid relation, int *ncolumns)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argument);
	Datum	   *names;
	bool	   *nulls;
	char	  **columns;

	deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, ncolumns);
	if (*ncolumns > MAX_ATTRIBUTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many columns"),
				 errhint("At most %d columns can be named.", MAX_ATTRIBUTES)));
	columns = palloc(sizeof(char *) * (*ncolumns + 1));
	for (int i = 0; i < *ncolumns; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column names must not be null")));
		columns[i] = pstrdup(NameStr(*DatumGetName(names[i])));
		require_column(relation, columns[i]);
		for (int j = 0; j < i; j++)
			if (strcmp(columns[i], columns[j]) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("column \"%s\" is named twice", columns[i])));
	}
	return columns;
}

void
require_distance_hierarchy(Distance distance, Oid hierarchy)
{
	if (distance == DISTANCE_HIERARCHICAL && !OidIsValid(hierarchy))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hierarchical distance needs a hierarchy"),
				 errhint("Name one, or use the distance equal or ordered.")));
}

/* ------------------ partitions of ordered domains as arguments: bit strings */

Datum *
cuts_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes)
{
	ArrayType  *array = attributes_argument(fcinfo, argument, "cuts", "bit string", dataset, nnodes);
	Datum	   *cuts;
	bool	   *nulls;
	int			ncuts;

	deconstruct_array(array, VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &ncuts);
	return cuts;
}

/* ------------------------- recodings as arguments of SQL-callable functions */

Dataset *
readable_dataset_argument(FunctionCallInfo fcinfo, int argument)
{
	Dataset    *dataset = dataset_argument(fcinfo, argument);

	release_check_reading(dataset);
	return dataset;
}

RecodingLabels
labels_argument(FunctionCallInfo fcinfo, int argument)
{
	char	   *name = name_argument(fcinfo, argument, "labels");
	int			labels = recoding_labels_by_name(name);

	if (labels < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown labels \"%s\"", name),
				 errhint("Labels are hierarchy and range.")));
	return (RecodingLabels) labels;
}

Objective
recoding_loss_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset)
{
	static const char *const losses[] = {"glm", "nwp", "dcn", "cm"};
	char	   *name = name_argument(fcinfo, argument, "loss");

	if (find_name(name, losses, lengthof(losses)) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown loss \"%s\"", name),
				 errhint("Losses of a recoding are glm, nwp, dcn and cm.")));
	return objective_argument(name, dataset, true);
}

void
recoding_tables_read(RecodingTables *tables, const Dataset *dataset, int n, const Oid *oids)
{
	tables->n = n;
	tables->tables = palloc(sizeof(Relation) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tables->tables[i] = recoding_table_open(oids[i]);
	}
	tables->population = reading_population(dataset, NULL, true, false, &tables->reading);
	if (tables->population->people == 0)
		tables->population = NULL;
	else
		require_weights(dataset, tables->population);
}

void
recoding_tables_close(RecodingTables *tables)
{
	for (int i = 0; i < tables->n; i++)
		relation_close(tables->tables[i], NoLock);
}
