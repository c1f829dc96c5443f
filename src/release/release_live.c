/*
 * release_live.c
 *	  Live views.
 *
 * A live view is read through a function that its owner owns, so that no
 * filter, function or plan reaches a hidden row.  At every reading that
 * function refuses readers who may write the relations it reads, in any role
 * that they can assume (live_rows.c). It returns rows that look alike once, with
 * their number; the view repeats them.
 */
#include "release/release_parts.h"

#include "access/htup_details.h"
#include "catalog/dataset_rights.h"
#include "catalog/distributed.h"
#include "catalog/namespace.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "release/statement_parts.h"
#include "release/writable.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/varlena.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static void
run(const char *statement)
{
	sql_connect();
	sql_write(statement, 0, NULL, NULL, NULL);
	sql_finish();
}

/* The text returned by a statement about one relation, or NULL. */
static char *
ask(const char *statement, const char *argument)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(argument)};
	char	   *answer = NULL;

	sql_connect();
	sql_write(statement, 1, types, values, NULL);
	if (SPI_processed > 0)
		answer = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (answer != NULL)
		answer = MemoryContextStrdup(context, answer);
	sql_finish();
	return answer;
}

/* Fails unless readers see all rows that a live view reads, and cannot add rows. */
static void
check_read(Oid relation, bool has_persons)
{
	const char *name = relation_sql_name(relation);
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	FormData_pg_class class;
	char	   *writable;

	if (!HeapTupleIsValid(tuple))
		relation_is_missing(relation);
	class = *(Form_pg_class) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	if (class.relkind != RELKIND_RELATION || class.relhassubclass || class.relispartition || has_persons || is_distributed(relation))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s cannot be published live", name),
				 errdetail("A live view needs a plain table with one row per person."),
				 errhint("Publish a snapshot instead: materialized => true.")));
	if (class.relrowsecurity || class.relforcerowsecurity)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("row security applies to %s", name),
				 errhint("Publish a snapshot instead: materialized => true.")));
	writable = ask("SELECT EXISTS (" WRITABLE_CLOSURE("ARRAY[$1::regclass::oid]") " SELECT FROM writable WHERE " MAY_WRITE("'public'::name") ")", name);
	if (writable != NULL && strcmp(writable, "t") == 0)
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

/* The relations whose rows a live view reads: the data, and populations that it counts. */
static List *
relations_read(const Release *release)
{
	const Dataset *dataset = release->spec.dataset;
	List	   *relations = list_make1_oid(dataset->relation);

	for (int i = 0; i < dataset->npromises; i++)
		if (OidIsValid(dataset->promises[i].population))
			relations = list_append_unique_oid(relations, dataset->promises[i].population);
	return relations;
}

static void
check_source(const Release *release)
{
	ListCell   *cell;

	foreach(cell, relations_read(release))
	{
		check_read(lfirst_oid(cell), release->spec.dataset->person != NULL);
		for (int a = 0; a < release->spec.population->nattrs; a++)
			check_type_owner(lfirst_oid(cell), declared_attribute(release->spec.dataset, a)->column);
	}
	for (int j = 0; j < release->spec.population->nsensitive; j++)
		check_type_owner(release->spec.dataset->relation, release->spec.population->columns[j]->name);
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

		if (ask("SELECT 1 FROM pg_proc WHERE oid = to_regprocedure($1)", psprintf("%s()", sql_name)) == NULL)
			return sql_name;
	}
}

/* Adds a column to those that the statement is written for. */
static void
append_expected(StringInfo list, Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);
	Oid			type = number == InvalidAttrNumber ? InvalidOid : get_atttype(relation, number);

	if (OidIsValid(type))
		appendStringInfo(list, "%s[%s, %s, %s]", list->len > 0 ? ", " : "", quote_literal_cstr(relation_sql_name(relation)),
						 quote_literal_cstr(column), quote_literal_cstr(format_type_be_qualified(type)));
}

/* The columns that the statement reads of relations that others may own, first those of the data. */
static char *
expected_columns(const Release *release)
{
	const Specification *spec = &release->spec;
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, relations_read(release))
	{
		bool		is_data = lfirst_oid(cell) == spec->dataset->relation;

		for (int a = 0; a < spec->population->nattrs; a++)
			append_expected(&list, lfirst_oid(cell), declared_attribute(spec->dataset, a)->column);
		for (int i = 0; i < spec->ncolumns && is_data; i++)
			append_expected(&list, spec->dataset->relation, spec->columns[i].name);
		for (int j = 0; j < spec->population->nsensitive && is_data; j++)
			append_expected(&list, spec->dataset->relation, spec->population->columns[j]->name);
	}
	return psprintf("ARRAY[%s]", list.data);
}

