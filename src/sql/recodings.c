/*
 * recodings.c
 *	  SQL: create_recoding, extend_recoding, evaluate_recoding,
 *	  recoding_classes, recoding_refinement, recoding_curve.
 *
 * The relation is read only once, including its rows, so that the distinct
 * tuples written are those that were measured.  A curve measures recodings
 * without writing a table.
 */
#include "base/compat.h"

#include "access/table.h"
#include "base/budget.h"
#include "catalog/sql.h"
#include "engine/refinement.h"
#include "label/class_labels.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/search_call.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* A search is not asked for more: it would hardly find it. */
#define MOST_EFFORT 1000

/* ------------------------------------------------------------- what is asked */

typedef struct RecodingCall
{
	SearchCall	search;
	RecodingOrder order;
	RecodingWatch watch;
	RowSpool	spool;
} RecodingCall;

static void
require_promised(const Promise *promise, const Dataset *dataset)
{
	if (!promises_anything(promise, dataset))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing is promised"),
				 errhint("Give k, l or t, or declare a promise with anonopt.add_promise.")));
}

/* Gets the arguments from the data set on, which both functions share. */
static void
recoding_arguments(FunctionCallInfo fcinfo, RecodingCall *call)
{
	RecodingOrder *order = &call->order;
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	DeclaredPromise possible = promise_of_boxes(count_if_given(fcinfo, "possible"));

	call->search.dataset = dataset;
	order->promise = promise_arguments(fcinfo, dataset);
	require_overlaps_kept(dataset, "a recoding");
	promise_imply_limits(&order->promise, dataset);
	require_promised(&order->promise, dataset);
	order->loss = recoding_loss_argument(fcinfo, dataset);
	order->labels = labels_argument(fcinfo);
	if (possible.threshold > 0)
		dataset_promise(dataset, &possible);
	order->deadline = deadline_argument(fcinfo);
	order->watch = &call->watch;
	order->seed = (uint64) seed_argument(fcinfo);
	order->effort = 1;
	if (takes_argument(fcinfo, "effort"))
		order->effort = number_argument(fcinfo, "effort");
	if (!(order->effort >= 0 && order->effort <= MOST_EFFORT))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("effort must be between 0 and %d", MOST_EFFORT)));
}

/* ---------------------------------------------------------------- the search */

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
tell_above(const RecodingCall *call, const RecodingResult *result)
{
	const Population *population = call->order.population;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt labels", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ClassFault	fault;
	const Classes *classes;

	classes = classes_of_recoding(population, result->class_of, result->nclasses, call->order.labels, &fault);
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
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Ends the call, once its result is written. */
static void
end_call(const RecodingCall *call, const RecodingResult *result)
{
	session_end(call->search.session, 0, result->helped, false);
	if (call->watch.cut)
		session_tell_limit(call->search.session, call->watch.late);
}

/* -------------------------------------------------------------------- bounds */

/* Refuses a bound for a loss that has none. */
static void
require_bounded(Objective loss)
{
	if (loss != OBJECTIVE_GLM && loss != OBJECTIVE_NWP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing can be proven about the least possible %s", objective_name(loss)),
				 errhint("Losses with a bound: glm and nwp.")));
}

/* Finds a bound of what the order minimizes, until a deadline, or 0. */
static double
find_bound(const RecodingOrder *order, Session *session, int64 deadline)
{
	RecodingOrder limited = *order;
	bool		full;
	double		bound;

	limited.deadline = deadline;
	bound = recoding_bound(&limited, &full);
	session_bound(session, bound);
	if (full)
		ereport(NOTICE,
				(errmsg("the bound is weaker than it could be, because anonopt.memory is short")));
	return bound;
}

/* What the result loses, as measures have it. */
static double
loss_of_result(const RecodingCall *call, const RecodingResult *result)
{
	ClassFault	fault;
	Measures	measures;

	classes_measure(classes_of_recoding(call->order.population, result->class_of, result->nclasses, call->order.labels, &fault),
					&call->order.promise, &measures);
	return objective_value(call->order.loss, &measures);
}

