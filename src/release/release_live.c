/*
 * release_live.c
 *	  Creates live views.
 *
 * A live view is read through a function that its owner owns, so that no
 * filter, function or plan reaches a hidden row.  It returns rows that look
 * alike once, with their number (live_rows.c); the view repeats them.
 */
#include "release/release_parts.h"

#include "access/htup_details.h"
#include "catalog/dataset.h"
#include "catalog/relations.h"
#include "catalog/namespace.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/varlena.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

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
	return relation->rd_rel->relkind == RELKIND_RELATION && find_inheritance_children(RelationGetRelid(relation), NoLock) == NIL;
}

bool
has_row_security(Relation relation)
{
	return relation->rd_rel->relrowsecurity || relation->rd_rel->relforcerowsecurity;
}

/* Fails unless readers see all rows that a live view reads. */
static void
check_read(Relation relation, bool has_persons)
{
	const char *name = relation_sql_name(RelationGetRelid(relation));

	if (!is_plain_source(relation) || relation->rd_rel->relispartition || has_persons || is_distributed(RelationGetRelid(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s cannot be published live", name),
				 errdetail("A live view needs a plain table with one row per person."),
				 errhint("Publish a snapshot instead: materialized => true.")));
	if (has_row_security(relation))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("row security applies to %s", name),
				 errhint("Publish a snapshot instead: materialized => true.")));
}

/* Fails if everybody could add rows that expose a class of one person. */
static void
check_not_public(Oid relation)
{
	const char *name = relation_sql_name(relation);
	const char *query = "SELECT EXISTS (" WRITABLE_CLOSURE("ARRAY[$1]") " SELECT FROM writable WHERE " MAY_WRITE("'public'::name") ")";
	bool		writable;
	bool		isnull;

	see_own_changes();
	writable = DatumGetBool(value_of_query(query, NIL, add_oid(NULL, relation), BOOLOID, &isnull));
	PopActiveSnapshot();
	if (writable)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("everybody may write %s", name),
				 errdetail("A reader who can change rows, also through a parent, a view or a foreign key, can expose a class of one person."),
				 errhint("Publish a snapshot instead: materialized => true.")));
}

/*
 * Fails if a column's type belongs to another role, which could later give it
 * casts of its own.
 */
static void
check_type_owner(Oid relation, const char *column)
{
	Oid			type = column_type(relation, column);

	if (!OidIsValid(type) || type_is_trusted(type))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("the type of column \"%s\" of relation %s belongs to another role", column, relation_sql_name(relation)),
			 errdetail("Its owner could give it casts that run with the rights of the release's owner."),
			 errhint("Publish a snapshot instead: materialized => true.")));
}

/*
 * Fails if comparing a value with ranges could fail, because the error would
 * tell of it.
 */
static void
check_cast(Oid relation, const Declared *declared)
{
	Oid			type = column_type(relation, declared->column);
	Oid			leaf_type = OidIsValid(declared->hierarchy) ? hierarchy_leaf_type(declared->hierarchy) : InvalidOid;
	TypeMatch	match;

	if (!OidIsValid(type) || !OidIsValid(leaf_type) || !type_is_range(getBaseType(leaf_type)) ||
		!match_types(getBaseType(type), getBaseType(leaf_type), &match) || cast_can_be_kept_from_failing(getBaseType(type), match.data_type))
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

		check_read(lfirst(cell), dataset->person != NULL);
		check_not_public(relation);
		for (int i = 0; i < dataset->nattributes; i++)
			if (is_read_live(dataset, i, relation))
			{
				check_type_owner(relation, dataset->attributes[i].column);
				check_cast(relation, &dataset->attributes[i]);
			}
	}
}

/*
 * A name derived from the view's, truncated to the maximum length, that no
 * function with these arguments has.
 */
static char *
function_name(const Release *release)
{
	for (int tried = 0;; tried++)
	{
		char	   *suffix = tried == 0 ? pstrdup("_rows") : psprintf("_rows%d", tried);
		int			length = pg_mbcliplen(release->name, strlen(release->name), NAMEDATALEN - 1 - strlen(suffix));
		char	   *name = psprintf("%.*s%s", length, release->name, suffix);
		char	   *sql_name = quote_qualified_identifier(get_namespace_name(release->schema), name);

		if (!SearchSysCacheExists3(PROCNAMEARGSNSP, CStringGetDatum(name), PointerGetDatum(buildoidvector(NULL, 0)),
								   ObjectIdGetDatum(release->schema)))
			return sql_name;
	}
}

