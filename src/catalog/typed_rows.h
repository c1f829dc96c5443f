/*
 * typed_rows.h
 *	  Rows that a statement gives, taken only where they have the types for
 *	  which the taker is written.
 */
#ifndef ANONOPT_TYPED_ROWS_H
#define ANONOPT_TYPED_ROWS_H

#include "base/compat.h"

#include "access/tupdesc.h"
#include "nodes/params.h"

/* Takes one row.  The current memory context is the executor's: it lasts as long as the statement. */
typedef void (*RowTaker) (void *arg, const Datum *values, const bool *nulls);

/*
 * Runs a statement with the snapshot of the caller's query and hands its rows
 * on as they come.  Fails before the first where a column has another type
 * than expected.  SPI is connected.
 */
extern void rows_read(const char *statement, ParamListInfo params, int ncolumns, const Oid *types,
					  RowTaker take, void *arg);

/* Fails where the columns from first on are not of these types, or are not there. */
extern void rows_require_types(TupleDesc desc, int first, int ncolumns, const Oid *types);

/* Fails where a value of one type would be taken for a value of another. */
extern void rows_require_type(Oid type, Oid expected, const char *column);

/* Fails with 55006: a column is not what it was. */
pg_noreturn extern void rows_refuse_changed(const char *column, const char *detail);

#endif