/*
 * Creates the function that reads, or replaces its definition.  Its body is
 * bound to our live_rows now, and depends on it.  live_rows looks up the names in
 * the statement at every reading, and checks what they mean.
 */
static void
make_function(const Release *release, const char *create, const char *function, const char *result)
{
	const char *definition = live_statement(&release->spec);

	run(psprintf("%s FUNCTION %s() RETURNS %s LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED"
				 " SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' SET jit = off SET datestyle = 'ISO, MDY' SET intervalstyle = 'postgres'"
				 " SET timezone = %s SET extra_float_digits = '1' SET bytea_output = 'hex'"
				 " BEGIN ATOMIC SELECT * FROM %s.live_rows(%s, %s, %s, %s) AS x %s; END", create, function, result,
				 quote_literal_cstr(release->spec.dataset->timezone), own_schema_name(), quote_literal_cstr(definition),
				 expected_columns(release), quote_literal_cstr(release->sql_name),
				 quote_literal_cstr(psprintf("%s()", function)), result + strlen("TABLE")));
}

Oid
rows_function(Oid view)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(view)};
	Oid			function = InvalidOid;
	bool		isnull;

	see_own_changes();
	sql_connect();
	sql_read("SELECT p.oid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass"
			 " AND d.objid = w.oid AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = d.refobjid"
			 " JOIN pg_class c ON c.oid = w.ev_class AND c.relowner = p.proowner"
			 " WHERE w.ev_class = $1 AND p.pronargs = 0 AND p.prosecdef LIMIT 1", 1, types, values);
	if (SPI_processed > 0)
		function = DatumGetObjectId(sql_value(1, OIDOID, &isnull));
	sql_finish();
	PopActiveSnapshot();
	return function;
}

void
release_replace_live(const Release *release, Oid view)
{
	Oid			oid = rows_function(view);
	char	   *function;
	char	   *result;

	if (!OidIsValid(oid))
		refuse_changed(release);
	check_source(release);
	function = quote_qualified_identifier(get_namespace_name(get_func_namespace(oid)), get_func_name(oid));

	/*
	 * without pg_get_function_result, which says character for any length,
	 * and means 1
	 */
	result = ask("SELECT 'TABLE(' || string_agg(format('%I %s', name, format_type(type, -1)), ', ' ORDER BY n) || ')' FROM pg_proc p,"
				 " unnest(p.proargnames, p.proallargtypes) WITH ORDINALITY x (name, type, n) WHERE p.oid = to_regprocedure($1)",
				 psprintf("%s()", function));
	make_function(release, "CREATE OR REPLACE", function, result);
	if (rows_function(view) != oid)
		refuse_changed(release);
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

void
release_create_live(const Release *release, const char *definition)
{
	const Specification *spec = &release->spec;
	char	   *function = function_name(release);
	char	   *shape;
	StringInfoData shown;
	Oid			own;
	Oid			view;

	check_source(release);

	/*
	 * an ordinary view with that name determines the columns' types, and
	 * checks the definition
	 */
	run(psprintf("CREATE VIEW %s AS %s", release->sql_name, definition));
	shape = ask("SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)"
				" FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped", release->sql_name);
	run(psprintf("DROP VIEW %s", release->sql_name));

	initStringInfo(&shown);
	for (int i = 0; i < spec->ncolumns; i++)
	{
		const char *name = quote_identifier(spec->columns[i].name);

		appendStringInfo(&shown, "%s%s", i > 0 ? ", " : "", name);
		if (spec->columns[i].attr >= 0)
			appendStringInfo(&shown, " COLLATE pg_catalog.\"C\" AS %s", name);
	}
	if (spec->star)
		appendStringInfoString(&shown, ", anonopt_suppressed");

	make_function(release, "CREATE", function, psprintf("TABLE (%s, %s bigint)", shape, live_count_name(spec)));
	own = find_function(release, function);
	RemoveRoleFromObjectACL(ACL_ID_PUBLIC, ProcedureRelationId, own);
	CommandCounterIncrement();
	run(psprintf("CREATE VIEW %s WITH (security_barrier) AS SELECT %s FROM (SELECT f.*, pg_catalog.generate_series(1, f.%s)"
				 " FROM %s() f) x", release->sql_name, shown.data, live_count_name(spec), function));
	view = get_relname_relid(release->name, release->schema);
	require_made(view, release->sql_name);
	require_definition(view);
	if (rows_function(view) != own)
		refuse_changed(release);
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("a live view keeps its promise only for one reading by one reader"),
			 errdetail("Readings before and after a change can reveal more."),
			 errhint("Grant SELECT on the view together with EXECUTE on function %s(); or publish a snapshot.", function)));
}
