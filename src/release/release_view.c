/*
 * release_view.c
 *	  Views, live or materialized: the statement that identifies them, and the
 *	  key table beside them.
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

char *
statement_to_keep(const Release *release)
{
	Specification spec = release->spec;

	if (release->recoding != NULL)
		spec.key = relation_sql_name(release->recoding->table);
	return release_statement(&spec);
}

void
create_key(Release *release, const char *id)
{
	char	   *name = ChooseRelationName(release->name, NULL, "key", release->schema, false);
	List	   *statements;
	ListCell   *cell;

	/* the view, which does not exist yet, may get this name */
	if (strcmp(name, release->name) == 0)
		name = ChooseRelationName(release->name, NULL, "keys", release->schema, false);
	release->key_name = quote_qualified_identifier(get_namespace_name(release->schema), name);
	release->spec.key = release->key_name;
	statements = release_key_statements(&release->spec);
	release_run(linitial(statements));
	release->spec.key_table = get_relname_relid(name, release->schema);
	require_made(release->spec.key_table, release->key_name);
	keep_to_owner(release->spec.key_table);
	for_each_from(cell, statements, 1)
		key_change(&release->spec, lfirst(cell), 0, NULL, NULL, NULL);
	if (release->recoding != NULL)
		release_key_fill(&release->spec);
	/* identifies it for drop_release, even if it is renamed */
	CreateComments(release->spec.key_table, RelationRelationId, 0, psprintf("key of anonopt release %s", id));
}

List *
key_tables(const ReleaseEntry *entry)
{
	Oid			types[2] = {TEXTOID, OIDOID};
	Datum		values[2] = {CStringGetTextDatum(psprintf("key of anonopt release %s", entry->id)), ObjectIdGetDatum(entry->relation)};
	List	   *keys = NIL;
	MemoryContext context = CurrentMemoryContext;

	sql_connect();
	sql_read("SELECT c.oid FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE d.classoid = 'pg_class'::regclass"
			 " AND d.objsubid = 0 AND d.description = $1 AND c.relkind = 'r'"
			 " AND c.relowner = (SELECT r.relowner FROM pg_class r WHERE r.oid = $2)", 2, types, values);
	MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		keys = lappend_oid(keys, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)));
	}
	sql_finish();
	return keys;
}

void
refill_key(Release *release, const ReleaseEntry *entry)
{
	List	   *keys = key_tables(entry);

	if (list_length(keys) != 1)
		refuse_changed(release);
	release->spec.key_table = linitial_oid(keys);
	release->spec.key = relation_sql_name(release->spec.key_table);
	release_key_fill(&release->spec);
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
key_change(const Specification *spec, const char *statement, int nargs, const Oid *types, const Datum *values, const char *nulls)
{
	List	   *relations = list_make1_oid(spec->key_table);

	for (int i = 0; i < spec->dataset->nattributes; i++)
		relations = lappend_oid(relations, spec->dataset->attributes[i].hierarchy);
	(void) rows_change(statement, relations, nargs, types, values, nulls);
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
