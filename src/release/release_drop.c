/*
 * release_drop.c
 *	  Drops releases and what was made with them.
 */
#include "release/release_parts.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

/* The function that a live view reads through, as text; NULL for none. */
static char *
rows_function(Oid view)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(view)};
	char	   *name = NULL;
	MemoryContext context = CurrentMemoryContext;

	sql_connect();
	sql_read("SELECT format('%I.%I()', n.nspname, p.proname) FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass"
			 " AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = d.refobjid"
			 " JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_class c ON c.oid = w.ev_class AND c.relowner = p.proowner"
			 " WHERE w.ev_class = $1 AND p.pronargs = 0 AND p.prosecdef LIMIT 1", 1, types, values);
	if (SPI_processed > 0)
		name = MemoryContextStrdup(context, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	sql_finish();
	return name;
}

void
release_drop(Oid relation)
{
	const char *const kinds[] = {"TABLE", "MATERIALIZED VIEW", "VIEW"};
	ReleaseEntry *entry;
	List	   *keys;
	char	   *function;
	ListCell   *cell;

	entry = release_entry_require(relation);
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	keys = key_tables(entry);
	function = entry->form == RELEASE_LIVE_VIEW ? rows_function(relation) : NULL;
	release_run(psprintf("DROP %s %s", kinds[entry->form], relation_sql_name(relation)));
	if (function != NULL)
		release_run(psprintf("DROP FUNCTION %s", function));
	foreach(cell, keys)
		release_run(psprintf("DROP TABLE %s", relation_sql_name(lfirst_oid(cell))));
}
