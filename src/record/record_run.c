/*
 * record_run.c
 *	  A search for records' generalizations while it goes on.
 */
#include "record/record_run.h"

#include "base/budget.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

void
levels_of_node(const RecordRun *run, int64 node, int *levels)
{
	for (int a = 0; a < run->population->nattrs; a++)
	{
		const Attribute *attr = &run->population->attrs[a];

		levels[a] = attr->min_level + node / run->stride[a] % (attr->max_level - attr->min_level + 1);
	}
}

/* How much a node is to be preferred: less is better. */
static double
cost(const RecordSearch *search, double risk, double utility)
{
	switch (search->goal)
	{
		case GOAL_MOST_UTILITY:
			return -utility;
		case GOAL_BALANCE:
			return risk - search->bound * utility;
		default:
			return risk;
	}
}

static bool
is_better(const RecordSearch *search, uint32 tuple, const int *levels, double risk, double utility)
{
	const RecordAnswer *answer = answer_of(search, tuple);
	int			answer_nodes[MAX_ATTRIBUTES];
	double		old = cost(search, answer->risk, answer->utility);
	double		new = cost(search, risk, utility);

	if (new != old)
		return new < old;
	if (risk != answer->risk)
		return risk < answer->risk;
	if (utility != answer->utility)
		return utility > answer->utility;
	answer_levels(search, tuple, answer_nodes);
	return compare_levels(levels, answer_nodes, search->population->nattrs) < 0;
}

void
offer_node(RecordRun *run, uint32 tuple, const int *levels, double risk, double utility)
{
	const RecordSearch *search = run->search;
	RecordAnswer *answer = answer_of(search, tuple);

	if (search->goal == GOAL_LEAST_RISK && !(utility >= search->bound))
		return;
	if (search->goal == GOAL_MOST_UTILITY && !(risk <= search->bound))
		return;
	if (answer->found && !is_better(search, tuple, levels, risk, utility))
		return;
	answer->found = true;
	answer->risk = risk;
	answer->utility = utility;
	for (int a = 0; a < search->population->nattrs; a++)
		answer->levels[a] = levels[a];
}

double
risk_at(RecordRun *run, uint32 tuple, const int *levels)
{
	double		weight = run->model->risk == RISK_IDENTITY ? 0 : record_weight(run->model, leaves_of(run, tuple), levels);

	return record_risk(run->model->risk, weight, matches_of(run->matches, tuple));
}

bool
out_of_time(RecordRun *run)
{
	CHECK_FOR_INTERRUPTS();
	if (run->search->in_time && run->search->deadline != 0 && GetCurrentTimestamp() >= run->search->deadline)
		run->search->in_time = false;
	return !run->search->in_time;
}

RecordRun *
record_run_begin(RecordSearch *search)
{
	const Population *population = search->population;
	uint32		ntuples = population->tuples->ntuples;
	RecordRun  *run = palloc0(sizeof(RecordRun));

	run->search = search;
	run->context = CurrentMemoryContext;
	run->population = population;
	run->model = search->model;
	run->matches = matches_create(population, search->entries, search->similarity);
	search->answer_size = MAXALIGN(offsetof(RecordAnswer, levels) + sizeof(uint16) * population->nattrs);
	budget_require(population->context, (sizeof(uint32) * population->nattrs + search->answer_size) * (Size) ntuples);
	run->leaves = MemoryContextAllocHuge(run->context, sizeof(uint32) * population->nattrs * ((Size) ntuples + 1));
	search->answers = MemoryContextAllocExtended(population->context, search->answer_size * ((Size) ntuples + 1),
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < ntuples; i++)
		for (int a = 0; a < population->nattrs; a++)
			run->leaves[(Size) i * population->nattrs + a] =
				key_get(population->tuples->keys + (Size) i * population->nwords, &population->attrs[a].field);
	run->nnodes = 1;
	for (int a = population->nattrs - 1; a >= 0; a--)
	{
		int			span = population->attrs[a].max_level - population->attrs[a].min_level + 1;

		run->stride[a] = run->nnodes;
		run->nnodes = run->nnodes > PG_INT64_MAX / span ? PG_INT64_MAX : run->nnodes * span;
	}
	return run;
}
