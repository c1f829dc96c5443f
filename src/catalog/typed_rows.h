/*
 * typed_rows.h
 *	  Rows of a statement, accepted only if they have the types that the
 *	  receiver was written for.
 */
#ifndef ANONOPT_TYPED_ROWS_H
#define ANONOPT_TYPED_ROWS_H

#include "base/compat.h"

#include "access/tupdesc.h"
#include "catalog/bound_query.h"
#include "nodes/params.h"
#include "nodes/pg_list.h"
#include "tcop/dest.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"

/* Receives one row, in a memory context that lasts as long as the call. */
typedef void (*RowTaker) (void *arg, const Datum *values, const bool *nulls);

/*
 * Runs a statement over relations with the snapshot of the caller's query and
 * passes its rows on as they come.  Fails before anything runs if names in it
 * mean other relations now, and before the first row if a column does not have
 * the expected type.
 */
extern void rows_read(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment,
					  int ncolumns, const Oid *types, RowTaker take, void *arg);

/* All rows of a statement, in the memory context of the call. */
typedef struct QueryRows
{
	int			n;
	List	   *tuples;
	TupleDesc	desc;
} QueryRows;

/*
 * Runs a statement likewise, and returns its rows; types may be NULL, if their
 * reader checks them.
 */
extern QueryRows *rows_of_query(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment,
								int ncolumns, const Oid *types);

/*
 * A column of a row, both counted from 0; a text column, NULL for null; a
 * column of OIDs, InvalidOid for null.
 */
extern Datum row_value(const QueryRows *rows, int row, int column, bool *isnull);
extern char *row_text(const QueryRows *rows, int row, int column);
extern Oid	row_oid(const QueryRows *rows, int row, int column);

/* The only column of a statement's first row; null if there is no row. */
extern Datum value_of_query(const char *statement, const List *relations, ParamListInfo params, Oid type, bool *isnull);

/* Changes rows of relations by a statement that is checked likewise; returns their number. */
extern uint64 rows_change(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment);

/*
 * Shows rows to statements under a name; they have the columns of a relation
 * or, if that is InvalidOid, these.
 */
extern void rows_show(QueryEnvironment *environment, const char *name, Tuplestorestate *rows, Oid relation, TupleDesc desc);

/* A receiver that collects rows; types may be NULL. */
extern DestReceiver *rows_collector(int ncolumns, const Oid *types, QueryRows **rows);

/* Fails if the columns from first on do not have these types, or are missing. */
extern void rows_require_types(TupleDesc desc, int first, int ncolumns, const Oid *types);

/* Fails if a value of one type would be decoded as another. */
extern void rows_require_type(Oid type, Oid expected, const char *column);

/* Fails with 55006: a column has changed. */
pg_noreturn extern void rows_refuse_changed(const char *column, const char *detail);

/*
 * Begins the result of a function whose caller names the columns.  The row
 * type is our own: the executor frees its own, but keeps using ours.
 */
extern ReturnSetInfo *begin_named_rows(FunctionCallInfo fcinfo, const char *function);

#endif