OWN_FUNCTION(anonopt_recoding_bound)
{
	SearchCall	call = {.dataset = readable_dataset_argument(fcinfo)};
	RecodingOrder order = {.loss = recoding_loss_argument(fcinfo, call.dataset)};
	Objectives	loss = {1, {order.loss}};
	double		bound;

	require_bounded(order.loss);
	call.promise = promise_arguments(fcinfo, call.dataset);
	require_promised(&call.promise, call.dataset);
	order.labels = labels_argument(fcinfo);
	order.deadline = deadline_argument(fcinfo);
	if (!search_read(&call, ALGORITHM_RECODING_BOUND, NULL))
		PG_RETURN_NULL();
	progress_search(-1);
	order.promise = call.promise;
	order.population = searched_population(call.population, &loss);
	bound = find_bound(&order, call.session, order.deadline);
	session_end(call.session, 0, 0, false);
	PG_RETURN_FLOAT8(bound);
}

/* -------------------------------------------------------------- create_recoding */

OWN_FUNCTION(anonopt_create_recoding)
{
	RecodingCall call = {0};
	NewRelation place;
	RecodingResult *result;
	int64		proof = span_argument(fcinfo, "proof");
	double		loss = 0;
	int			level;
	StringInfoData sql;
	Relation	table;
	Oid			oid;

	recoding_arguments(fcinfo, &call);
	if (dataset_has_role(call.search.dataset, ROLE_QUASI_IDENTIFIER, CLASS_COLUMN))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("quasi-identifier \"" CLASS_COLUMN "\" has the name of a recoding's last column"),
				 errhint("Declare a view that renames the column.")));
	if (is_given(fcinfo, "proof"))
		require_bounded(call.order.loss);
	place = new_relation(name_argument(fcinfo, "recoding"), "Drop it, or choose another name for the recoding.");
	read_rows(&call, ALGORITHM_CREATE_RECODING);
	result = recoding_search(&call.order, max_workers());
	if (!result->feasible)
		recoding_refuse_infeasible(call.search.dataset, &call.order);
	if (is_given(fcinfo, "proof"))
	{
		(void) find_bound(&call.order, call.search.session, proof == 0 ? 0 : GetCurrentTimestamp() + proof);
		loss = loss_of_result(&call, result);
		result->ended = GetCurrentTimestamp();
	}
	session_searched(call.search.session, result->ended);
	tell_above(&call, result);
	level = sql_use_catalog_names();
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s AS SELECT ", place.sql_name);
	for (int a = 0; a < call.spool.ncolumns; a++)
		appendStringInfo(&sql, "r.%s, ", quote_identifier(call.spool.columns[a].name));
	appendStringInfo(&sql, "NULL::pg_catalog.int8 AS " CLASS_COLUMN " FROM %s r WITH NO DATA",
					 relation_sql_name(call.search.dataset->relation));
	sql_run(sql.data, NULL);
	oid = made_relation(place.schema, place.name);
	keep_to_owner(oid);
	if (call.order.population->possible > 0)
		recoding_table_promise(oid, call.order.population->possible);
	table = table_open(oid, RowExclusiveLock);
	recoding_rows_write(&call.spool, table, result);
	table_close(table, NoLock);
	sql_restore_names(level);
	end_call(&call, result);
	session_tell_gap(call.search.session, loss, 0);
	PG_RETURN_OID(oid);
}

/* -------------------------------------------------------------- extend_recoding */

