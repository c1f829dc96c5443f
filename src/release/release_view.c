/*
 * release_view.c
 *	  The queries of views, live or materialized, and what they depend on.
 */
#include "release/release_parts.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "commands/comment.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "rewrite/prs2lock.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

void
release_run(const char *statement)
{
	SPIPlanPtr	plan;
	int			code;

	sql_connect();
	plan = SPI_prepare(statement, 0, NULL);
	code = plan == NULL ? SPI_result :
		SPI_execute_snapshot(plan, NULL, NULL, GetActiveSnapshot(), InvalidSnapshot, false, true, 0);
	if (code < 0)
		elog(ERROR, "could not run \"%s\": %s", statement, SPI_result_code_string(code));
	sql_finish();
}

void
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
require_definition(Oid view)
{
	Relation	rel = relation_open_existing(view);

	for (int i = 0; rel->rd_rules != NULL && i < rel->rd_rules->numLocks; i++)
	{
		ListCell   *cell;

		foreach(cell, rel->rd_rules->rules[i]->actions)
		{
			BoundQuery	bound = {.query = lfirst(cell)};

			bound.relations = list_delete_oid(query_relations(bound.query), view);
			expression_code(lfirst(cell), &bound.code);
			query_require(&bound, NIL);
		}
	}
	relation_close(rel, NoLock);
}

void
depend_on_read(const Release *release, Oid view)
{
	Relation	rel = relation_open_existing(view);
	Oid			rule = rel->rd_rules != NULL && rel->rd_rules->numLocks > 0 ? rel->rd_rules->rules[0]->ruleId : InvalidOid;
	List	   *relations = NIL;
	ObjectAddress depending;
	ObjectAddress read;
	ListCell   *cell;

	relation_close(rel, NoLock);
	ObjectAddressSet(depending, RewriteRelationId, rule);
	foreach(cell, release->opened)
		relations = list_append_unique_oid(relations, RelationGetRelid((Relation) lfirst(cell)));
	foreach(cell, relations)
	{
		ObjectAddressSet(read, RelationRelationId, lfirst_oid(cell));
		if (!OidIsValid(rule) || read.objectId < FirstNormalObjectId)
			continue;
		(void) deleteDependencyRecordsForSpecific(RewriteRelationId, rule, DEPENDENCY_NORMAL, RelationRelationId, read.objectId);
		recordDependencyOn(&depending, &read, DEPENDENCY_NORMAL);
	}
	CommandCounterIncrement();
}
