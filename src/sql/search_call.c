/*
 * search_call.c
 *	  Code shared by the SQL functions of all searches.
 */
#include "sql/search_call.h"

#include "catalog/sql.h"
#include "engine/lattice.h"
#include "read/population_read.h"
#include "utils/builtins.h"

static bool
promises_model(const Dataset *dataset, PromiseModel model)
{
	for (int i = 0; i < dataset->npromises; i++)
		if (dataset->promises[i].model == model)
			return true;
	return false;
}

/* An objective, or a loss, by name; fails if the data set lacks the column that it needs. */
static Objective
objective_named(const char *name, const Dataset *dataset, bool losses)
{
	const char *names[OBJECTIVES];
	Objective	objective;
	int			model;
	int			n = 0;

	for (int i = 0; i < OBJECTIVES; i++)
		if (is_objective(i) && (!losses || !objective_rises((Objective) i)))
			names[n++] = objective_name((Objective) i);
	(void) require_choice(losses ? "loss" : "objective", name, losses ? "Losses" : "Objectives", names, n, ", ");
	objective = (Objective) objective_by_name(name);
	model = objective_model(objective);
	if (objective_columns(objective) == OF_SENSITIVE_COLUMNS)
		require_sensitive(dataset, objective_name(objective));
	if (model >= 0 && model_needs_population((PromiseModel) model) && !promises_model(dataset, (PromiseModel) model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s needs a population, but data set \"%s\" has no promise with one", objective_name(objective), dataset->name),
				 errhint("Declare one with anonopt.add_promise.")));
	if (objective_columns(objective) == OF_CLASS_LABEL && dataset_count_role(dataset, ROLE_CLASS_LABEL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s needs a class label, but data set \"%s\" has none", objective_name(objective), dataset->name),
				 errhint("Set one with anonopt.set_class_label.")));
	return objective;
}

Objective
loss_argument(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	return objective_named(name_argument(fcinfo, "loss"), dataset, true);
}

Objective
recoding_loss_argument(FunctionCallInfo fcinfo, const Dataset *dataset)
{
	static const char *const losses[] = {"glm", "nwp", "dcn", "cm"};
	char	   *name = name_argument(fcinfo, "loss");

	(void) require_choice("loss", name, "Losses of a recoding", losses, lengthof(losses), " and ");
	return objective_named(name, dataset, true);
}

Objectives
objectives_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset)
{
	Objectives	objectives;
	Datum	   *names;
	bool	   *nulls;
	int			n;

	deconstruct_array(array_argument(fcinfo, name, TEXTARRAYOID), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	if (n < 1 || n > MAX_OBJECTIVES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("between 1 and %d objectives are expected, not %d", MAX_OBJECTIVES, n)));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("objectives must not be null")));
		objectives.of[i] = objective_named(TextDatumGetCString(names[i]), dataset, false);
		for (int j = 0; j < i; j++)
			if (objectives.of[i] == objectives.of[j])
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("objective \"%s\" is named twice", objective_name(objectives.of[i]))));
	}
	objectives.n = n;
	return objectives;
}

int64
span_argument(FunctionCallInfo fcinfo, const char *name)
{
	Interval	nothing = {0};
	Interval	century = {.month = 100 * MONTHS_PER_YEAR};
	TimestampTz now = GetCurrentTimestamp();
	Datum		span;

	if (!is_given(fcinfo, name))
		return 0;
	span = get_argument(fcinfo, name, INTERVALOID);
	if (DatumGetInt32(DirectFunctionCall2(interval_cmp, span, IntervalPGetDatum(&nothing))) <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be positive", strcmp(name, "time_limit") == 0 ? "time limit" : name)));
	/* a time that may be beyond the last one limits nothing */
	if (DatumGetInt32(DirectFunctionCall2(interval_cmp, span, IntervalPGetDatum(&century))) > 0)
		return 0;
	return Max(DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(now), span)) - now, 1);
}

int64
deadline_argument(FunctionCallInfo fcinfo)
{
	int64		span = span_argument(fcinfo, "time_limit");

	return span == 0 ? 0 : GetCurrentTimestamp() + span;
}

bool
call_read(SearchCall *call)
{
	call->population = population_argument(call->dataset);
	if (call->population == NULL)
		return false;
	call->promise.limit = share_of_people((1 - call->headroom) * call->dataset->max_suppression, call->population->people);
	return true;
}

bool
search_read(SearchCall *call, Algorithm algorithm, const int64 *seed)
{
	bool		any;

	call->session = session_begin(algorithm, call->dataset);
	if (seed != NULL)
		session_seed(call->session, *seed);
	any = call_read(call);
	session_read(call->session, call->population);
	return any;
}

Population *
searched_population(Population *population, const Objectives *objectives)
{
	for (int i = 0; i < objectives->n; i++)
	{
		if (objective_model(objectives->of[i]) >= 0)
			population_ask(population, (PromiseModel) objective_model(objectives->of[i]));
		population->asks_spread |= objective_is_spread(objectives->of[i]);
	}
	for (int i = 0; i < objectives->n; i++)
		if (objective_columns(objectives->of[i]) != OF_NO_OTHERS)
			return population;
	return population_narrow(population);
}

Datum
labels_datum(const Population *population, const uint64 *key, const int *levels, bool of_leaves)
{
	const char *labels[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;
		uint32		code = key_get(key, &population->attrs[a].field);

		labels[a] = hierarchy->labels[levels[a]][of_leaves ? hierarchy->levels[levels[a]].label_of[code] : code];
	}
	return texts_datum(labels, population->nattrs);
}

void
put_node(ResultRow *row, const Population *population, const int *levels, const Measures *measures)
{
	if (levels != NULL)
		put_datum(row, "levels", INT4ARRAYOID, integers_datum(levels, population->nattrs));
	for (int i = 0; i < OBJECTIVES; i++)
	{
		Objective	objective = (Objective) i;

		if (!is_objective(i) || !objective_is_known(objective, population, measures))
			continue;
		if (objective_is_count(objective))
			put_count(row, objective_name(objective), (int64) objective_value(objective, measures));
		else
			put_number(row, objective_name(objective), objective_value(objective, measures));
	}
	if (measures->k_known > 0)
		put_count(row, "k_known", measures->k_known);
	put_bool(row, "feasible", measures->feasible);
	row_add(row);
}

void
put_found(const SearchCall *call, const Population *searched, int nnodes, MeasuredNode *nodes)
{
	Population *population = call->population;

	if (searched->ncolumns < population->ncolumns || population->nknown > 0)
		remeasure_nodes(population, &call->promise, nnodes, nodes);
	/* a node can be infeasible only if something is promised */
	for (int i = 0; i < nnodes; i++)
		if (nodes[i].measures.feasible)
			put_node(call->row, population, nodes[i].levels, &nodes[i].measures);
}
