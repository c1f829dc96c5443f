/*
 * live_rows.c
 *	  SQL: live_rows, through which a live view reads.
 *
 * The statement of a live view runs with the rights of the view's owner, but
 * refers to relations by name, and somebody else may own the schema, the source
 * or the population that it reads.  So the statement is analyzed first, which
 * binds its names and locks its relations to the end of the transaction.  What
 * it is bound to is checked then, and that very analysis is planned and run:
 * whatever takes a name meanwhile is not read, and nobody's code runs before
 * the check, not even while a plan is made.
 */
#include "release/release_parts.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/tupconvert.h"
#include "catalog/arrays.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(anonopt_live_rows);

/* What a statement refers to. */
typedef struct Bound
{
	List	   *relations;
	List	   *functions;		/* that were not part of a new database */
} Bound;

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

static bool
note_function(Oid function, void *context)
{
	Bound	   *bound = context;

	if (function >= FirstNormalObjectId)
		bound->functions = list_append_unique_oid(bound->functions, function);
	return false;
}

static bool
note_bound(Node * node, void *context)
{
	Bound	   *bound = context;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		ListCell   *cell;

		foreach(cell, ((Query *) node)->rtable)
		{
			RangeTblEntry *entry = lfirst(cell);

			if (entry->rtekind == RTE_RELATION)
				bound->relations = list_append_unique_oid(bound->relations, entry->relid);
		}
		return query_tree_walker((Query *) node, note_bound, context, 0);
	}
	(void) check_functions_in_node(node, note_function, context);
	return expression_tree_walker(node, note_bound, context);
}

/* Analyzes a query, which locks its relations, without rewriting it. */
static Query *
analyze(const char *statement)
{
	List	   *parsed = raw_parser(statement, RAW_PARSE_DEFAULT);
	Query	   *query = NULL;

	if (list_length(parsed) == 1)
		query = parse_analyze_fixedparams(linitial_node(RawStmt, parsed), statement, NULL, 0, NULL);
	if (query == NULL || query->commandType != CMD_SELECT || query->utilityStmt != NULL || query->hasModifyingCTE || query->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the statement of a live view must be a query"),
				 errhint("anonopt.live_rows is called by functions that anonopt.create_view makes.")));
	return query;
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
check_sources(const ExpectedColumn *columns, int n, const Bound *bound)
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

/* Whether a relation is a table whose rows all are read, by nobody's code. */
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

/* Whether a function is the current role's own, or a superuser's. */
static bool
function_is_trusted(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return false;
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner_is_trusted(owner);
}

static void
check_bound(const Bound *bound, const List *sources)
{
	ListCell   *cell;

	foreach(cell, bound->relations)
	{
		if (!is_plain_source(lfirst_oid(cell), list_member_oid(sources, lfirst_oid(cell))))
			refuse_source();
	}
	foreach(cell, bound->functions)
	{
		if (!function_is_trusted(lfirst_oid(cell)))
			refuse_source();
	}
}

/*
 * Fails if the reader, in any role that it can assume, may write one of the
 * relations or a view through which they are written; SPI is connected.
 */
static void
check_reader(Oid source, const List *relations)
{
	Oid			types[2] = {OIDOID, OIDARRAYOID};
	Datum		arguments[2] = {ObjectIdGetDatum(source), oids_datum(relations, OIDOID)};
	bool		isnull;

	sql_read("SELECT NOT pg_catalog.has_table_privilege(session_user, $1, 'SELECT') AND EXISTS ("
			 "WITH RECURSIVE writable (w) AS (SELECT g FROM pg_catalog.unnest($2) g UNION"
			 " SELECT e.ev_class FROM writable v JOIN pg_catalog.pg_depend d ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
			 " AND d.refobjid OPERATOR(pg_catalog.=) v.w AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
			 " JOIN pg_catalog.pg_rewrite e ON e.oid OPERATOR(pg_catalog.=) d.objid)"
			 " SELECT FROM pg_catalog.pg_roles o CROSS JOIN writable WHERE pg_catalog.pg_has_role(session_user, o.oid, 'MEMBER')"
			 " AND (pg_catalog.has_any_column_privilege(o.oid, w, 'INSERT, UPDATE') OR pg_catalog.has_table_privilege(o.oid, w, 'DELETE, TRUNCATE')))",
			 2, types, arguments);
	if (DatumGetBool(sql_value(1, BOOLOID, &isnull)) && !isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("whoever may write the source of a live release may not read it")));
}

/* Runs a query that has been checked, and stores its rows. */
static void
run_query(Query * query, const char *statement, ReturnSetInfo *result)
{
	List	   *rewritten = pg_rewrite_query(query);
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	PlannedStmt *plan;
	QueryDesc  *run;

	if (list_length(rewritten) != 1)
		refuse_source();
	SetTuplestoreDestReceiverParams(receiver, result->setResult, result->econtext->ecxt_per_query_memory, false, result->setDesc,
									gettext_noop("the columns of a live view have changed"));
	plan = pg_plan_query(linitial_node(Query, rewritten), statement, CURSOR_OPT_PARALLEL_OK, NULL, NULL);
	run = CreateQueryDesc(plan, statement, GetActiveSnapshot(), InvalidSnapshot, receiver, NULL, NULL, 0);
	ExecutorStart(run, 0);
	ExecutorRun(run, ForwardScanDirection, 0);
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
	receiver->rDestroy(receiver);
}

static void
require_named_columns(FunctionCallInfo fcinfo)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("columns of live_rows must be named"),
				 errhint("anonopt.live_rows is called by functions that anonopt.create_view makes.")));
}

Datum
anonopt_live_rows(PG_FUNCTION_ARGS)
{
	char	   *statement = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Bound		bound = {0};
	int			ncolumns;
	ExpectedColumn *columns = expected_columns(PG_GETARG_ARRAYTYPE_P(1), &ncolumns);
	List	   *sources;
	Query	   *query;

	require_named_columns(fcinfo);
	InitMaterializedSRF(fcinfo, 0);
	query = analyze(statement);
	(void) note_bound((Node *) query, &bound);
	sql_connect();
	sources = check_sources(columns, ncolumns, &bound);
	check_bound(&bound, sources);
	check_reader(linitial_oid(sources), bound.relations);
	sql_finish();
	run_query(query, statement, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
