/*
 * recodings.c
 *	  SQL: create_recoding, extend_recoding.
 *
 * The relation is read only once, including its rows, so that the distinct
 * tuples written are those that were measured.
 */
#include "base/compat.h"

#include "access/table.h"
#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "read/population_read.h"
#include "sql/search_call.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

OWN_FUNCTION(anonopt_create_recoding);
OWN_FUNCTION(anonopt_extend_recoding);

/* ------------------------------------------------------------- what is asked */

typedef struct RecodingCall
{
	SearchCall	search;
	RecodingOrder order;
	int64		deadline;		/* or 0 */
	bool		in_time;
	int64		answers;		/* number of better answers so far */
	RowSpool	spool;
} RecodingCall;

/* Gets the arguments from the data set on, which both functions share. */
static void
recoding_arguments(FunctionCallInfo fcinfo, RecodingCall *call)
{
	RecodingOrder *order = &call->order;
	Dataset    *dataset = readable_dataset_argument(fcinfo);

	call->search.dataset = dataset;
	order->promise = promise_arguments(fcinfo, dataset);
	require_overlaps_kept(dataset, "a recoding");
	promise_imply_limits(&order->promise, dataset);
	if (!promises_anything(&order->promise, dataset))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is promised"),
				 errhint("Give k, l or t, or declare a promise with anonopt.add_promise.")));
	order->loss = recoding_loss_argument(fcinfo, dataset);
	order->labels = labels_argument(fcinfo);
	call->deadline = deadline_argument(fcinfo);
	order->seed = (uint64) seed_argument(fcinfo);
	order->effort = 100;
	call->in_time = true;
}

/* ---------------------------------------------------------------- the search */

static bool
is_over(void *state)
{
	RecodingCall *call = state;

	return time_is_up(call->deadline, &call->in_time);
}

static void
tell_answer(void *state, double loss)
{
	RecodingCall *call = state;

	progress_better(++call->answers, loss);
}

/* Reads the relation, and begins the search. */
static void
read_rows(RecodingCall *call, Algorithm algorithm)
{
	RecodingOrder *order = &call->order;
	SearchCall *search = &call->search;
	const Objectives loss = {1, {order->loss}};

	recoding_spool_begin(&call->spool, search->dataset);
	search->session = session_begin(algorithm, search->dataset);
	spool_read(&call->spool, search->dataset, NULL);
	search->population = call->spool.population;
	if (search->population == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s has no rows to recode", relation_sql_name(search->dataset->relation))));
	require_weights(search->dataset, search->population);
	session_read(search->session, search->population);
	session_seed(search->session, (int64) order->seed);
	progress_search(-1);
	order->promise.limit = share_of_people(search->dataset->max_suppression, search->population->people);
	order->population = searched_population(search->population, &loss);
}

/*
 * Reports people whose labels are above max_level, because no lower label
 * covers their class.
 */
static void
tell_above_max(const RecodingCall *call, const RecodingResult *result)
{
	const Population *population = call->order.population;
	ClassFault	fault;
	const Classes *classes = classes_of_recoding(population, result->class_of, result->nclasses, call->order.labels, &fault);

	if (classes == NULL)
		elog(ERROR, "no label covers a class of the recoding");
	for (int a = 0; a < population->nattrs; a++)
	{
		int64		above = 0;

		for (uint32 i = 0; i < population->tuples->ntuples; i++)
			if (classes->class_of[i] != NO_CLASS && classes->level[class_at(classes, classes->class_of[i], a)] > population->attrs[a].max_level)
				above += population->tuples->counts[i];
		if (above > 0)
			ereport(NOTICE,
					(errmsg(INT64_FORMAT " of " INT64_FORMAT " people are shown above max_level in column \"%s\"",
							above, population->people, population->attrs[a].name)));
	}
}

static void
end_search(RecodingCall *call, const RecodingResult *result)
{
	session_end(call->search.session, 0, result->helped, false);
	if (!call->in_time)
		ereport(NOTICE,
				(errmsg("time limit ended the search before it finished")));
	tell_above_max(call, result);
}

/* -------------------------------------------------------------- create_recoding */

/* Fails if a quasi-identifier has the name of the column for classes. */
static void
refuse_class_column(const Dataset *dataset)
{
	if (dataset_has_role(dataset, ROLE_QUASI_IDENTIFIER, CLASS_COLUMN))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("quasi-identifier \"" CLASS_COLUMN "\" has the name of a recoding's last column"),
				 errhint("Declare a view that renames the column.")));
}

/* Creates the table, empty, with the columns of the relation. */
static Relation
make_table(const RecodingCall *call, const NewRelation *place)
{
	StringInfoData sql;
	Oid			oid;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s AS SELECT ", place->sql_name);
	for (int a = 0; a < call->spool.ncolumns; a++)
		appendStringInfo(&sql, "r.%s, ", quote_identifier(call->spool.columns[a].name));
	appendStringInfo(&sql, "NULL::pg_catalog.int8 AS " CLASS_COLUMN " FROM %s r WITH NO DATA",
					 relation_sql_name(call->search.dataset->relation));
	sql_run(sql.data, NULL);
	oid = made_relation(place->schema, place->name);
	keep_to_owner(oid);
	return table_open(oid, RowExclusiveLock);
}

static Oid
write_recoding(RecodingCall *call, const NewRelation *place, const RecodingResult *result)
{
	int			level = sql_use_catalog_names();
	Relation	table;
	Oid			oid;

	table = make_table(call, place);
	oid = RelationGetRelid(table);
	recoding_rows_write(&call->spool, table, result);
	table_close(table, NoLock);
	sql_restore_names(level);
	return oid;
}

static Datum
anonopt_create_recoding_call(PG_FUNCTION_ARGS)
{
	RecodingCall call = {0};
	RecodingWatch watch = {is_over, tell_answer, &call};
	NewRelation place;
	RecodingResult *result;

	recoding_arguments(fcinfo, &call);
	refuse_class_column(call.search.dataset);
	place = new_relation(name_argument(fcinfo, "recoding"), "Drop it, or choose another name for the recoding.");
	read_rows(&call, ALGORITHM_CREATE_RECODING);
	result = recoding_search(&call.order, &watch, max_workers());
	if (!result->feasible)
		recoding_refuse_infeasible(call.search.dataset, &call.order);
	end_search(&call, result);
	PG_RETURN_OID(write_recoding(&call, &place, result));
}

/* -------------------------------------------------------------- extend_recoding */

static Datum
anonopt_extend_recoding_call(PG_FUNCTION_ARGS)
{
	RecodingCall call = {0};
	RecodingExtension extension;
	Relation	table;

	(void) readable_dataset_argument(fcinfo);
	table = recoding_open_own(relation_argument(fcinfo, "recoding"));
	recoding_arguments(fcinfo, &call);

	/*
	 * changes that other writers made before releasing the lock must be
	 * visible
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	read_rows(&call, ALGORITHM_EXTEND_RECODING);
	end_search(&call, recoding_extend_table(&call.spool, table, call.search.dataset, &call.order, &extension));
	PopActiveSnapshot();
	spool_end(&call.spool);
	table_close(table, NoLock);
	recoding_tell_moved(extension.moved);
	PG_RETURN_INT64(extension.added);
}
