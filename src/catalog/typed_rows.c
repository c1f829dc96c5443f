/*
 * typed_rows.c
 *	  Rows of a statement, accepted only if they have the types that the
 *	  receiver was written for.
 *
 * Code that decodes a value relies on its type, which was looked up when the
 * statement was built.  Since then another session, or a function that the
 * statement itself calls, may have given the column's name to another column.
 * The executor guarantees that rows have the types of the plan, so it is
 * enough to compare the plan's types once, before the first row.
 */
#include "catalog/typed_rows.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "base/progress.h"
#include "catalog/pg_type.h"
#include "catalog/pg_namespace.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/* Passes rows on, or collects them outside the executor's memory. */
typedef struct RowReceiver
{
	DestReceiver pub;
	int			ncolumns;
	const Oid  *types;			/* NULL if the reader of the rows checks them */
	RowTaker	take;			/* or NULL, and */
	void	   *arg;
	int64		ntaken;
	QueryRows  *rows;
	MemoryContext context;		/* of the rows, or of the row that is taken */
} RowReceiver;

void
rows_refuse_changed(const char *column, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("column \"%s\" changed while it was read", column),
			 errdetail("%s", detail),
			 errhint("Call the function again.")));
}

void
rows_require_type(Oid type, Oid expected, const char *column)
{
	Oid			base;

	if (!OidIsValid(type))
		rows_refuse_changed(column, "It has been dropped.");
	/* a domain may be decoded as its base type, and a varchar as a text */
	base = type == expected ? type : getBaseType(type);
	if (base != expected && !(expected == TEXTOID && base == VARCHAROID))
		rows_refuse_changed(column, psprintf("It has type %s, but type %s was expected.",
											 format_type_be(type), format_type_be(expected)));
}

void
rows_require_types(TupleDesc desc, int first, int ncolumns, const Oid *types)
{
	if (first + ncolumns > desc->natts)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("rows lost columns while they were read"),
				 errdetail("They have %d columns, but %d were expected.", desc->natts, first + ncolumns),
				 errhint("Call the function again.")));
	for (int i = 0; i < ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, first + i);

		rows_require_type(column->attisdropped ? InvalidOid : column->atttypid, types[i], NameStr(column->attname));
	}
}

static void
start_rows(DestReceiver *self, int operation, TupleDesc desc)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);

	if (receiver->rows != NULL)
		receiver->rows->desc = CreateTupleDescCopy(desc);
	MemoryContextSwitchTo(old);
	if (receiver->types != NULL)
		rows_require_types(desc, 0, receiver->ncolumns, receiver->types);
}

/* How often a search tells how many rows it has read. */
#define ROWS_A_REPORT 4096

static bool
take_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old;

	if (receiver->rows == NULL)
	{
		slot_getallattrs(slot);
		old = MemoryContextSwitchTo(receiver->context);
		receiver->take(receiver->arg, slot->tts_values, slot->tts_isnull);
		if (++receiver->ntaken % ROWS_A_REPORT == 0)
			progress_rows(ROWS_A_REPORT);
		MemoryContextSwitchTo(old);
		MemoryContextReset(receiver->context);
		return true;
	}
	old = MemoryContextSwitchTo(receiver->context);
	receiver->rows->tuples = lappend(receiver->rows->tuples, ExecCopySlotHeapTuple(slot));
	receiver->rows->n++;
	MemoryContextSwitchTo(old);
	return true;
}

static void
end_rows(DestReceiver *self)
{
}

static RowReceiver *
new_receiver(int ncolumns, const Oid *types)
{
	RowReceiver *receiver = palloc0(sizeof(RowReceiver));

	receiver->pub.receiveSlot = take_row;
	receiver->pub.rStartup = start_rows;
	receiver->pub.rShutdown = end_rows;
	receiver->pub.rDestroy = end_rows;
	receiver->pub.mydest = DestNone;
	receiver->ncolumns = ncolumns;
	receiver->types = types;
	receiver->context = CurrentMemoryContext;
	return receiver;
}

DestReceiver *
rows_collector(int ncolumns, const Oid *types, QueryRows **rows)
{
	RowReceiver *receiver = new_receiver(ncolumns, types);

	*rows = receiver->rows = palloc0(sizeof(QueryRows));
	return &receiver->pub;
}

/* ---------------------------------------------------------------- statements */

