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
	ReleaseEntry *entry;

	entry = release_entry_require(relation);
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	drop_objects(list_make1_oid(relation), entry->form == RELEASE_LIVE_VIEW ? rows_function(relation) : InvalidOid);
}
