/*
 * own_objects.h
 *	  The extension's own schema, tables, types and functions, and statements
 *	  on its tables.
 *
 * They are found from the function that was called, never by a name alone: a
 * database owner may drop the extension, and put objects of the same names in
 * its place.
 */
#ifndef ANONOPT_OWN_OBJECTS_H
#define ANONOPT_OWN_OBJECTS_H

#include "catalog/typed_rows.h"

#include "fmgr.h"

/*
 * Begins an SQL-callable function, whose body follows.  While it runs, the
 * extension cannot be dropped.
 */
#define OWN_FUNCTION(name) \
	static Datum name##_call(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) { return own_call(fcinfo, name##_call); } \
	static Datum name##_call(PG_FUNCTION_ARGS)

/* Begins one that needs no object of the extension, which may be dropped meanwhile. */
#define SQL_FUNCTION(name) \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS)

extern Datum own_call(FunctionCallInfo fcinfo, PGFunction code);

/* The extension of the running call. */
extern Oid	own_extension(void);

/* Objects of it, by name; the schema's name is quoted. */
extern const char *own_schema_name(void);
extern Oid	own_relation(const char *name);
extern Oid	own_index(Oid relation, const char *name);
extern Oid	own_type(const char *name);
extern Oid	own_function(const char *name);

/* Whether an object belongs to it, and to the owner of its functions. */
extern bool is_own_function(Oid function);

/*
 * Runs a statement that writes our tables with their owner's rights; returns
 * the number of rows.  All names in it are PostgreSQL's own or ours.
 */
extern uint64 write_catalog(const char *statement, ParamListInfo params);

/*
 * Runs such a query under the active snapshot.  Fails unless its columns have
 * these types.
 */
extern QueryRows *read_catalog(const char *statement, ParamListInfo params, int ncolumns, const Oid *types);

#endif
