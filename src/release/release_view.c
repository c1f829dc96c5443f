/*
 * release_view.c
 *	  The queries of views, live or materialized, and what they depend on.
 *
 * A live view is read through a function that its owner owns, so that no
 * filter, function or plan reaches a hidden row.  It returns rows that look
 * alike once, with their number (view_reading.c); the view repeats them.
 */
#include "release/release.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/dataset.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

Oid
find_now(const char *query, Oid object)
{
	Datum		found;
	bool		isnull;

	see_own_changes();
	found = value_of_query(query, NIL, add_oid(NULL, object), OIDOID, &isnull);
	PopActiveSnapshot();
	return DatumGetObjectId(found);
}

char *
column_definitions(const Release *release)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < release->ncolumns; i++)
	{
		Oid			type;
		int32		typmod;
		Oid			collation;

		shown_type(release, &release->columns[i], &type, &typmod, &collation);
		appendStringInfo(&columns, "%s%s %s", i > 0 ? ", " : "", quote_identifier(release->columns[i].name),
						 format_type_with_typemod(type, typmod));
		if (OidIsValid(collation))
			appendStringInfo(&columns, " COLLATE %s", generate_collation_name(collation));
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
	Oid			rule = rel->rd_rules != NULL &&
	rel->rd_rules->numLocks > 0 ? rel->rd_rules->rules[0]->ruleId : InvalidOid;
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
		(void) deleteDependencyRecordsForSpecific(RewriteRelationId, rule, DEPENDENCY_NORMAL,
												  RelationRelationId, read.objectId);
		recordDependencyOn(&depending, &read, DEPENDENCY_NORMAL);
	}
	CommandCounterIncrement();
}

/* --------------------------------------------------------------- live views */

List *
live_sources(const Release *release)
{
	const Dataset *dataset = release->dataset;
	List	   *relations = NIL;
	ListCell   *cell;

	foreach(cell, release->opened)
	{
		Oid			relation = RelationGetRelid((Relation) lfirst(cell));
		bool		is_source = relation == dataset->relation;

		for (int i = 0; i < dataset->npromises; i++)
			is_source = is_source || relation == dataset->promises[i].population;
		if (is_source)
			relations = list_append_unique_ptr(relations, lfirst(cell));
	}
	return relations;
}

bool
is_plain_source(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_RELATION &&
		find_inheritance_children(RelationGetRelid(relation), NoLock) == NIL;
}

/*
 * Rows of a table also change when somebody writes a parent or a partitioned
 * table, a view, or a table that a foreign key refers to with CASCADE, SET NULL
 * or SET DEFAULT.  Adding rows to a referenced table changes nothing.
 */
bool
may_be_written(const List *relations, bool by_everybody)
{
	const char *query = "WITH RECURSIVE writable (w, adds) AS (SELECT g, true FROM pg_catalog.unnest($1) g"
	" UNION SELECT x.relation, v.adds AND x.adds FROM writable v CROSS JOIN LATERAL ("
	"SELECT e.ev_class, true FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite e ON e.oid"
	" OPERATOR(pg_catalog.=) d.objid"
	" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) e.ev_class AND c.relkind"
	" OPERATOR(pg_catalog.<>) 'm'"
	" WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND"
	" d.refobjid OPERATOR(pg_catalog.=) v.w"
	" AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
	" UNION ALL SELECT i.inhparent, true FROM pg_catalog.pg_inherits i WHERE i.inhrelid"
	" OPERATOR(pg_catalog.=) v.w"
	" UNION ALL SELECT f.confrelid, false FROM pg_catalog.pg_constraint f WHERE f.contype"
	" OPERATOR(pg_catalog.=) 'f'"
	" AND f.conrelid OPERATOR(pg_catalog.=) v.w AND (f.confupdtype OPERATOR(pg_catalog.=) ANY"
	" ('{c,n,d}'::pg_catalog.\"char\"[])"
	" OR f.confdeltype OPERATOR(pg_catalog.=) ANY ('{c,n,d}'::pg_catalog.\"char\"[]))) x (relation, adds)),"
	/* 0 is PUBLIC */
	" role (o) AS (SELECT 0::pg_catalog.oid WHERE $2 UNION ALL SELECT r.oid FROM pg_catalog.pg_roles r"
	" WHERE NOT $2 AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER'))"
	" SELECT EXISTS (SELECT FROM role CROSS JOIN writable WHERE pg_catalog.has_any_column_privilege(o,"
	" w, 'UPDATE')"
	" OR pg_catalog.has_table_privilege(o, w, 'DELETE, TRUNCATE') OR (adds AND"
	" pg_catalog.has_any_column_privilege(o, w, 'INSERT')))";
	ParamListInfo params = add_value(NULL, OIDARRAYOID, oids_datum(relations, OIDOID), false);
	bool		isnull;
	Datum		found;

	see_own_changes();
	found = value_of_query(query, NIL, add_value(params, BOOLOID, BoolGetDatum(by_everybody), false),
						   BOOLOID, &isnull);
	PopActiveSnapshot();
	return DatumGetBool(found);
}

