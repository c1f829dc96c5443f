/*
 * live_rows.c
 *	  SQL: live_rows, through which a live view reads.
 *
 * The statement of a live view runs with the rights of the view's owner, but
 * refers to relations by name, and somebody else may own the schema, the source
 * or the population that it reads.  So the statement is bound first; what it
 * is bound to is checked; and what was checked is planned and run.  Whatever
 * takes a name meanwhile is not read, and nobody's code runs before the check.
 * A source or population of another role is read as that role (copied_relation.c).
 */
#include "release/release_parts.h"

#include "access/htup_details.h"
#include "catalog/arrays.h"
#include "catalog/bound_query.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "release/copied_relation.h"
#include "release/writable.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"

OWN_FUNCTION(anonopt_live_rows);

/* A column and the type that the statement was written for. */
typedef struct ExpectedColumn
{
	char	   *relation;
	char	   *column;
	char	   *type;
} ExpectedColumn;

static void
refuse_source(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("the source of a live release has changed"),
			 errdetail("A relation that it reads, or the type of a column, is another one than when it was published."),
			 errhint("Its owner can adopt the change: see anonopt.republish.")));
}

/* Binds a query, which locks its relations. */
static BoundQuery *
bind_query(const char *statement)
{
	BoundQuery *bound = query_bind(statement, NULL, 0, NULL);

	if (bound == NULL || bound->query->commandType != CMD_SELECT || bound->query->hasModifyingCTE || bound->query->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the statement of a live view must be a query"),
				 errhint("anonopt.live_rows is called by functions that anonopt.create_view makes.")));
	return bound;
}

/* The columns that a statement was written for: relation, column, type. */
static ExpectedColumn *
expected_columns(ArrayType *array, int *n)
{
	Datum	   *values;
	bool	   *nulls;
	int			nvalues;
	ExpectedColumn *columns;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, &nvalues);
	if (ARR_NDIM(array) != 2 || ARR_DIMS(array)[1] != 3 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns of a live view must be triples of texts"),
				 errhint("anonopt.live_rows is called by functions that anonopt.create_view makes.")));
	*n = nvalues / 3;
	columns = palloc(sizeof(ExpectedColumn) * *n);
	for (int i = 0; i < *n; i++)
	{
		columns[i].relation = TextDatumGetCString(values[3 * i]);
		columns[i].column = TextDatumGetCString(values[3 * i + 1]);
		columns[i].type = TextDatumGetCString(values[3 * i + 2]);
	}
	return columns;
}

/* The relation with a name now; InvalidOid if there is none. */
static Oid
named_relation(const char *name)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {CStringGetTextDatum(name)};
	bool		isnull;
	Datum		relation;

	sql_read("SELECT pg_catalog.to_regclass($1)::pg_catalog.oid", 1, types, values);
	relation = sql_value(1, OIDOID, &isnull);
	return isnull ? InvalidOid : DatumGetObjectId(relation);
}

/*
 * The relations under the names of the sources, whose columns have the expected
 * types; SPI is connected.
 */
static List *
check_sources(const ExpectedColumn *columns, int n, const BoundQuery *bound)
{
	List	   *sources = NIL;
	Oid			source = InvalidOid;

	for (int i = 0; i < n; i++)
	{
		AttrNumber	number;
		Oid			type;

		if (i == 0 || strcmp(columns[i].relation, columns[i - 1].relation) != 0)
			source = named_relation(columns[i].relation);
		if (!list_member_oid(bound->relations, source))
			refuse_source();
		sources = list_append_unique_oid(sources, source);
		number = get_attnum(source, columns[i].column);
		type = number == InvalidAttrNumber ? InvalidOid : get_atttype(source, number);
		if (!OidIsValid(type) || strcmp(format_type_be_qualified(type), columns[i].type) != 0 || !type_is_trusted(type))
			refuse_source();
	}
	return sources;
}

/* Whether a relation is a table all of whose rows are read. */
static bool
is_plain_source(Oid relation, bool is_source)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	FormData_pg_class class;

	if (!HeapTupleIsValid(tuple))
		return false;
	class = *(Form_pg_class) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	if (class.relkind != RELKIND_RELATION || check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED)
		return false;
	if (is_source)
		return !class.relrowsecurity && !class.relforcerowsecurity && !class.relhassubclass;
	return class.relowner == GetUserId();
}

