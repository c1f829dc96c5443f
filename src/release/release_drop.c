/*
 * release_drop.c
 *	  Drops releases and the objects created with them.
 */
#include "release/release_parts.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

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
		release_run(psprintf("DROP FUNCTION %s()", function));
	foreach(cell, keys)
		release_run(psprintf("DROP TABLE %s", relation_sql_name(lfirst_oid(cell))));
}