OWN_FUNCTION(anonopt_extend_recoding)
{
	RecodingCall call = {0};
	RecodingExtension extension;
	RecodingResult *result;
	Relation	table;

	(void) readable_dataset_argument(fcinfo);
	table = recoding_open_own(relation_argument(fcinfo, "recoding"));
	recoding_arguments(fcinfo, &call);
	recoding_table_add_promise(RelationGetRelid(table), call.search.dataset);

	/*
	 * changes that other writers made before releasing the lock must be
	 * visible
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	read_rows(&call, ALGORITHM_EXTEND_RECODING);
	result = recoding_extend_table(&call.spool, table, call.search.dataset, &call.order, &extension);
	session_searched(call.search.session, result->ended);
	tell_above(&call, result);
	PopActiveSnapshot();
	spool_end(&call.spool);
	table_close(table, NoLock);
	end_call(&call, result);
	recoding_tell_moved(extension.moved);
	PG_RETURN_INT64(extension.added);
}

/* ------------------------------------------- evaluate_recoding, recoding_classes */

/*
 * "recoding", which is one or an array of them, or a string constant that names
 * one or, in braces, several: PostgreSQL could not choose an overload.
 */
static const Oid *
recodings_argument(FunctionCallInfo fcinfo, int *n)
{
	bool		is_text = argument_type(fcinfo, "recoding") == TEXTOID;
	Datum		array;

	if (argument_type(fcinfo, "recoding") == REGCLASSOID || (is_text && name_argument(fcinfo, "recoding")[0] != '{'))
	{
		Oid			oid = relation_argument(fcinfo, "recoding");

		*n = 1;
		return memcpy(palloc(sizeof(Oid)), &oid, sizeof(Oid));
	}
	array = is_text ? OidInputFunctionCall(F_ARRAY_IN, name_argument(fcinfo, "recoding"), REGCLASSOID, -1) :
		get_argument(fcinfo, "recoding", REGCLASSARRAYOID);
	*n = count_elements(array, "recodings");
	return (const Oid *) ARR_DATA_PTR(DatumGetArrayTypeP(array));
}

/* Adds a row for each of some recodings. */
OWN_FUNCTION(anonopt_evaluate_recoding)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	int			n;
	const Oid  *oids = recodings_argument(fcinfo, &n);
	Promise		promise = promise_arguments(fcinfo, dataset);
	RecodingLabels labels = labels_argument(fcinfo);
	RecodingTables tables;

	require_nothing_known(dataset, "a recoding");
	recoding_tables_read(&tables, dataset, n, oids);
	for (int i = 0; i < n && tables.population != NULL; i++)
	{
		TableRecoding *recoding;
		Classes    *classes = recoding_table_classes(tables.reading, tables.population, tables.tables[i], labels, &recoding);
		Measures	measures;

		CHECK_FOR_INTERRUPTS();
		promise.limit = share_of_people(dataset->max_suppression, tables.population->people);
		classes_measure(classes, &promise, &measures);
		put_node(row, tables.population, NULL, &measures);
	}
	recoding_tables_close(&tables);
	return (Datum) 0;
}

typedef struct ListedClass
{
	uint32		class;
	int64		number;			/* in the table: the smallest of those that
								 * look alike */
	int64		people;
	int32		tuples;
	double		loss;
} ListedClass;

/* Sorts classes, worst first. */
static int
compare_listed(const void *a, const void *b)
{
	const ListedClass *x = a;
	const ListedClass *y = b;

	if (x->loss != y->loss)
		return x->loss > y->loss ? -1 : 1;
	if (x->people != y->people)
		return x->people < y->people ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static ListedClass *
list_classes(Classes *classes, const TableRecoding *recoding)
{
	ListedClass *listed = budget_alloc_zero(sizeof(ListedClass), (Size) classes->n + 1);

	classes_count(classes);
	for (uint32 class = 0; class < classes->n; class++)
	{
		listed[class].class = class;
		listed[class].number = PG_INT64_MAX;
		listed[class].people = class_people(classes->population, classes->table, class);
		listed[class].loss = class_loss(classes, class);
	}
	for (uint32 i = 0; i < classes->tuples->ntuples; i++)
		if (classes->class_of[i] != NO_CLASS)
		{
			ListedClass *class = &listed[classes->class_of[i]];

			class->number = Min(class->number, recoding->numbers[recoding->class_of[i]]);
			class->tuples++;
		}
	qsort(listed, classes->n, sizeof(ListedClass), compare_listed);
	return listed;
}

static void
put_classes(ResultRow *row, const ListedClass *listed, const Classes *classes)
{
	int			nattrs = classes->population->nattrs;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	for (uint32 i = 0; i < classes->n; i++)
	{
		const char *labels[MAX_ATTRIBUTES];

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < nattrs; a++)
			labels[a] = classes->labels[a][classes->codes[class_at(classes, listed[i].class, a)]];
		put_count(row, "class", listed[i].number);
		put_datum(row, "shown", TEXTARRAYOID, texts_datum(labels, nattrs));
		put_count(row, "people", listed[i].people);
		put_count(row, "tuples", listed[i].tuples);
		put_number(row, "loss", listed[i].loss);
		row_add(row);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

OWN_FUNCTION(anonopt_recoding_classes)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	Oid			oid = relation_argument(fcinfo, "recoding");
	RecodingLabels labels = labels_argument(fcinfo);
	RecodingTables tables;

	recoding_tables_read(&tables, dataset, 1, &oid);
	if (tables.population != NULL)
	{
		TableRecoding *recoding;
		Classes    *classes = recoding_table_classes(tables.reading, tables.population, tables.tables[0], labels, &recoding);

		classes_label_recoding(classes, labels);
		put_classes(row, list_classes(classes, recoding), classes);
	}
	recoding_tables_close(&tables);
	return (Datum) 0;
}

/* ---------------------------------------------------------- recoding_refinement */

OWN_FUNCTION(anonopt_recoding_refinement)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = readable_dataset_argument(fcinfo);
	Oid			oid = relation_argument(fcinfo, "recoding");
	RecodingLabels labels = labels_argument(fcinfo);
	RecodingTables tables;
	Refined		refined[MAX_ATTRIBUTES + 1];

	recoding_tables_read(&tables, dataset, 1, &oid);
	if (tables.population != NULL)
	{
		int			nattrs = tables.population->nattrs;
		TableRecoding *recoding;
		Classes    *classes = recoding_table_classes(tables.reading, tables.population, tables.tables[0], labels, &recoding);

		classes_count(classes);
		refine_classes(classes, refined);
		for (int a = 0; a <= nattrs; a++)
		{
			const Refined *of = &refined[a];

			if (a < nattrs)
				put_string(row, "column_name", tables.population->attrs[a].name);
			put_count(row, "people_wide", of->people_wide);
			if (of->people_wide > 0)
			{
				put_number(row, "leaves_shown", of->leaves_shown);
				put_number(row, "leaves_left", of->leaves_left);
				put_count(row, "least_possible", of->least_possible);
			}
			put_count(row, "people_branch_out", of->people_branch_out);
			put_count(row, "people_certain_given_rest", of->people_certain);
			put_count(row, "people_below_k", of->people_below_k);
			row_add(row);
		}
	}
	recoding_tables_close(&tables);
	return (Datum) 0;
}