/*
 * Checks what a query is bound to, and makes it read copies of what belongs to
 * other roles; returns the copies.
 */
static QueryEnvironment *
check_bound(const BoundQuery *bound, const List *sources)
{
	QueryEnvironment *environment = create_queryEnv();
	ListCell   *cell;

	/* names of types may mean domains by now */
	query_require(bound, bound->relations);

	foreach(cell, bound->relations)
		if (!is_plain_source(lfirst_oid(cell), list_member_oid(sources, lfirst_oid(cell))))
		refuse_source();
	foreach(cell, bound->relations)
	{
		Oid			relation = lfirst_oid(cell);
		EphemeralNamedRelation copy = copied_relation(relation, query_columns(bound->query, relation), psprintf("copy %u", relation));

		if (copy == NULL)
			continue;
		register_ENR(environment, copy);
		query_read_copy(bound->query, relation, copy);
	}
	return environment;
}

/*
 * Fails if the reader, in any role that it can assume, may write one of the
 * relations, unless it may read the data; SPI is connected.
 */
static void
check_reader(Oid source, const List *relations)
{
	Oid			types[2] = {OIDOID, OIDARRAYOID};
	Datum		arguments[2] = {ObjectIdGetDatum(source), oids_datum(relations, OIDOID)};
	bool		isnull;

	sql_read("SELECT NOT pg_catalog.has_table_privilege(session_user, $1, 'SELECT') AND EXISTS (" WRITABLE_CLOSURE("$2")
			 " SELECT FROM pg_catalog.pg_roles o CROSS JOIN writable WHERE pg_catalog.pg_has_role(session_user, o.oid, 'MEMBER')"
			 " AND " MAY_WRITE("o.oid") ")", 2, types, arguments);
	if (DatumGetBool(sql_value(1, BOOLOID, &isnull)) && !isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may write the source of a live release, so it may not read it",
						GetUserNameFromId(GetSessionUserId(), false)),
				 errdetail("Rows that a reader adds, changes or deletes could expose a class of one person. Writing a parent, a referenced table or a view counts, too.")));
}

/*
 * Fails if a view no longer reads through a function; whoever may still call
 * that function learns no more.
 */
static void
check_view(Datum view, Datum function)
{
	Oid			types[2] = {TEXTOID, TEXTOID};
	Datum		arguments[2] = {view, function};

	sql_read("SELECT FROM pg_catalog.pg_rewrite e JOIN pg_catalog.pg_depend d"
			 " ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid OPERATOR(pg_catalog.=) e.oid"
			 " WHERE e.ev_class OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)"
			 " AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass"
			 " AND d.refobjid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure($2)", 2, types, arguments);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the live release has been dropped")));
}

/*
 * Fails if the data under their name are not those of the record: somebody may
 * have given the name to another table of the owner.
 */
static void
check_entry(Datum view, Oid source)
{
	Oid			relation = named_relation(TextDatumGetCString(view));
	ReleaseEntry *entry = OidIsValid(relation) ? release_entry_find(relation) : NULL;

	if (entry != NULL && entry->source != source)
		refuse_source();
}

/* A receiver for rows of the result. */
static DestReceiver *
result_receiver(ReturnSetInfo *result)
{
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);

	SetTuplestoreDestReceiverParams(receiver, result->setResult, result->econtext->ecxt_per_query_memory, false, result->setDesc,
									gettext_noop("the columns of a live view have changed"));
	return receiver;
}

static Datum
anonopt_live_rows_call(PG_FUNCTION_ARGS)
{
	BoundQuery *bound;
	ReturnSetInfo *result;
	int			ncolumns;
	ExpectedColumn *columns = expected_columns(PG_GETARG_ARRAYTYPE_P(1), &ncolumns);
	MemoryContext context = CurrentMemoryContext;
	List	   *sources;
	QueryEnvironment *copies;

	result = begin_named_rows(fcinfo, "live_rows");
	bound = bind_query(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	sql_connect();
	MemoryContextSwitchTo(context);
	check_view(PG_GETARG_DATUM(2), PG_GETARG_DATUM(3));
	sources = check_sources(columns, ncolumns, bound);
	check_reader(linitial_oid(sources), bound->relations);
	check_entry(PG_GETARG_DATUM(2), linitial_oid(sources));
	sql_finish();
	copies = check_bound(bound, sources);
	bound->environment = copies;
	(void) query_run(bound, NULL, result_receiver(result));
	return (Datum) 0;
}
