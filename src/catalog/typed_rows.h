/*
 * typed_rows.h
 *	  Rows of a statement, accepted only if they have the types that the
 *	  receiver was written for.
 */
#ifndef ANONOPT_TYPED_ROWS_H
#define ANONOPT_TYPED_ROWS_H

#include "base/compat.h"

#include "access/tupdesc.h"
#include "nodes/params.h"
#include "tcop/dest.h"

/*
 * Receives one row.  The current memory context is the executor's, which lasts
 * as long as the statement.
 */
typedef void (*RowTaker) (void *arg, const Datum *values, const bool *nulls);

/*
 * Runs a statement with the snapshot of the caller's query and passes its rows
 * on as they come.  Fails before the first row if a column does not have the
 * expected type.  SPI is connected.
 */
extern void rows_read(const char *statement, ParamListInfo params, int ncolumns, const Oid *types,
					  RowTaker take, void *arg);

/* A receiver that checks types and passes rows on in this way. */
extern DestReceiver *rows_receiver(int ncolumns, const Oid *types, RowTaker take, void *arg);

/* Fails if the columns from first on do not have these types, or are missing. */
extern void rows_require_types(TupleDesc desc, int first, int ncolumns, const Oid *types);

/* Fails if a value of one type would be decoded as another. */
extern void rows_require_type(Oid type, Oid expected, const char *column);

/* Fails with 55006: a column has changed. */
pg_noreturn extern void rows_refuse_changed(const char *column, const char *detail);

#endif
