/*
 * bound_query.h
 *	  A statement whose names have been resolved, so that it can be checked
 *	  before any of it runs.
 */
#ifndef ANONOPT_BOUND_QUERY_H
#define ANONOPT_BOUND_QUERY_H

#include "base/compat.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "tcop/dest.h"
#include "utils/queryenvironment.h"

/*
 * What an expression may call: functions that were not part of a new database,
 * and domains, whose checks may call others, even of PostgreSQL's.
 */
typedef struct CalledCode
{
	List	   *functions;
	List	   *domains;
} CalledCode;

typedef struct BoundQuery
{
	const char *statement;
	Query	   *query;
	QueryEnvironment *environment;	/* of relations that are not in the
									 * catalogs, or NULL */
	List	   *relations;		/* OIDs */
	CalledCode	code;
} BoundQuery;

/*
 * Analyzes a statement with the rights of the current role, which locks its
 * relations to the end of the transaction.  NULL unless it is one query or one
 * change of rows.
 */
extern BoundQuery *query_bind(const char *statement, ParamListInfo params, QueryEnvironment *environment);

/*
 * Plans and runs what was bound, under the active snapshot; returns the number
 * of rows.  The receiver may be NULL.
 */
extern uint64 query_run(const BoundQuery *bound, ParamListInfo params, DestReceiver *receiver);

/* The relations that a query names. */
extern List *query_relations(Query *query);

/* Adds what an expression may call. */
extern void expression_code(Node *expression, CalledCode *code);

#endif
