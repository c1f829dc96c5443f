/*
 * call.h
 *	  Arguments and result rows of SQL-callable functions, by name.
 *
 * A function is described once, by its CREATE FUNCTION: its code gets arguments
 * and puts columns by the names there.  A name that is not there, or that has
 * another type, is an error in this code.
 */
#ifndef ANONOPT_CALL_H
#define ANONOPT_CALL_H

#include "base/compat.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

/* Whether the running function is declared with an argument. */
extern bool takes_argument(FunctionCallInfo fcinfo, const char *name);

/* The declared type of an argument. */
extern Oid	argument_type(FunctionCallInfo fcinfo, const char *name);

/* Whether an argument is not null. */
extern bool is_given(FunctionCallInfo fcinfo, const char *name);

/* An argument of a type; fails with 22023 if it is null. */
extern Datum get_argument(FunctionCallInfo fcinfo, const char *name, Oid type);

/* A row of the result, while its columns are put; the others are null. */
typedef struct ResultRow
{
	TupleDesc	desc;
	Tuplestorestate *rows;		/* of a function that returns a set */
	Datum	   *values;
	bool	   *nulls;
	int			next;			/* the column after the last one put */
} ResultRow;

/* Begins the result of a function that returns rows or a row. */
extern ResultRow *result_begin(FunctionCallInfo fcinfo);

/* Puts a column; a number is a float8, a count an integer of the column's size. */
extern void put_datum(ResultRow *row, const char *name, Oid type, Datum value);
extern void put_number(ResultRow *row, const char *name, double value);
extern void put_count(ResultRow *row, const char *name, int64 value);
extern void put_bool(ResultRow *row, const char *name, bool value);

/* Puts a text or name; NULL is null. */
extern void put_string(ResultRow *row, const char *name, const char *value);

/* Adds the row to a set, and begins the next one. */
extern void row_add(ResultRow *row);

/* The row as the value of a function that returns one. */
extern Datum row_datum(ResultRow *row);

#endif