/* --------------------------------------------------------------- recoding_curve */

/* Spends some time, until the deadline, on how far the recoding for a k can be from the best. */
static void
tell_proof(const SearchCall *call, const RecodingOrder *order, int64 proof, const Measures *measures)
{
	int64		until = proof == 0 ? order->deadline : GetCurrentTimestamp() + proof;

	if (order->deadline != 0)
		until = Min(until, order->deadline);
	(void) find_bound(order, call->session, until);
	session_tell_gap(call->session, objective_value(order->loss, measures), order->promise.k);
}

/*
 * Adds the measures of the recoding that the search finds, if any; returns false
 * if there was no time to find it.
 */
static bool
put_recoding(const SearchCall *call, const RecodingOrder *order, bool proves, int64 proof, int *helped)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt curve", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	RecodingResult *found = recoding_search(order, max_workers());
	bool		in_time = !found->cut;

	*helped = Max(*helped, found->helped);
	if (found->feasible && in_time)
	{
		ClassFault	fault;
		Measures	measures;

		classes_measure(classes_of_recoding(call->population, found->class_of, found->nclasses, order->labels, &fault),
						&order->promise, &measures);
		put_node(call->row, call->population, NULL, &measures);
		if (proves)
			tell_proof(call, order, proof, &measures);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return in_time;
}

OWN_FUNCTION(anonopt_recoding_curve)
{
	SearchCall	call = {.row = result_begin(fcinfo),.dataset = dataset_argument(fcinfo)};
	RecodingOrder order = {.deadline = deadline_argument(fcinfo),.or_none = true};
	Objectives	loss = {.n = 1};
	int64		proof = span_argument(fcinfo, "proof");
	const int32 *k;
	int			n;
	int			helped = 0;
	bool		in_time = true;
	StringInfoData left_out;

	require_overlaps_kept(call.dataset, "a recoding");
	k = elements_argument(fcinfo, "k", INT4ARRAYOID, &n);
	for (int i = 0; i < n; i++)
		if (k[i] < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("k must be at least 1, not %d", k[i])));
	order.loss = loss.of[0] = recoding_loss_argument(fcinfo, call.dataset);
	if (is_given(fcinfo, "proof"))
		require_bounded(order.loss);
	order.labels = labels_argument(fcinfo);
	order.seed = (uint64) seed_argument(fcinfo);
	if (!search_read(&call, ALGORITHM_RECODING_CURVE, (const int64 *) &order.seed))
		return (Datum) 0;
	progress_search(n);
	order.promise = call.promise;
	order.population = searched_population(call.population, &loss);
	initStringInfo(&left_out);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		order.promise.k = k[i];
		in_time = in_time && !time_is_up(order.deadline, &in_time) &&
			put_recoding(&call, &order, is_given(fcinfo, "proof"), proof, &helped);
		if (!in_time)
			appendStringInfo(&left_out, "%s%d", left_out.len > 0 ? ", " : "", k[i]);
		progress_update(i + 1, i + 1);
	}
	session_end(call.session, 0, helped, false);
	if (!in_time)
		ereport(NOTICE,
				(errmsg("time limit left out recodings for k = %s", left_out.data)));
	return (Datum) 0;
}
