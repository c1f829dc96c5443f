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
 * The beginning of a statement over read, the relations that are behind a view,
 * $1, and itself; those read by a function in it remain hidden.
 */
#define RELATIONS_READ \
"WITH RECURSIVE read (relation) AS (" \
"SELECT $1 UNION SELECT d.refobjid FROM read" \
" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) read.relation AND c.relkind OPERATOR(pg_catalog.=) 'v'" \
" JOIN pg_catalog.pg_rewrite r ON r.ev_class OPERATOR(pg_catalog.=) c.oid" \
" JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass" \
" AND d.objid OPERATOR(pg_catalog.=) r.oid" \
" AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass) "

/*
 * Fails with 40001 if shards of relations have moved since the snapshot of the
 * transaction, if it keeps one.  To be called after rows were read.
 */
extern void require_unmoved(const List *relations);

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
