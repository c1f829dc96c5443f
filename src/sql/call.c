/*
 * call.c
 *	  Arguments and result rows of SQL-callable functions, by name.
 */
#include "sql/call.h"

#include <math.h>

#include "access/htup_details.h"
#include "base/budget.h"
#include "catalog/pg_proc.h"
#include "catalog/sql.h"
#include "read/population_read.h"
#include "release/release.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"

/* ----------------------------------------------------------------- arguments */

/* The position of an argument of the running function, and its type; -1 if it has none of that name. */
static int
find_argument(FunctionCallInfo fcinfo, const char *name, Oid *type)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	int			found = -1;
	char	  **names;
	char	   *modes;
	Oid		   *types;
	int			nargs;
	int			position = 0;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	nargs = get_func_arg_info(tuple, &types, &names, &modes);
	for (int i = 0; i < nargs && names != NULL && found < 0; i++)
	{
		if (modes != NULL && modes[i] != PROARGMODE_IN)
			continue;
		if (strcmp(names[i], name) == 0)
		{
			found = position;
			*type = types[i];
		}
		position++;
	}
	ReleaseSysCache(tuple);
	return found;
}

static int
require_position(FunctionCallInfo fcinfo, const char *name, Oid *type)
{
	int			position = find_argument(fcinfo, name, type);

	if (position < 0 || position >= fcinfo->nargs)
		elog(ERROR, "function %u has no argument \"%s\"", fcinfo->flinfo->fn_oid, name);
	return position;
}

bool
takes_argument(FunctionCallInfo fcinfo, const char *name)
{
	Oid			type;

	return find_argument(fcinfo, name, &type) >= 0;
}

Oid
argument_type(FunctionCallInfo fcinfo, const char *name)
{
	Oid			type;

	(void) require_position(fcinfo, name, &type);
	return type;
}

bool
is_given(FunctionCallInfo fcinfo, const char *name)
{
	Oid			type;

	return !PG_ARGISNULL(require_position(fcinfo, name, &type));
}

Datum
get_argument(FunctionCallInfo fcinfo, const char *name, Oid type)
{
	Oid			declared;
	int			position = require_position(fcinfo, name, &declared);

	if (declared != type)
		elog(ERROR, "argument \"%s\" of function %u has type %u, not %u", name, fcinfo->flinfo->fn_oid, declared, type);
	require_argument(fcinfo, name);
	return PG_GETARG_DATUM(position);
}

