/*
 * release_create.c
 *	  Creates and drops releases.
 */
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "release/composition.h"
#include "release/pseudonym.h"
#include "release/release_parts.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/uuid.h"

/* A column's type, in which every one of its values fits. */
static void
append_column_type(StringInfo sql, Oid relation, const char *column)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(relation, get_attnum(relation, column), &type, &typmod, &collation);
	appendStringInfoString(sql, format_type_with_typemod(type, typmod));
	if (OidIsValid(collation))
		appendStringInfo(sql, " COLLATE %s", generate_collation_name(collation));
}

/* Creates an empty table with the columns to show. */
static void
create_table(const Release *release)
{
	const Specification *spec = &release->spec;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s AS SELECT ", release->sql_name);
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const char *name = quote_identifier(spec->columns[i].name);

		appendStringInfoString(&sql, i > 0 ? ", " : "");
		if (spec->columns[i].attr >= 0)
			appendStringInfo(&sql, "NULL::pg_catalog.text COLLATE pg_catalog.\"C\" AS %s", name);
		else if (spec->columns[i].pseudonym)
			appendStringInfo(&sql, "NULL::pg_catalog.text AS %s", name);
		else
			appendStringInfo(&sql, "r.%s", name);
	}
	if (spec->star)
		appendStringInfoString(&sql, ", NULL::pg_catalog.bool AS anonopt_suppressed");
	appendStringInfo(&sql, " FROM %s r WITH NO DATA", relation_sql_name(spec->dataset->relation));
	release_run(sql.data);
}

char *
column_definitions(const Specification *spec)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const char *name = quote_identifier(spec->columns[i].name);

		appendStringInfo(&columns, "%s%s ", i > 0 ? ", " : "", name);
		if (spec->columns[i].attr >= 0)
			appendStringInfoString(&columns, "pg_catalog.text COLLATE pg_catalog.\"C\"");
		else
			append_column_type(&columns, spec->dataset->relation, spec->columns[i].name);
	}
	if (spec->star)
		appendStringInfoString(&columns, ", anonopt_suppressed pg_catalog.bool");
	return columns.data;
}

/* The query of a materialized view, which has PostgreSQL fill it as we do. */
static char *
filling_query(const Release *release, const char *id)
{
	return psprintf("SELECT * FROM %s.released_rows(%s) AS r (%s)", own_schema_name(), quote_literal_cstr(id), column_definitions(&release->spec));
}

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

/* Creates the relation and fills it. */
static void
make_relation(Release *release, const char *id)
{
	Oid			relation;

	switch (release->form)
	{
		case RELEASE_TABLE:
			create_table(release);
			relation = made_relation(release->schema, release->name);
			release_write_rows(release, relation, false);
			break;
		case RELEASE_MATERIALIZED_VIEW:
			release_run(psprintf("CREATE MATERIALIZED VIEW %s AS %s WITH NO DATA", release->sql_name, filling_query(release, id)));
			relation = made_relation(release->schema, release->name);
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
	ReleaseEntry *entry;
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
	entry = entry_of_release(release, id, relation);
	release_entry_insert(entry);
	if (release->content != NULL)
		release_content_insert(entry, release->content, release->difference);
	linked_people_insert(release, entry->id);
	release_close(release);
	return relation;
}

/* ------------------------- drops releases and the objects created with them */

void
release_drop(Oid relation)
{
	ReleaseEntry *entry;

	entry = release_entry_require(relation);
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	drop_objects(list_make1_oid(relation), entry->form == RELEASE_LIVE_VIEW ? rows_function(relation) : InvalidOid);
}
