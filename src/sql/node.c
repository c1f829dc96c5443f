/*
 * node.c
 *	  SQL: evaluate, lattice, evaluate_cuts, node_detail, suppressed_classes.
 */
#include "sql/search_call.h"

#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "engine/lattice.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/arguments.h"
#include "release/specification.h"
#include "utils/builtins.h"

OWN_FUNCTION(anonopt_evaluate);
OWN_FUNCTION(anonopt_lattice);
OWN_FUNCTION(anonopt_evaluate_cuts);
OWN_FUNCTION(anonopt_node_detail);
OWN_FUNCTION(anonopt_suppressed_classes);

/* The columns of anonopt.node. */
enum
{
	NODE_LEVELS, NODE_K, NODE_L, NODE_ENTROPY_L, NODE_T, NODE_SUPPRESSED, NODE_CLASSES, NODE_GLM,
	NODE_NWP, NODE_DCN, NODE_CM, NODE_NECD, NODE_SUM_K, NODE_SUM_L, NODE_FEASIBLE, NODE_SUM_OTHER,
	NODE_MODELS,				/* and the other measures of models, in their
								 * order */
	NODE_COLUMNS = NODE_MODELS + MODELS
};

Datum
levels_datum(const int *levels, int nattrs)
{
	return integers_datum(levels, nattrs);
}

/* Adds measures of models that were promised or requested. */
static void
tell_models(const Population *population, const Measures *m, Datum *values, bool *nulls)
{
	int			column = NODE_MODELS;

	for (int model = 0; model < MODELS; model++)
	{
		if (!models[model]->is_measure)
			continue;
		nulls[column] = m->classes == 0 || !(population->models & MODEL_BIT(model));
		if (models[model]->range != RANGE_COUNT)
			values[column] = Float8GetDatum(m->figures[model]);
		else if (!nulls[column])
			values[column] = Int64GetDatum((int64) m->figures[model]);
		column++;
	}
}