void
require_argument(FunctionCallInfo fcinfo, const char *name)
{
	if (!is_given(fcinfo, name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not be null", name)));
}

char *
name_argument(FunctionCallInfo fcinfo, const char *name)
{
	if (argument_type(fcinfo, name) == NAMEOID)
		return pstrdup(NameStr(*DatumGetName(get_argument(fcinfo, name, NAMEOID))));
	return TextDatumGetCString(get_argument(fcinfo, name, TEXTOID));
}

char *
name_if_given(FunctionCallInfo fcinfo, const char *name)
{
	return is_given(fcinfo, name) ? name_argument(fcinfo, name) : NULL;
}

Oid
relation_argument(FunctionCallInfo fcinfo, const char *name)
{
	if (argument_type(fcinfo, name) == TEXTOID)
		return DatumGetObjectId(OidInputFunctionCall(F_REGCLASSIN, name_argument(fcinfo, name), InvalidOid, -1));
	return DatumGetObjectId(get_argument(fcinfo, name, REGCLASSOID));
}

Oid
relation_if_given(FunctionCallInfo fcinfo, const char *name)
{
	return is_given(fcinfo, name) ? relation_argument(fcinfo, name) : InvalidOid;
}

double
number_argument(FunctionCallInfo fcinfo, const char *name)
{
	return DatumGetFloat8(get_argument(fcinfo, name, FLOAT8OID));
}

double
require_finite(const char *name, double value)
{
	if (isnan(value) || isinf(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be finite, not %g", name, value)));
	return value;
}

double
require_share(const char *name, double value, double most)
{
	if (!(value >= 0 && value <= most))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between 0 and 1, not %g", name, value)));
	return value;
}

double
probability_argument(FunctionCallInfo fcinfo, const char *name)
{
	return require_share(name, number_argument(fcinfo, name), 1);
}

int
integer_argument(FunctionCallInfo fcinfo, const char *name, int least, int most)
{
	int			value = DatumGetInt32(get_argument(fcinfo, name, INT4OID));

	if (value < least || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %d and %d, not %d", name, least, most, value)));
	return value;
}

bool
boolean_argument(FunctionCallInfo fcinfo, const char *name)
{
	return DatumGetBool(get_argument(fcinfo, name, BOOLOID));
}

ArrayType *
array_argument(FunctionCallInfo fcinfo, const char *name, Oid type)
{
	return DatumGetArrayTypeP(get_argument(fcinfo, name, type));
}

const void *
elements_argument(FunctionCallInfo fcinfo, const char *name, Oid type, int *n)
{
	ArrayType  *array = array_argument(fcinfo, name, type);

	*n = count_elements(PointerGetDatum(array), name);
	return ARR_DATA_PTR(array);
}

int64
seed_argument(FunctionCallInfo fcinfo)
{
	int64		seed;

	if (is_given(fcinfo, "seed"))
		return DatumGetInt64(get_argument(fcinfo, "seed", INT8OID));
	if (!pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a random seed")));
	return seed & PG_INT64_MAX;
}

Dataset *
dataset_argument(FunctionCallInfo fcinfo)
{
	return dataset_sound(dataset_load(name_argument(fcinfo, "dataset")));
}

Dataset *
node_dataset_argument(FunctionCallInfo fcinfo)
{
	Dataset    *dataset = dataset_argument(fcinfo);

	dataset->keeps_rows = true;
	return dataset;
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

int
count_if_given(FunctionCallInfo fcinfo, const char *name)
{
	int			count;

	if (!takes_argument(fcinfo, name) || !is_given(fcinfo, name))
		return 0;
	count = DatumGetInt32(get_argument(fcinfo, name, INT4OID));
	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1, not %d", name, count)));
	return count;
}

Promise
promise_arguments(FunctionCallInfo fcinfo, Dataset *dataset)
{
	Promise		promise = {.k = count_if_given(fcinfo, "k")};

	/* of an existing release, an l of 0 or a t of 1 withdraws a promise */
	bool		may_withdraw = takes_argument(fcinfo, "release");
	int			l = may_withdraw && is_given(fcinfo, "l") && DatumGetInt32(get_argument(fcinfo, "l", INT4OID)) == 0 ? 0 : count_if_given(fcinfo, "l");

	if (l > 0)
		promise_of_all(dataset, MODEL_L, l);
	if (takes_argument(fcinfo, "t") && is_given(fcinfo, "t"))
	{
		double		t = number_argument(fcinfo, "t");

		if (!(t >= 0 && t <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("t must be between 0 and 1")));
		if (t < 1 || !may_withdraw)
			promise_of_all(dataset, MODEL_T, t);
	}
	promise_add_declared(&promise, dataset);
	return promise;
}

/* An array with one element per quasi-identifier, or of such arrays: one node each. */
static void
check_attributes(ArrayType *array, const char *name, const char *element, const Dataset *dataset, int *nnodes)
{
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	int			ndims = ARR_NDIM(array);

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
}

int **
levels_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset, int *nnodes)
{
	ArrayType  *array = argument_type(fcinfo, name) != TEXTOID ? array_argument(fcinfo, name, INT4ARRAYOID) :
	DatumGetArrayTypeP(OidInputFunctionCall(F_ARRAY_IN, name_argument(fcinfo, name), INT4OID, -1));
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	Size		size;
	int		  **nodes;
	int		   *levels;

	check_attributes(array, "levels", "level", dataset, nnodes);
	size = sizeof(int) * nattrs * *nnodes + sizeof(int *) * *nnodes;
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

static void
require_one(int n, const char *what)
{
	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("only one %s is expected, not %d", what, n)));
}

int *
node_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset)
{
	int			nnodes;
	int		  **nodes = levels_argument(fcinfo, name, dataset, &nnodes);

	require_one(nnodes, "node");
	return nodes[0];
}

int
choice_argument(FunctionCallInfo fcinfo, const char *name, const char *plural, const char *const *names, int n, const char *last)
{
	return require_choice(name, name_argument(fcinfo, name), plural, names, n, last);
}

RiskModel
risk_argument(FunctionCallInfo fcinfo)
{
	return (RiskModel) choice_argument(fcinfo, "risk", "Risks", risk_names, RISK_MODELS, " and ");
}

UtilityModel
utility_argument(FunctionCallInfo fcinfo)
{
	return (UtilityModel) choice_argument(fcinfo, "utility", "Utilities", utility_names, UTILITY_MODELS, " and ");
}

char *
key_argument(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	char	   *key = name_if_given(fcinfo, "key");

	if (key != NULL)
		require_column(dataset->relation, key);
	return key;
}

char **
names_argument(FunctionCallInfo fcinfo, const char *name, const char *what, int *n)
{
	Datum	   *datums;
	bool	   *nulls;
	char	  **names;

	deconstruct_array(array_argument(fcinfo, name, NAMEARRAYOID), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &datums, &nulls, n);
	if (*n > MAX_ATTRIBUTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many columns"),
				 errhint("At most %d columns can be %s.", MAX_ATTRIBUTES, what)));
	names = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column names must not be null")));
		names[i] = pstrdup(NameStr(*DatumGetName(datums[i])));
	}
	return names;
}

char **
columns_argument(FunctionCallInfo fcinfo, const char *name, Oid relation, int *ncolumns)
{
	char	  **columns = names_argument(fcinfo, name, "named", ncolumns);

	for (int i = 0; i < *ncolumns; i++)
	{
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

Datum *
cuts_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset, int *nnodes)
{
	ArrayType  *array = array_argument(fcinfo, name, VARBITARRAYOID);
	Datum	   *cuts;
	bool	   *nulls;
	int			ncuts;

	check_attributes(array, "cuts", "bit string", dataset, nnodes);
	deconstruct_array(array, VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &ncuts);
	return cuts;
}

Datum *
one_cuts_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset, const char *what)
{
	int			n;
	Datum	   *cuts = cuts_argument(fcinfo, name, dataset, &n);

	require_one(n, what);
	return cuts;
}

Dataset *
readable_dataset_argument(FunctionCallInfo fcinfo)
{
	Dataset    *dataset = dataset_argument(fcinfo);

	release_check_reading(dataset);
	return dataset;
}

RecodingLabels
labels_argument(FunctionCallInfo fcinfo)
{
	return (RecodingLabels) choice_argument(fcinfo, "labels", "Labels", recoding_labels_names, RECODING_LABELS, " and ");
}

/* -------------------------------------------------------------------- results */

ResultRow *
result_begin(FunctionCallInfo fcinfo)
{
	ResultRow  *row = palloc0(sizeof(ResultRow));

	if (fcinfo->flinfo->fn_retset)
	{
		InitMaterializedSRF(fcinfo, 0);
		row->desc = ((ReturnSetInfo *) fcinfo->resultinfo)->setDesc;
		row->rows = ((ReturnSetInfo *) fcinfo->resultinfo)->setResult;
	}
	else
	{
		if (get_call_result_type(fcinfo, NULL, &row->desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		row->desc = BlessTupleDesc(row->desc);
	}
	row->values = palloc0(sizeof(Datum) * (row->desc->natts + 1));
	row->nulls = palloc(sizeof(bool) * (row->desc->natts + 1));
	memset(row->nulls, true, sizeof(bool) * row->desc->natts);
	return row;
}

/* Finds a column, at once if columns are put in their order. */
static int
find_column(ResultRow *row, const char *name)
{
	for (int i = 0; i < row->desc->natts; i++)
	{
		int			column = (row->next + i) % row->desc->natts;

		if (strcmp(NameStr(TupleDescAttr(row->desc, column)->attname), name) == 0)
		{
			row->next = column + 1;
			return column;
		}
	}
	elog(ERROR, "the result has no column \"%s\"", name);
}

static void
put_at(ResultRow *row, int column, Oid type, Datum value)
{
	if (TupleDescAttr(row->desc, column)->atttypid != type)
		elog(ERROR, "column %d of the result does not have type %u", column + 1, type);
	row->values[column] = value;
	row->nulls[column] = false;
}

void
put_datum(ResultRow *row, const char *name, Oid type, Datum value)
{
	put_at(row, find_column(row, name), type, value);
}

void
put_number(ResultRow *row, const char *name, double value)
{
	put_at(row, find_column(row, name), FLOAT8OID, Float8GetDatum(value));
}

void
put_count(ResultRow *row, const char *name, int64 value)
{
	int			column = find_column(row, name);

	if (TupleDescAttr(row->desc, column)->atttypid == INT4OID)
		put_at(row, column, INT4OID, Int32GetDatum((int32) value));
	else
		put_at(row, column, INT8OID, Int64GetDatum(value));
}

void
put_bool(ResultRow *row, const char *name, bool value)
{
	put_at(row, find_column(row, name), BOOLOID, BoolGetDatum(value));
}

void
put_string(ResultRow *row, const char *name, const char *value)
{
	int			column = find_column(row, name);

	if (value != NULL && TupleDescAttr(row->desc, column)->atttypid == NAMEOID)
		put_at(row, column, NAMEOID, DirectFunctionCall1(namein, CStringGetDatum(value)));
	else if (value != NULL)
		put_at(row, column, TEXTOID, CStringGetTextDatum(value));
}

void
row_add(ResultRow *row)
{
	tuplestore_putvalues(row->rows, row->desc, row->values, row->nulls);
	memset(row->nulls, true, sizeof(bool) * row->desc->natts);
	row->next = 0;
}

Datum
row_datum(ResultRow *row)
{
	return HeapTupleGetDatum(heap_form_tuple(row->desc, row->values, row->nulls));
}
