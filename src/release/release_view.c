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
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

char *
column_definitions(const Release *release)
{
	Oid			relation = release->dataset->relation;
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < release->ncolumns; i++)
	{
		const char *name = quote_identifier(release->columns[i].name);
		Oid			type;
		int32		typmod;
		Oid			collation;

		appendStringInfo(&columns, "%s%s ", i > 0 ? ", " : "", name);
		if (release->columns[i].attr >= 0)
			appendStringInfoString(&columns, "pg_catalog.text COLLATE pg_catalog.\"C\"");
		else if (release->columns[i].pseudonym)
			appendStringInfoString(&columns, "pg_catalog.text");
		else
		{
			get_atttypetypmodcoll(relation, get_attnum(relation, release->columns[i].name), &type, &typmod, &collation);
			appendStringInfoString(&columns, format_type_with_typemod(type, typmod));
			if (OidIsValid(collation))
				appendStringInfo(&columns, " COLLATE %s", generate_collation_name(collation));
		}
	}
	if (release->star)
		appendStringInfoString(&columns, ", anonopt_suppressed pg_catalog.bool");
	return columns.data;
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
