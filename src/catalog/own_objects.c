/*
 * own_objects.c
 *	  The extension's own schema, tables, types and functions, and statements
 *	  on its tables.
 *
 * A call begins with the OID of the function that PostgreSQL called.  Its
 * extension is locked to the end of the transaction, so that another session
 * waits before it drops it.  One of its tables stays open during the call, so
 * that a command of this session, in a function that we call, cannot drop it
 * either.  All other objects are members of that extension in that function's
 * schema, and belong to that function's owner, a superuser.
 *
 * Statements on our tables are analyzed with the rights of the current role.
 * Only if everything they are bound to is ours or PostgreSQL's are they planned
 * and run with the rights of the tables' owner.
 */
#include "catalog/own_objects.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* A call of one of our functions; a function that it calls may make another. */
typedef struct OwnCall
{
	struct OwnCall *outer;
	Oid			extension;
	Oid			schema;
	Oid			owner;
} OwnCall;

static OwnCall *current_call = NULL;

static void
refuse_object(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s is not an object of the extension \"anonopt\"", what),
			 errdetail("The extension was dropped or changed after this statement had begun."),
			 errhint("Run the statement again.")));
}

static const OwnCall *
running_call(void)
{
	if (current_call == NULL)
		elog(ERROR, "no function of the extension is running");
	return current_call;
}

/* ------------------------------------------------------------------ the call */

Datum
own_call(FunctionCallInfo fcinfo, PGFunction code)
{
	Oid			function = fcinfo->flinfo->fn_oid;
	OwnCall		call = {.outer = current_call};
	Datum		result;

	/*
	 * The lock may wait for a DROP EXTENSION, so the function must still
	 * belong to it then.
	 */
	call.extension = getExtensionOfObject(ProcedureRelationId, function);
	if (OidIsValid(call.extension))
		LockDatabaseObject(ExtensionRelationId, call.extension, 0, AccessShareLock);
	call.schema = get_func_namespace(function);
	call.owner = function_owner(function);
	if (!OidIsValid(call.extension) || !OidIsValid(call.owner) ||
		getExtensionOfObject(ProcedureRelationId, function) != call.extension)
		refuse_object(psprintf("function with OID %u", function));
	current_call = &call;
	PG_TRY();
	{
		Relation	anchor = table_open(own_relation("dataset"), AccessShareLock);

		result = code(fcinfo);
		table_close(anchor, NoLock);
	}
	PG_FINALLY();
	{
		current_call = call.outer;
	}
	PG_END_TRY();
	return result;
}

/* ------------------------------------------------------------------- objects */

Oid
own_extension(void)
{
	return running_call()->extension;
}

const char *
own_schema_name(void)
{
	return quote_identifier(get_namespace_name(running_call()->schema));
}

static bool
is_member(Oid catalog, Oid object, Oid owner)
{
	return owner == running_call()->owner && getExtensionOfObject(catalog, object) == running_call()->extension;
}

static bool
is_own_relation(Oid relation)
{
	return is_member(RelationRelationId, relation, relation_owner(relation));
}

bool
is_own_function(Oid function)
{
	return is_member(ProcedureRelationId, function, function_owner(function));
}

Oid
own_relation(const char *name)
{
	Oid			relation = get_relname_relid(name, running_call()->schema);

	if (!OidIsValid(relation) || !is_own_relation(relation))
		refuse_object(psprintf("relation \"%s\"", name));
	return relation;
}

/* Indexes are no members; they belong to their tables. */
Oid
own_index(Oid relation, const char *name)
{
	Oid			index = get_relname_relid(name, running_call()->schema);

	if (!OidIsValid(index) || get_rel_relkind(index) != RELKIND_INDEX || IndexGetRelation(index, true) != relation)
		refuse_object(psprintf("index \"%s\"", name));
	return index;
}

Oid
own_type(const char *name)
{
	Datum		schema = ObjectIdGetDatum(running_call()->schema);
	Oid			type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name), schema);

	if (!is_member(TypeRelationId, type, GetSysCacheOid1(TYPEOID, Anum_pg_type_typowner, ObjectIdGetDatum(type))))
		refuse_object(psprintf("type \"%s\"", name));
	return type;
}

/* The function with a name that no other of ours has. */
Oid
own_function(const char *name)
{
	CatCList   *list = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	Oid			function = InvalidOid;

	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(&list->members[i]->tuple);

		if (form->pronamespace == running_call()->schema && is_own_function(form->oid))
			function = form->oid;
	}
	ReleaseSysCacheList(list);
	if (!OidIsValid(function))
		refuse_object(psprintf("function \"%s\"", name));
	return function;
}

/* ---------------------------------------------------------------- statements */

/* Runs a statement with the rights of our tables' owner, after checking it. */
static uint64
run_as_owner(const char *statement, ParamListInfo params, DestReceiver *receiver)
{
	int			names = sql_use_catalog_names();
	BoundQuery *bound = query_bind(statement, params, NULL);
	uint64		processed;
	Oid			user;
	int			context;
	ListCell   *cell;

	if (bound == NULL)
		elog(ERROR, "not a query: %s", statement);
	/* everything that it refers to must be ours or PostgreSQL's */
	foreach(cell, bound->relations)
		if (lfirst_oid(cell) >= FirstNormalObjectId && !is_own_relation(lfirst_oid(cell)))
		refuse_object(psprintf("relation %s", relation_sql_name(lfirst_oid(cell))));
	foreach(cell, bound->code.functions)
		if (!is_own_function(lfirst_oid(cell)))
		refuse_object(psprintf("function with OID %u", lfirst_oid(cell)));
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(running_call()->owner, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	processed = query_run(bound, params, receiver);
	SetUserIdAndSecContext(user, context);
	sql_restore_names(names);
	return processed;
}

uint64
write_catalog(const char *statement, ParamListInfo params)
{
	uint64		written;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	written = run_as_owner(statement, params, NULL);
	PopActiveSnapshot();
	CommandCounterIncrement();
	return written;
}

QueryRows *
read_catalog(const char *statement, ParamListInfo params, int ncolumns, const Oid *types)
{
	QueryRows  *rows;
	DestReceiver *receiver = rows_collector(ncolumns, types, &rows);

	(void) run_as_owner(statement, params, receiver);
	return rows;
}