Oid
rows_function(Oid view)
{
	const char *query = "SELECT p.oid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass"
	" AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = d.refobjid"
	" JOIN pg_class c ON c.oid = w.ev_class AND c.relowner = p.proowner"
	" WHERE w.ev_class = $1 AND p.pronargs = 0 AND p.prosecdef LIMIT 1";
	Oid			function;
	bool		isnull;

	see_own_changes();
	function = DatumGetObjectId(value_of_query(query, NIL, add_oid(NULL, view), OIDOID, &isnull));
	PopActiveSnapshot();
	return function;
}

/* The function that was created under a name in the release's schema, and is the current role's. */
static Oid
find_function(const Release *release, const char *sql_name)
{
	List	   *names = textToQualifiedNameList(cstring_to_text(sql_name));
	Oid			function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(strVal(llast(names))),
										   PointerGetDatum(buildoidvector(NULL, 0)), ObjectIdGetDatum(release->schema));

	if (!OidIsValid(function) || !function_is_trusted(function))
		refuse_changed(release);
	return function;
}

/* Creates the function that reads. */
static Oid
make_function(const Release *release, const char *id, const char *function)
{
	const char *rows = own_name(release, "rows");	/* that look alike */
	StringInfoData result;
	Oid			own;

	initStringInfo(&result);
	for (int i = 0; i < release->ncolumns; i++)
		appendStringInfo(&result, "%s %s, ", quote_identifier(release->columns[i].name), release->columns[i].attr >= 0 ? "pg_catalog.text" :
						 format_type_be_qualified(column_type(release->dataset->relation, release->columns[i].name)));
	if (release->star)
		appendStringInfoString(&result, "anonopt_suppressed pg_catalog.bool, ");
	sql_run(psprintf("CREATE FUNCTION %s() RETURNS TABLE (%s%s pg_catalog.int8) LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED"
					 " SET search_path = pg_catalog, pg_temp BEGIN ATOMIC SELECT * FROM %s.released_rows(%s) AS x (%s, %s pg_catalog.int8); END",
					 function, result.data, rows, own_schema_name(), quote_literal_cstr(id), column_definitions(release), rows), NULL);
	own = find_function(release, function);
	RemoveRoleFromObjectACL(ACL_ID_PUBLIC, ProcedureRelationId, own);
	CommandCounterIncrement();
	return own;
}

/* The shown columns of the view. */
static char *
shown_columns(const Release *release)
{
	StringInfoData shown;

	initStringInfo(&shown);
	for (int i = 0; i < release->ncolumns; i++)
	{
		const char *name = quote_identifier(release->columns[i].name);

		appendStringInfo(&shown, "%s%s", i > 0 ? ", " : "", name);
		if (release->columns[i].attr >= 0)
			appendStringInfo(&shown, " COLLATE pg_catalog.\"C\" AS %s", name);
	}
	if (release->star)
		appendStringInfoString(&shown, ", anonopt_suppressed");
	return shown.data;
}

void
release_create_live(const Release *release, const char *id)
{
	char	   *function = function_name(release);
	Oid			own;
	Oid			view;

	live_check_source(release);
	own = make_function(release, id, function);
	sql_run(psprintf("CREATE VIEW %s WITH (security_barrier) AS SELECT %s FROM (SELECT f.*, pg_catalog.generate_series(1, f.%s)"
					 " FROM %s() f) x", release->sql_name, shown_columns(release), own_name(release, "rows"), function), NULL);
	view = made_relation(release->schema, release->name);
	require_definition(view);
	if (rows_function(view) != own)
		refuse_changed(release);
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("a live view keeps its promise only for one reading by one reader"),
			 errdetail("Readings before and after a change can reveal more."),
			 errhint("Grant SELECT on the view together with EXECUTE on function %s(); or publish a snapshot.", function)));
}