void
put_node(ReturnSetInfo *result, const Population *population, const int *levels, const Measures *m)
{
	bool		remains = m->classes > 0;
	bool		sensitive = population->nsensitive > 0;
	Datum		values[NODE_COLUMNS] = {0};
	bool		nulls[NODE_COLUMNS] = {0};

	nulls[NODE_LEVELS] = levels == NULL;
	nulls[NODE_K] = nulls[NODE_NECD] = !remains;
	nulls[NODE_L] = nulls[NODE_ENTROPY_L] = nulls[NODE_T] = !remains || !sensitive;
	nulls[NODE_CM] = !population->has_label;
	nulls[NODE_SUM_L] = nulls[NODE_SUM_OTHER] = !sensitive;

	if (levels != NULL)
		values[NODE_LEVELS] = levels_datum(levels, population->nattrs);
	values[NODE_K] = Int64GetDatum(m->k);
	values[NODE_L] = Int64GetDatum(m->l);
	values[NODE_ENTROPY_L] = Float8GetDatum(m->entropy_l);
	values[NODE_T] = Float8GetDatum(m->t);
	values[NODE_SUPPRESSED] = Int64GetDatum(m->suppressed);
	values[NODE_CLASSES] = Int64GetDatum(m->classes);
	values[NODE_GLM] = Float8GetDatum(m->glm);
	values[NODE_NWP] = Float8GetDatum(m->nwp);
	values[NODE_DCN] = Float8GetDatum(m->dcn);
	values[NODE_CM] = Float8GetDatum(m->cm);
	values[NODE_NECD] = Float8GetDatum(m->necd);
	values[NODE_SUM_K] = Float8GetDatum(m->sum_k);
	values[NODE_SUM_L] = Float8GetDatum(m->sum_l);
	values[NODE_FEASIBLE] = BoolGetDatum(m->feasible);
	values[NODE_SUM_OTHER] = Float8GetDatum(m->sum_other);
	tell_models(population, m, values, nulls);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Common state of the functions in this file. */
typedef struct Call
{
	ReturnSetInfo *result;
	Dataset    *dataset;
	Population *population;		/* NULL if there are no rows */
	Promise		promise;
	Measurer   *measurer;
	MemoryContext node_context; /* reset after each node */
	int64		visited;
} Call;

/* Reads the relation after checking the arguments; returns false if it is empty. */
static bool
begin_call(Call *call)
{
	call->population = population_argument(call->dataset);
	if (call->population == NULL)
		return false;
	call->promise.limit = share_of_people(call->dataset->max_suppression, call->population->people);
	call->measurer = measurer_create(call->population, &call->promise);
	call->node_context = AllocSetContextCreate(call->population->context, "anonopt node",
											   ALLOCSET_DEFAULT_SIZES);
	return true;
}

/* Measures one node and adds its row; levels are NULL for cuts. */
static void
put_measured(Call *call, Recodings node, const int *levels)
{
	MemoryContext old = MemoryContextSwitchTo(call->node_context);
	Measures	measures;

	measure_alone(call->measurer, node, &measures);
	put_node(call->result, call->population, levels, &measures);
	MemoryContextSwitchTo(old);
	MemoryContextReset(call->node_context);
}

static Datum
anonopt_evaluate_call(PG_FUNCTION_ARGS)
{
	Call		call = {0};
	int		  **nodes;
	int			nnodes;

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	call.dataset = dataset_argument(fcinfo);
	nodes = levels_argument(fcinfo, "levels", call.dataset, &nnodes);
	call.promise = promise_arguments(fcinfo, call.dataset);
	if (!begin_call(&call))
		return (Datum) 0;
	for (int i = 0; i < nnodes; i++)
	{
		const Recoding **node = node_of_levels(call.population, nodes[i]);

		CHECK_FOR_INTERRUPTS();
		put_measured(&call, node, nodes[i]);
		pfree(node);
	}
	return (Datum) 0;
}

static bool
put_visited(void *arg, const int *levels, const Measures *measures)
{
	Call	   *call = arg;
	MemoryContext old = MemoryContextSwitchTo(call->node_context);

	call->visited++;
	put_node(call->result, call->population, levels, measures);
	progress_update(call->visited, call->visited);
	MemoryContextSwitchTo(old);
	MemoryContextReset(call->node_context);
	return true;
}

static Datum
anonopt_lattice_call(PG_FUNCTION_ARGS)
{
	Call		call = {0};
	Session    *session;
	int			workers;

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	call.dataset = dataset_argument(fcinfo);
	call.promise = promise_arguments(fcinfo, call.dataset);
	session = session_begin(ALGORITHM_LATTICE, call.dataset);
	begin_call(&call);
	session_read(session, call.population);
	if (call.population == NULL)
		return (Datum) 0;
	workers = lattice_measure(call.population, &call.promise, max_workers(), put_visited, &call);
	session_end(session, call.visited, workers, true);
	return (Datum) 0;
}

static Datum
anonopt_evaluate_cuts_call(PG_FUNCTION_ARGS)
{
	Call		call = {0};
	Datum	   *cuts;
	int			nnodes;
	int			nattrs;

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	call.dataset = dataset_argument(fcinfo);
	nattrs = dataset_count_role(call.dataset, ROLE_QUASI_IDENTIFIER);
	cuts = cuts_argument(fcinfo, "cuts", call.dataset, &nnodes);
	call.promise = promise_arguments(fcinfo, call.dataset);
	if (!begin_call(&call))
		return (Datum) 0;
	for (int i = 0; i < nnodes; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(call.node_context);
		const Recoding **node = node_of_cuts(call.population, cuts + i * nattrs);

		MemoryContextSwitchTo(old);
		CHECK_FOR_INTERRUPTS();
		put_measured(&call, node, NULL);
	}
	return (Datum) 0;
}

static Datum
anonopt_node_detail_call(PG_FUNCTION_ARGS)
{
	Call		call = {0};
	double		losses[MAX_ATTRIBUTES];
	const Recoding **node;
	int		   *levels;

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	call.dataset = dataset_argument(fcinfo);
	levels = node_argument(fcinfo, "levels", call.dataset);
	promise_add_declared(&call.promise, call.dataset);
	if (!begin_call(&call))
		return (Datum) 0;
	node = node_of_levels(call.population, levels);
	attribute_losses(call.measurer, node, population_classes(call.population, node, call.node_context), losses);
	for (int a = 0; a < call.population->nattrs; a++)
	{
		Datum		values[4];
		bool		nulls[4] = {0};

		values[0] = name_datum(call.population->attrs[a].name);
		values[1] = Int32GetDatum(levels[a]);
		values[2] = Int64GetDatum(node[a]->nlabels);
		values[3] = Float8GetDatum(losses[a]);
		tuplestore_putvalues(call.result->setResult, call.result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* Labels of a class, from its key. */
static Datum
labels_datum(const Population *population, const int *levels, const uint64 *key)
{
	const char *labels[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		labels[a] = attr->hierarchy->labels[levels[a]][key_get(key, &attr->field)];
	}
	return texts_datum(labels, population->nattrs);
}

static Datum
breaks_datum(int breaks)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int model = 0; model < MODELS; model++)
		if (breaks & MODEL_BIT(model))
			appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", model_name((PromiseModel) model));
	return CStringGetTextDatum(text.data);
}

/* Classes in the order of their labels in the domains. */
static int
compare_keys(const void *a, const void *b, void *arg)
{
	int			nwords = *(int *) arg;
	const uint64 *x = *(const uint64 *const *) a;
	const uint64 *y = *(const uint64 *const *) b;

	for (int word = 0; word < nwords; word++)
		if (x[word] != y[word])
			return x[word] < y[word] ? -1 : 1;
	return 0;
}

static Datum
anonopt_suppressed_classes_call(PG_FUNCTION_ARGS)
{
	Call		call = {0};
	int		   *levels;
	TupleTable *classes;
	const uint64 **keys;
	int			nwords;
	int64		threshold;

	InitMaterializedSRF(fcinfo, 0);
	call.result = (ReturnSetInfo *) fcinfo->resultinfo;
	call.dataset = dataset_argument(fcinfo);
	levels = node_argument(fcinfo, "levels", call.dataset);
	call.promise = promise_arguments(fcinfo, call.dataset);
	if (!begin_call(&call))
		return (Datum) 0;

	classes = population_classes(call.population, node_of_levels(call.population, levels), call.node_context);
	measurer_look_outside(call.measurer, node_of_levels(call.population, levels), classes);
	threshold = size_threshold(call.measurer, classes);
	nwords = call.population->nwords;
	keys = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64 *) * ((Size) classes->ntuples + 1));
	for (uint32 i = 0; i < classes->ntuples; i++)
		keys[i] = classes->keys + (Size) i * nwords;
	qsort_arg(keys, classes->ntuples, sizeof(uint64 *), compare_keys, &nwords);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		uint32		class = (uint32) ((keys[i] - classes->keys) / nwords);
		int			breaks = class_breaks(call.measurer, classes, class, threshold);
		Datum		values[3];
		bool		nulls[3] = {0};

		CHECK_FOR_INTERRUPTS();
		if (breaks == 0)
			continue;
		values[0] = labels_datum(call.population, levels, keys[i]);
		values[1] = Int64GetDatum(class_people(call.population, classes, class));
		values[2] = breaks_datum(breaks);
		tuplestore_putvalues(call.result->setResult, call.result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
