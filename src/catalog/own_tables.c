/*
 * own_tables.c
 *	  The extension's private tables, which only their owner may access.
 *
 * Only the extension writes statements on them, never a caller, and runs them
 * only after checking that the caller may do what they do.
 */
#include "catalog/own_tables.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* The user a statement runs as, to be restored. */
typedef struct Identity
{
	Oid			user;
	int			context;
} Identity;

static Identity
become_owner(void)
{
	Oid			schema = get_namespace_oid("anonopt", false);
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(get_relname_relid("dataset", schema)));
	Identity	before;
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "no table of declarations");
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	GetUserIdAndSecContext(&before.user, &before.context);
	SetUserIdAndSecContext(owner, before.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	return before;
}

uint64
write_catalog(const char *statement, int nargs, Oid *types, Datum *values, const char *nulls)
{
	Identity	before;
	uint64		written;

	sql_connect();
	before = become_owner();
	sql_write(statement, nargs, types, values, nulls);
	SetUserIdAndSecContext(before.user, before.context);
	written = SPI_processed;
	sql_finish();
	return written;
}

void
read_catalog_rows(const char *statement, int nargs, Oid *types, Datum *values)
{
	Identity	before = become_owner();

	sql_read(statement, nargs, types, values);
	SetUserIdAndSecContext(before.user, before.context);
}

Datum
read_catalog(const char *statement, int nargs, Oid *types, Datum *values, bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	Datum		value = (Datum) 0;

	*isnull = true;
	sql_connect();
	read_catalog_rows(statement, nargs, types, values);
	if (SPI_processed > 0)
		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, isnull);
	if (!*isnull)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
		MemoryContextSwitchTo(old);
	}
	sql_finish();
	return value;
}
