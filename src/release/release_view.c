/*
 * release_view.c
 *	  Views, live or materialized: the statement that identifies them, and the
 *	  key table beside them.
 */
#include "release/release_parts.h"

#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
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
	ListCell   *cell;

	/* the view, which does not exist yet, may get this name */
	if (strcmp(name, release->name) == 0)
		name = ChooseRelationName(release->name, NULL, "keys", release->schema, false);
	release->key_name = quote_qualified_identifier(get_namespace_name(release->schema), name);
	release->spec.key = release->key_name;
	foreach(cell, release_key_statements(&release->spec))
		release_run(lfirst(cell));
	sql_connect();
	keep_to_owner(get_relname_relid(name, release->schema));
	sql_finish();
	if (release->recoding != NULL)
		release_key_fill(&release->spec);
	/* identifies it for drop_release, even if it is renamed */
	release_run(psprintf("COMMENT ON TABLE %s IS %s", release->key_name,
						 quote_literal_cstr(psprintf("key of anonopt release %s", id))));
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
	release->spec.key = relation_sql_name(linitial_oid(keys));
	release_key_fill(&release->spec);
}

void
drop_keys(List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
		release_run(psprintf("DROP TABLE %s", relation_sql_name(lfirst_oid(cell))));
}
