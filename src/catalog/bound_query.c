/*
 * bound_query.c
 *	  A statement whose names have been resolved, so that it can be checked
 *	  before any of it runs.
 *
 * Analysis runs nobody's code.  It binds every name to an object and locks
 * the relations; whatever takes a name afterwards is not read.  Planning does
 * run code, such as the constant parts of an index's expressions, so what a
 * statement is bound to must be checked before.
 */
#include "catalog/bound_query.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static bool
note_function(Oid function, void *context)
{
	CalledCode *code = context;

	if (function >= FirstNormalObjectId)
		code->functions = list_append_unique_oid(code->functions, function);
	return false;
}

/* The functions in the checks of a domain. */
static void
note_checks(Oid domain, CalledCode *code)
{
	Relation	catalog = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(domain));
	scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		stored = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);

		if (!isnull)
			expression_code(stringToNode(TextDatumGetCString(stored)), code);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
}

/* The functions that making a value of a type may run: checks of the domains in it. */
static void
note_type(Oid type, CalledCode *code)
{
	Relation	relation;

	check_stack_depth();
	if (type < FirstNormalObjectId)
		return;
	switch (get_typtype(type))
	{
		case TYPTYPE_DOMAIN:
			code->domains = list_append_unique_oid(code->domains, type);
			note_checks(type, code);
			note_type(GetSysCacheOid1(TYPEOID, Anum_pg_type_typbasetype, ObjectIdGetDatum(type)), code);
			break;
		case TYPTYPE_COMPOSITE:
			relation = try_relation_open(get_typ_typrelid(type), AccessShareLock);
			for (int i = 0; relation != NULL && i < RelationGetNumberOfAttributes(relation); i++)
				if (!TupleDescAttr(RelationGetDescr(relation), i)->attisdropped)
					note_type(TupleDescAttr(RelationGetDescr(relation), i)->atttypid, code);
			if (relation != NULL)
				relation_close(relation, NoLock);
			break;
		case TYPTYPE_RANGE:
			note_type(get_range_subtype(type), code);
			break;
		case TYPTYPE_MULTIRANGE:
			note_type(get_multirange_range(type), code);
			break;
		default:
			note_type(get_element_type(type), code);
	}
}

static bool
note_functions(Node *node, void *context)
{
	if (node == NULL)
		return false;
	(void) check_functions_in_node(node, note_function, context);
	if (IsA(node, CoerceToDomain))
		note_type(((CoerceToDomain *) node)->resulttype, context);
	if (IsA(node, CoerceViaIO))
		note_type(((CoerceViaIO *) node)->resulttype, context);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, note_functions, context, 0);
	return expression_tree_walker(node, note_functions, context);
}

void
expression_code(Node *expression, CalledCode *code)
{
	(void) note_functions(expression, code);
}

static bool
note_relations(Node *node, void *context)
{
	List	  **relations = context;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, note_relations, context);
	foreach(cell, ((Query *) node)->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind == RTE_RELATION)
			*relations = list_append_unique_oid(*relations, entry->relid);
	}
	return query_tree_walker((Query *) node, note_relations, context, 0);
}

List *
query_relations(Query *query)
{
	List	   *relations = NIL;

	(void) note_relations((Node *) query, &relations);
	return relations;
}

/* Adds the statement to an error, and makes a place in it one in the statement, as SPI does. */
static void
tell_statement(void *arg)
{
	const char *statement = arg;
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(statement);
	}
	else
		errcontext("SQL statement \"%s\"", statement);
}

static ErrorContextCallback
begin_telling(const char *statement)
{
	ErrorContextCallback telling = {.previous = error_context_stack,.callback = tell_statement,.arg = unconstify(char *, statement)};

	return telling;
}

BoundQuery *
query_bind(const char *statement, ParamListInfo params, QueryEnvironment *environment)
{
	ErrorContextCallback telling = begin_telling(statement);
	BoundQuery *bound = palloc0(sizeof(BoundQuery));
	int			ntypes = params == NULL ? 0 : params->numParams;
	Oid		   *types = palloc(sizeof(Oid) * (ntypes + 1));
	List	   *parsed;

	for (int i = 0; i < ntypes; i++)
		types[i] = params->params[i].ptype;
	error_context_stack = &telling;
	parsed = raw_parser(statement, RAW_PARSE_DEFAULT);
	if (list_length(parsed) == 1)
		bound->query = parse_analyze_fixedparams(linitial_node(RawStmt, parsed), statement, types, ntypes, environment);
	error_context_stack = telling.previous;
	if (bound->query == NULL || bound->query->commandType == CMD_UTILITY)
		return NULL;
	bound->statement = statement;
	bound->environment = environment;
	bound->relations = query_relations(bound->query);
	expression_code((Node *) bound->query, &bound->code);
	return bound;
}

uint64
query_run(const BoundQuery *bound, ParamListInfo params, DestReceiver *receiver)
{
	ErrorContextCallback telling = begin_telling(bound->statement);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt plan", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	List	   *rewritten;
	PlannedStmt *plan;
	QueryDesc  *run;
	uint64		processed;

	error_context_stack = &telling;
	rewritten = pg_rewrite_query(copyObject(bound->query));
	if (list_length(rewritten) != 1)
		elog(ERROR, "a rule rewrites \"%s\"", bound->statement);
	plan = pg_plan_query(linitial_node(Query, rewritten), bound->statement, CURSOR_OPT_PARALLEL_OK, params, NULL);
	run = CreateQueryDesc(plan, bound->statement, GetActiveSnapshot(), InvalidSnapshot,
						  receiver == NULL ? None_Receiver : receiver, params, bound->environment, 0);
	ExecutorStart(run, 0);
	ExecutorRun(run, ForwardScanDirection, 0);
	processed = run->estate->es_processed;
	ExecutorFinish(run);
	ExecutorEnd(run);
	FreeQueryDesc(run);
	error_context_stack = telling.previous;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return processed;
}
