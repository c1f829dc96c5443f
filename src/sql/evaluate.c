/*
 * evaluate.c
 *	  SQL: evaluate, lattice, evaluate_cuts, node_detail, suppressed_classes,
 *	  policy_check.
 */
#include "base/compat.h"

#include "engine/known_columns.h"
#include "engine/known_rows.h"
#include "engine/lattice.h"
#include "label/cut_bits.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "sql/search_call.h"

/* Measures nodes one by one. */
typedef struct NodeCall
{
	SearchCall	search;
	Measurer   *measurer;
	MemoryContext context;		/* reset after each node */
	int64		visited;
} NodeCall;

/* Reads the relation after the arguments are checked; returns false if it is empty. */
static bool
read_relation(NodeCall *call)
{
	if (!call_read(&call->search))
		return false;
	call->measurer = measurer_create(call->search.population, &call->search.promise);
	call->context = AllocSetContextCreate(call->search.population->context, "anonopt node", ALLOCSET_DEFAULT_SIZES);
	return true;
}

/* evaluate and evaluate_cuts, which differ in how nodes are given. */
OWN_FUNCTION(anonopt_evaluate)
{
	NodeCall	call = {.search.row = result_begin(fcinfo),.search.dataset = node_dataset_argument(fcinfo)};
	const Dataset *dataset = call.search.dataset;
	bool		by_cuts = takes_argument(fcinfo, "cuts");
	int			nnodes;
	Datum	   *cuts = by_cuts ? cuts_argument(fcinfo, "cuts", dataset, &nnodes) : NULL;
	int		  **levels = by_cuts ? NULL : levels_argument(fcinfo, "levels", dataset, &nnodes);
	const Population *population;
	MemoryContext old;

	call.search.promise = promise_arguments(fcinfo, call.search.dataset);
	if (!read_relation(&call))
		return (Datum) 0;
	population = call.search.population;
	old = MemoryContextSwitchTo(call.context);
	for (int i = 0; i < nnodes; i++)
	{
		Measures	measures;

		CHECK_FOR_INTERRUPTS();
		measure_alone(call.measurer, by_cuts ? node_of_cuts(population, cuts + i * population->nattrs) :
					  node_of_levels(population, levels[i]), &measures);
		put_node(call.search.row, population, by_cuts ? NULL : levels[i], &measures);
		MemoryContextReset(call.context);
	}
	MemoryContextSwitchTo(old);
	return (Datum) 0;
}

static bool
put_visited(void *arg, const int *levels, const Measures *measures)
{
	NodeCall   *call = arg;
	MemoryContext old = MemoryContextSwitchTo(call->context);

	call->visited++;
	put_node(call->search.row, call->search.population, levels, measures);
	progress_update(call->visited, call->visited);
	MemoryContextSwitchTo(old);
	MemoryContextReset(call->context);
	return true;
}

OWN_FUNCTION(anonopt_lattice)
{
	NodeCall	call = {.search.row = result_begin(fcinfo),.search.dataset = node_dataset_argument(fcinfo)};
	SearchCall *search = &call.search;
	int			helped;

	search->promise = promise_arguments(fcinfo, search->dataset);
	if (!search_read(search, ALGORITHM_LATTICE, NULL))
		return (Datum) 0;
	call.context = AllocSetContextCreate(search->population->context, "anonopt node", ALLOCSET_DEFAULT_SIZES);
	helped = lattice_measure(search->population, &search->promise, max_workers(), 0, put_visited, &call);
	session_end(search->session, call.visited, helped, true);
	return (Datum) 0;
}

/* The number of a node's labels of an attribute that somebody has. */
static int64
labels_that_occur(const Population *population, Recodings node, int a)
{
	bool	   *occurs = palloc0(sizeof(bool) * ((Size) node[a]->nlabels + 1));
	const uint64 *key = population->tuples->keys;
	int64		labels = 0;

	for (uint32 i = 0; i < population->tuples->ntuples; i++, key += population->nwords)
	{
		bool	   *met = &occurs[node[a]->label_of[key_get(key, &population->attrs[a].field)]];

		labels += *met ? 0 : 1;
		*met = true;
	}
	pfree(occurs);
	return labels;
}

OWN_FUNCTION(anonopt_node_detail)
{
	NodeCall	call = {.search.row = result_begin(fcinfo),.search.dataset = node_dataset_argument(fcinfo)};
	ResultRow  *row = call.search.row;
	int		   *levels = node_argument(fcinfo, "levels", call.search.dataset);
	const Population *population;
	const Recoding **node;
	double		losses[MAX_ATTRIBUTES];

	promise_add_declared(&call.search.promise, call.search.dataset);
	if (!read_relation(&call))
		return (Datum) 0;
	population = call.search.population;
	node = node_of_levels(population, levels);
	attribute_losses(call.measurer, node, population_classes(population, node, call.context), losses);
	for (int a = 0; a < population->nattrs; a++)
	{
		put_string(row, "column_name", population->attrs[a].name);
		put_count(row, "level", levels[a]);
		put_count(row, "labels", labels_that_occur(population, node, a));
		put_number(row, "loss", losses[a]);
		row_add(row);
	}
	return (Datum) 0;
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

/*
 * The models that a hidden class breaks by itself, or the promise about known columns for which it was taken away;
 * or those about known rows, one of which some of its people break.
 */
static char *
broken_promises(const Population *population, int breaks, int promise)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int model = 0; model < MODELS; model++)
		if (breaks & MODEL_BIT(model))
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", model_name((PromiseModel) model));
	for (int i = 0; i < population->nrows_known && breaks == 0; i++)
	{
		DeclaredPromise known = {.model = MODEL_K,.rows_known = population->rows_known[i].rows};

		appendStringInfo(&names, "%s%s%s", i > 0 ? ", " : "", model_name(known.model), known_text(&known));
	}
	if (breaks == 0 && population->nrows_known == 0)
	{
		DeclaredPromise known = {.model = population->known[promise].model,.columns_known = population->known[promise].columns};

		appendStringInfo(&names, "%s%s", model_name(known.model), known_text(&known));
	}
	return names.data;
}