/* Binds a statement, and checks that its names mean what they did when it was written. */
static BoundQuery *
bind_over(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment)
{
	BoundQuery *bound = query_bind(statement, params, environment);

	if (bound == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not a query", statement)));
	query_require(bound, relations);
	return bound;
}

/* Where the shards of a relation are, by the active snapshot, and who wrote so; NULL if it has none. */
static char *
placements(Oid relation, List *catalogs)
{
	const Oid	type = TEXTOID;

	return row_text(rows_of_query(RELATIONS_READ "SELECT pg_catalog.string_agg(pg_catalog.concat(s.shardid, ' ', p.groupid, ' ', p.xmin), ','"
								  " ORDER BY s.shardid, p.groupid) FROM read JOIN pg_catalog.pg_dist_shard s ON s.logicalrelid OPERATOR(pg_catalog.=) read.relation"
								  " LEFT JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.shardid",
								  catalogs, add_oid(NULL, relation), NULL, 1, &type), 0, 0);
}

/*
 * A transaction that keeps a snapshot keeps one on each server, since it first
 * read there; but Citus looks up with a new one where shards are.  So a shard
 * that came to a server since is empty there, without an error.  A server's
 * snapshot is no older than ours, and rows come before their place is known: so
 * no shard is missed that is where our snapshot says, and was when this looks,
 * after the reading.
 */
void
require_unmoved(const List *relations)
{
	Oid			shards = get_relname_relid("pg_dist_shard", PG_CATALOG_NAMESPACE);
	Oid			places = get_relname_relid("pg_dist_placement", PG_CATALOG_NAMESPACE);
	ListCell   *cell;

	if (!IsolationUsesXactSnapshot() || !OidIsValid(shards) || !OidIsValid(places))
		return;
	foreach(cell, relations)
	{
		List	   *catalogs = list_make2_oid(shards, places);
		char	   *before;
		char	   *now;

		/* those are read here */
		if (get_rel_namespace(lfirst_oid(cell)) == PG_CATALOG_NAMESPACE)
			continue;
		before = placements(lfirst_oid(cell), catalogs);
		PushActiveSnapshot(GetLatestSnapshot());
		now = placements(lfirst_oid(cell), catalogs);
		PopActiveSnapshot();
		if (strcmp(before == NULL ? "" : before, now == NULL ? "" : now) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("shards of relation %s have moved since the transaction's snapshot", relation_sql_name(lfirst_oid(cell))),
					 errdetail("Rows of a shard cannot be seen where it is now."),
					 errhint("Run the transaction again.")));
	}
}

void
rows_read(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment,
		  int ncolumns, const Oid *types, RowTaker take, void *arg)
{
	BoundQuery *bound = bind_over(statement, relations, params, environment);
	RowReceiver *receiver;

	if (bound->query->commandType != CMD_SELECT || bound->query->hasModifyingCTE || bound->query->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not a query", statement)));
	receiver = new_receiver(ncolumns, types);
	receiver->take = take;
	receiver->arg = arg;
	receiver->context = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	(void) query_run(bound, params, &receiver->pub);
	require_unmoved(bound->relations);
	MemoryContextDelete(receiver->context);
}

QueryRows *
rows_of_query(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment,
			  int ncolumns, const Oid *types)
{
	QueryRows  *rows;
	DestReceiver *receiver = rows_collector(ncolumns, types, &rows);
	BoundQuery *bound = bind_over(statement, relations, params, environment);

	(void) query_run(bound, params, receiver);
	require_unmoved(bound->relations);
	return rows;
}

Datum
row_value(const QueryRows *rows, int row, int column, bool *isnull)
{
	HeapTuple	tuple = list_nth(rows->tuples, row);

	return heap_getattr(tuple, column + 1, rows->desc, isnull);
}

char *
row_text(const QueryRows *rows, int row, int column)
{
	bool		isnull;
	Datum		value = row_value(rows, row, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

Oid
row_oid(const QueryRows *rows, int row, int column)
{
	bool		isnull;
	Datum		value = row_value(rows, row, column, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(value);
}

Datum
value_of_query(const char *statement, const List *relations, ParamListInfo params, Oid type, bool *isnull)
{
	QueryRows  *rows = rows_of_query(statement, relations, params, NULL, 1, &type);

	*isnull = true;
	return rows->n == 0 ? (Datum) 0 : row_value(rows, 0, 0, isnull);
}

uint64
rows_change(const char *statement, const List *relations, ParamListInfo params, QueryEnvironment *environment)
{
	uint64		changed;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	changed = query_run(bind_over(statement, relations, params, environment), params, NULL);
	PopActiveSnapshot();
	CommandCounterIncrement();
	return changed;
}

void
rows_show(QueryEnvironment *environment, const char *name, Tuplestorestate *rows, Oid relation, TupleDesc desc)
{
	EphemeralNamedRelation shown = palloc0(sizeof(EphemeralNamedRelationData));

	shown->md.name = pstrdup(name);
	shown->md.reliddesc = relation;
	shown->md.tupdesc = desc;
	shown->md.enrtype = ENR_NAMED_TUPLESTORE;
	shown->md.enrtuples = tuplestore_tuple_count(rows);
	shown->reldata = rows;
	register_ENR(environment, shown);
}

ReturnSetInfo *
begin_named_rows(FunctionCallInfo fcinfo, const char *function)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	desc;
	MemoryContext old;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("columns of %s must be named", function),
				 errhint("anonopt.%s is called by what anonopt.create_view makes.", function)));
	InitMaterializedSRF(fcinfo, 0);
	old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->setDesc = CreateTupleDescCopy(result->setDesc);
	MemoryContextSwitchTo(old);
	return result;
}
