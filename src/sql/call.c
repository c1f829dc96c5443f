/*
 * call.c
 *	  Arguments and result rows of SQL-callable functions, by name.
 */
#include "sql/call.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
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
	if (PG_ARGISNULL(position))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not be null", name)));
	return PG_GETARG_DATUM(position);
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
