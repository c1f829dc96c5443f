/*
 * sql.h
 *	  Statements, names, and arrays as their arguments.
 */
#ifndef ANONOPT_SQL_H
#define ANONOPT_SQL_H

#include "base/compat.h"

#include "lib/stringinfo.h"
#include "nodes/params.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

/*
 * Runs a command with the rights of the current role, or a statement that
 * writes a relation of this call.
 */
extern void sql_run(const char *statement, ParamListInfo params);

/*
 * A statement's parameters, $1, $2 and so on, with a further one.  NULL are no
 * parameters; a NULL text or name is null, and so is InvalidOid.
 */
extern ParamListInfo add_value(ParamListInfo params, Oid type, Datum value, bool isnull);
extern ParamListInfo add_text(ParamListInfo params, const char *value);
extern ParamListInfo add_name(ParamListInfo params, const char *name);
extern ParamListInfo add_oid(ParamListInfo params, Oid oid);

/* Changes a setting until the current nest level of settings ends. */
extern void sql_set(const char *setting, const char *value);

/*
 * Restricts search_path, so that unqualified names in statements mean
 * PostgreSQL's own functions and operators.
 */
extern int	sql_use_catalog_names(void);
extern void sql_restore_names(int level);

/* Fail: a relation does not exist, 42P01, or has changed since the call began, 55000. */
pg_noreturn extern void relation_is_missing(Oid relation);
pg_noreturn extern void relation_has_changed(Oid relation);

/* The owner of a relation; fails if it is missing. */
extern Oid	relation_owner(Oid relation);

/*
 * Opens a relation that a caller named, which keeps its columns from being
 * changed.
 */
extern Relation relation_open_existing(Oid relation);

/*
 * Keeps others from renaming a schema until the transaction ends, so that what
 * is written as a name stays what was meant; returns its name.
 */
extern char *keep_schema_name(Oid schema);

/* A relation to be created. */
typedef struct NewRelation
{
	Oid			schema;
	char	   *name;
	char	   *sql_name;		/* quoted and qualified */
	Oid			taken_by;		/* the relation that has the name, or
								 * InvalidOid */
} NewRelation;

/*
 * Resolves a name as a user wrote it.  Fails unless the current role may create
 * relations in the schema, which keeps its name as above; and unless the name is
 * free, with a hint what to do about the relation that has it, or NULL if that is
 * to be replaced.
 */
extern NewRelation new_relation(const char *name, const char *hint);

/* Such a relation, after the command; fails unless it is there, and the current role's. */
extern Oid	made_relation(Oid schema, const char *name);

/* Quoted and qualified name of a relation, for a statement or a message. */
extern char *relation_sql_name(Oid relation);

/*
 * A relation's columns that were not dropped, in order: a list of
 * Form_pg_attribute, valid as long as it is open.
 */
extern List *live_columns(Relation relation);

/*
 * Revokes what default privileges granted to others, because a table made from
 * data shows values.
 */
extern void keep_to_owner(Oid relation);

/* The base type of a column; if there is none, InvalidOid, or failure with 42703. */
extern Oid	column_type(Oid relation, const char *column);
extern void require_column(Oid relation, const char *column);

/*
 * The value of a name that a user chose among several; fails with 22023 if it
 * is none of these.  The hint lists them, such as "Roles are a, b and c.", or
 * with "," in the place of the last " and ".
 */
extern int	require_choice(const char *what, const char *choice, const char *plural, const char *const *names, int n, const char *last);

/* --------------------------------------------------- arrays of one dimension */

/* NULL stands for NULL. */
extern Datum texts_datum(const char *const *texts, int n);

extern Datum names_datum(char *const *names, int n);
extern Datum integers_datum(const int *integers, int n);
extern Datum doubles_datum(const double *doubles, int n);

/* type is oid or an alias of it. */
extern Datum oids_datum(const List *oids, Oid type);

/* The number of elements of such an array; fails with 22023 unless it is one without nulls. */
extern int	count_elements(Datum array, const char *name);

/* OIDs as bigint, which a dump keeps as they are. */
extern Datum numbers_datum(const Oid *oids, int n);

#endif