OWN_FUNCTION(anonopt_suppressed_classes)
{
	NodeCall	call = {.search.row = result_begin(fcinfo),.search.dataset = node_dataset_argument(fcinfo)};
	ResultRow  *row = call.search.row;
	int		   *levels = node_argument(fcinfo, "levels", call.search.dataset);
	const Population *population;
	const Recoding **node;
	TupleTable *classes;
	const uint64 **keys;
	int64		threshold;
	bool	   *hidden;
	int		   *promise;
	int64	   *out;

	call.search.promise = promise_arguments(fcinfo, call.search.dataset);
	if (!read_relation(&call))
		return (Datum) 0;
	population = call.search.population;
	node = node_of_levels(population, levels);
	classes = population_classes(population, node, call.context);
	measurer_look_outside(call.measurer, node, classes);
	threshold = size_threshold(call.measurer, classes, 0);
	keys = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64 *) * ((Size) classes->ntuples + 1));
	hidden = population_alloc(population, sizeof(bool), (Size) classes->ntuples + 1);
	promise = population_alloc(population, sizeof(int), (Size) classes->ntuples + 1);
	out = known_rows_out(population, call.search.promise.k, node);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		keys[i] = classes->keys + (Size) i * population->nwords;
		hidden[i] = out != NULL ? out[i] > 0 : class_breaks(call.measurer, classes, i, threshold) != 0;
	}
	known_columns_hide_for(population, classes, hidden, promise);
	qsort_arg(keys, classes->ntuples, sizeof(uint64 *), compare_keys, (void *) &population->nwords);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		uint32		class = (uint32) ((keys[i] - classes->keys) / population->nwords);

		CHECK_FOR_INTERRUPTS();
		if (!hidden[class])
			continue;
		put_datum(row, "labels", TEXTARRAYOID, labels_datum(population, keys[i], levels, false));
		put_count(row, "size", out != NULL ? out[class] : class_people(population, classes, class));
		put_string(row, "breaks", broken_promises(population, class_breaks(call.measurer, classes, class, threshold), promise[class]));
		row_add(row);
	}
	return (Datum) 0;
}

/* ---------------- policy_check: which promises can be kept, and with how much */

/*
 * For each promise, and then for all together, finds the fewest people that a
 * node must suppress.  Visits every node until one suppresses nobody.
 */

/* The fewest people that a node suppresses to keep the promises. */
typedef struct LeastSuppression
{
	int64		people;			/* of all */
	bool		found;
	int64		least;
} LeastSuppression;

static bool
visit_node(void *arg, const int *levels, const Measures *measures)
{
	LeastSuppression *least = arg;

	/*
	 * everybody may be suppressed here, so a node is infeasible only if it
	 * breaks a promise about all classes together
	 */
	if (measures->classes == 0 || !measures->feasible)
		return true;
	if (!least->found || measures->suppressed < least->least)
		least->least = measures->suppressed;
	least->found = true;
	return least->least > 0;
}

/* Visits every node, without a limit of suppression. */
static LeastSuppression
least_suppression(const Dataset *dataset, int *helped)
{
	LeastSuppression least = {0};
	Population *population = population_argument(dataset);
	Promise		promise = {0};

	if (population == NULL)
		return least;
	promise_add_declared(&promise, dataset);
	promise.limit = population->people;
	*helped = Max(*helped, lattice_measure(population, &promise, max_workers(), 0, visit_node, &least));
	least.people = population->people;
	MemoryContextDelete(population->context);
	return least;
}

static void
put_verdict(ResultRow *row, const Dataset *dataset, const DeclaredPromise *promise, const LeastSuppression *least)
{
	put_string(row, "model", promise == NULL ? "all" : model_name(promise->model));
	if (promise != NULL)
	{
		put_string(row, "column_name", promise->column);
		put_number(row, "threshold", promise->threshold);
	}
	put_string(row, "promise", promise == NULL ? NULL : promise_text(promise));
	put_bool(row, "attainable", least->found && least->least <= share_of_people(dataset->max_suppression, least->people));
	if (least->found)
		put_number(row, "least_suppression", (double) least->least / least->people);
	row_add(row);
}

OWN_FUNCTION(anonopt_policy_check)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = node_dataset_argument(fcinfo);
	LeastSuppression least;
	int			helped = 0;

	/* fail for lack of rights, whatever is promised */
	if (dataset->npromises == 0)
		(void) population_argument(dataset);
	for (int i = 0; i < dataset->npromises; i++)
	{
		Dataset		single = *dataset;

		CHECK_FOR_INTERRUPTS();
		single.promises = &dataset->promises[i];
		single.npromises = 1;
		least = least_suppression(&single, &helped);
		put_verdict(row, dataset, &dataset->promises[i], &least);
	}
	if (dataset->npromises > 1)
	{
		least = least_suppression(dataset, &helped);
		put_verdict(row, dataset, NULL, &least);
	}
	return (Datum) 0;
}