/*
 * Fails unless readers see all rows that a live view reads, and if everybody
 * could add rows that expose a class of one person.
 */
static void
check_source(Relation relation, bool has_persons)
{
	const char *name = relation_sql_name(RelationGetRelid(relation));

	if (!is_plain_source(relation) || relation->rd_rel->relispartition || has_persons ||
		is_distributed(RelationGetRelid(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s cannot be published live", name),
				 errdetail("A live view needs a plain table with one row per person."),
				 errhint("Publish a snapshot instead: materialized => true.")));
	if (relation->rd_rel->relrowsecurity || relation->rd_rel->relforcerowsecurity)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("row security applies to %s", name),
				 errhint("Publish a snapshot instead: materialized => true.")));
	if (may_be_written(list_make1_oid(RelationGetRelid(relation)), true))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("everybody may write %s", name),
				 errdetail("A reader who can change rows, also through a parent, a view or a foreign key, can expose a class of one person."),
				 errhint("Publish a snapshot instead: materialized => true.")));
}

/*
 * Fails if a column's type belongs to another role, which could later give it
 * casts of its own; and if comparing a value with ranges could fail, because
 * the error would tell of it.
 */
static void
check_column(Oid relation, const Declared *declared)
{
	Oid			type = column_type(relation, declared->column);
	Oid			leaf_type = OidIsValid(declared->hierarchy) ? hierarchy_leaf_type(declared->hierarchy) :
	InvalidOid;
	TypeMatch	match;

	if (OidIsValid(type) && !type_is_trusted(type))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the type of column \"%s\" of relation %s belongs to another role",
						declared->column, relation_sql_name(relation)),
				 errdetail("Its owner could give it casts that run with the rights of the release's owner."),
				 errhint("Publish a snapshot instead: materialized => true.")));
	if (!OidIsValid(type) || !OidIsValid(leaf_type) || !type_is_range(getBaseType(leaf_type)) ||
		!match_types(getBaseType(type), getBaseType(leaf_type), &match) ||
		cast_can_be_kept_from_failing(getBaseType(type), match.data_type))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" cannot be published live", declared->column),
			 errdetail("Converting a value of type %s to %s, to compare it with the ranges of its hierarchy, could fail and reveal the value.",
					   format_type_be(type), format_type_be(match.data_type)),
			 errhint("Publish a snapshot instead: materialized => true.")));
}

bool
is_read_live(const Dataset *dataset, int attribute, Oid relation)
{
	Role		role = dataset->attributes[attribute].role;

	return role == ROLE_QUASI_IDENTIFIER || (role == ROLE_SENSITIVE && relation == dataset->relation);
}

void
live_check_source(const Release *release)
{
	const Dataset *dataset = release->dataset;
	ListCell   *cell;

	foreach(cell, live_sources(release))
	{
		Oid			relation = RelationGetRelid((Relation) lfirst(cell));

		check_source(lfirst(cell), dataset->person != NULL);
		for (int i = 0; i < dataset->nattributes; i++)
			if (is_read_live(dataset, i, relation))
				check_column(relation, &dataset->attributes[i]);
	}
}

