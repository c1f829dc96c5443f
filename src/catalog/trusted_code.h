/*
 * trusted_code.h
 *	  Whose code reading a relation can run, and with whose rights.
 */
#ifndef ANONOPT_TRUSTED_CODE_H
#define ANONOPT_TRUSTED_CODE_H

#include "catalog/bound_query.h"

/*
 * The role as which a relation must be read, so that no code runs with the
 * rights of a role that did not write it: the current role, or else the
 * relation's owner.  Locks everything the relation reads until the transaction
 * ends.  Fails with 42501, naming the function or relation, if neither will do,
 * and unless the current role may select the columns.
 */
extern Oid	reading_role(Oid relation, const List *columns);

/* Fails with 42501 unless the current role can read a relation itself. */
extern void require_trusted_relation(Oid relation);

/*
 * Whether data sets are loaded only if reading what they name runs no code of
 * others: what is not the current role's, nor of a role that it is a member of,
 * must be trusted.  A superuser is a member of no other role here, but reads tables
 * of others that run no code of theirs, and locks them against such code until the
 * transaction ends.
 */
extern void own_code_begin(void);
extern void own_code_end(void);

/* Whether that has been refused since it began. */
extern bool own_code_refused(void);

/* Fails with 42501 if a relation is not trusted so; does nothing unless it has begun. */
extern void require_own_code(Oid relation);

/* Whether the current role may select columns, given by number; fails unless it may. */
extern bool may_select(Oid relation, const List *columns);
extern void require_columns_select(Oid relation, const List *columns);

/*
 * Fails unless a query names only these relations and PostgreSQL's, and calls
 * only functions that the current role trusts: a name may mean something else
 * since the statement was written.
 */
extern void query_require(const BoundQuery *bound, const List *relations);

/* The owner of a function; InvalidOid if it is gone. */
extern Oid	function_owner(Oid function);

/* Whether the current role may run a function, or make values of a type. */
extern bool function_is_trusted(Oid function);
extern bool type_is_trusted(Oid type);

/*
 * Begins and ends acting as another role, in a security-restricted operation;
 * settings changed meanwhile are reset.
 */
typedef struct ActingAs
{
	Oid			user;
	int			context;
	int			settings;
} ActingAs;

extern ActingAs act_as(Oid role);
extern void act_end(const ActingAs *before);

#endif
