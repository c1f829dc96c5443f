/*
 * release_create.c
 *	  Creates and drops releases.
 */
#include "release/release_parts.h"

#include "catalog/dependency.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "release/composition.h"
#include "release/pseudonym.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/uuid.h"

static char *
new_id(void)
{
	pg_uuid_t	id;

	if (!pg_strong_random(id.data, sizeof(id.data)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	/* as RFC 4122 has them */
	id.data[6] = (id.data[6] & 0x0f) | 0x40;
	id.data[8] = (id.data[8] & 0x3f) | 0x80;
	return DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(&id)));
}

/* Creates an empty relation; a view's query has PostgreSQL fill it as we do. */
static Oid
make_empty(const Release *release, const char *kind, const char *id)
{
	sql_run(psprintf("CREATE %s %s AS SELECT * FROM %s.released_rows(%s) AS r (%s) WITH NO DATA", kind, release->sql_name,
					 own_schema_name(), quote_literal_cstr(id), column_definitions(release)), NULL);
	return made_relation(release->schema, release->name);
}

/* Creates the relation and fills it. */
static void
make_relation(Release *release, const char *id)
{
	Oid			relation;

	switch (release->form)
	{
		case RELEASE_TABLE:
			relation = make_empty(release, "TABLE", id);
			release_write_rows(release, relation, false);
			break;
		case RELEASE_MATERIALIZED_VIEW:
			relation = make_empty(release, "MATERIALIZED VIEW", id);
			require_definition(relation);
			depend_on_read(release, relation);
			release_write_rows(release, relation, false);
			release_mark_filled(relation);
			break;
		case RELEASE_LIVE_VIEW:
			release_create_live(release, id);
			break;
	}
}

Oid
release_create(Release *release)
{
	char	   *id = new_id();
	Oid			relation;

	release->writes = true;
	release_check(release);
	release_read(release);
	if (release->form != RELEASE_LIVE_VIEW)
	{
		release_choose_classes(release);
		composition_check(release);
	}
	release_check_names(release);
	make_relation(release, id);
	relation = made_relation(release->schema, release->name);
	CreateComments(relation, RelationRelationId, 0, release_comment(release, id));
	release_write_down(release, id, relation, release_entry_insert);
	release_close(release);
	return relation;
}

/* ------------------------- drops releases and the objects created with them */

/* Drops relations and, if it is valid, a function, unless others depend on them. */
static void
drop_objects(List *relations, Oid function)
{
	ObjectAddresses *objects = new_object_addresses();
	ObjectAddress object;
	ListCell   *cell;

	foreach(cell, relations)
	{
		LockRelationOid(lfirst_oid(cell), AccessExclusiveLock);
		ObjectAddressSet(object, RelationRelationId, lfirst_oid(cell));
		add_exact_object_address(&object, objects);
	}
	ObjectAddressSet(object, ProcedureRelationId, function);
	if (OidIsValid(function))
		add_exact_object_address(&object, objects);
	performMultipleDeletions(objects, DROP_RESTRICT, 0);
	free_object_addresses(objects);
}

void
release_drop(Oid relation)
{
	ReleaseEntry *entry;

	entry = release_entry_require(relation);
	/* by any owner, members too: dropping runs no code of the relation */
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	drop_objects(list_make1_oid(relation), entry->form == RELEASE_LIVE_VIEW ? rows_function(relation) : InvalidOid);
}
