/*
 * distributed.c
 *	  Relations whose rows an extension stores on other servers: Citus.
 *
 * Citus lists its tables in a catalog of its own.  The relations behind a view
 * are found by its dependencies; those read by a function in it remain hidden.
 */
#include "base/compat.h"

#include "catalog/distributed.h"

#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "utils/lsyscache.h"

static const char *const question =
"WITH RECURSIVE read (relation) AS ("
"SELECT $1 UNION SELECT d.refobjid FROM read"
" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) read.relation AND c.relkind OPERATOR(pg_catalog.=) 'v'"
" JOIN pg_catalog.pg_rewrite r ON r.ev_class OPERATOR(pg_catalog.=) c.oid"
" JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
" AND d.objid OPERATOR(pg_catalog.=) r.oid"
" AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass)"
" SELECT 1 FROM read JOIN pg_catalog.pg_dist_partition p ON p.logicalrelid OPERATOR(pg_catalog.=) read.relation LIMIT 1";

bool
is_distributed(Oid relation)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	bool		found;

	if (!OidIsValid(get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE)))
		return false;
	sql_connect();
	sql_read(question, 1, types, values);
	found = SPI_processed > 0;
	sql_finish();
	return found;
}