/* A function without arguments in the release's schema, or InvalidOid. */
static Oid
find_function(const Release *release, const char *name)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(NULL, 0)), ObjectIdGetDatum(release->schema));
}

/*
 * A name derived from the view's, truncated to the maximum length, that no
 * such function has.
 */
static char *
function_name(const Release *release)
{
	for (int tried = 0;; tried++)
	{
		char	   *suffix = tried == 0 ? pstrdup("_rows") : psprintf("_rows%d", tried);
		int			length = pg_mbcliplen(release->name, strlen(release->name),
										  NAMEDATALEN - 1 - strlen(suffix));
		char	   *name = psprintf("%.*s%s", length, release->name, suffix);

		if (!OidIsValid(find_function(release, name)))
			return name;
	}
}

Oid
rows_function(Oid view)
{
	return find_now("SELECT p.oid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass"
					" AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p ON"
					" p.oid = d.refobjid"
					" JOIN pg_class c ON c.oid = w.ev_class AND c.relowner = p.proowner"
					" WHERE w.ev_class = $1 AND p.pronargs = 0 AND p.prosecdef LIMIT 1", view);
}

Oid
release_create_live(const Release *release, const char *id)
{
	char	   *name = function_name(release);
	char	   *function = quote_qualified_identifier(get_namespace_name(release->schema), name);
	const char *rows = own_name(release, "rows");	/* that look alike */
	StringInfoData columns;
	StringInfoData shown;
	Oid			own;
	Oid			view;

	live_check_source(release);
	initStringInfo(&columns);
	initStringInfo(&shown);
	for (int i = 0; i < release->ncolumns; i++)
	{
		const char *column = quote_identifier(release->columns[i].name);
		bool		is_label = release->columns[i].labelled ||
		(release->columns[i].attr >= 0 && release->columns[i].part == LABEL_TEXT);
		Oid			type;
		int32		typmod;
		Oid			collation;

		shown_type(release, &release->columns[i], &type, &typmod, &collation);
		appendStringInfo(&columns, "%s %s, ", column, format_type_be_qualified(getBaseType(type)));
		appendStringInfo(&shown, "%s%s%s%s", i > 0 ? ", " : "", column,
						 is_label ? " COLLATE pg_catalog.\"C\" AS " : "", is_label ? column : "");
	}
	if (release->star)
	{
		appendStringInfoString(&columns, "anonopt_suppressed pg_catalog.bool, ");
		appendStringInfoString(&shown, ", anonopt_suppressed");
	}
	sql_run(psprintf("CREATE FUNCTION %s() RETURNS TABLE (%s%s pg_catalog.int8) LANGUAGE sql STABLE"
					 " SECURITY DEFINER PARALLEL RESTRICTED"
					 " SET search_path = pg_catalog, pg_temp BEGIN ATOMIC SELECT * FROM"
					 " %s.released_rows(%s) AS x (%s, %s pg_catalog.int8); END",
					 function, columns.data, rows, own_schema_name(), quote_literal_cstr(id),
					 column_definitions(release), rows), NULL);
	own = find_function(release, name);
	if (!OidIsValid(own) || !function_is_trusted(own))
		refuse_changed(release);
	RemoveRoleFromObjectACL(ACL_ID_PUBLIC, ProcedureRelationId, own);
	CommandCounterIncrement();
	sql_run(psprintf("CREATE VIEW %s WITH (security_barrier) AS SELECT %s FROM (SELECT f.*,"
					 " pg_catalog.generate_series(1, f.%s)"
					 " FROM %s() f) x", release->sql_name, shown.data, rows, function), NULL);
	view = made_relation(release->schema, release->name);
	require_definition(view);
	if (rows_function(view) != own)
		refuse_changed(release);
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("a live view keeps its promise only for one reading by one reader"),
			 errdetail("Readings before and after a change can reveal more."),
			 errhint("Grant SELECT on the view together with EXECUTE on function %s(); or publish a snapshot.", function)));
	return view;
}
