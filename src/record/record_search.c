/*
 * record_search.c
 *	  A generalization per record: by risk and utility.
 *
 * Records that share a tuple share the answer, and all share the classes of
 * every node.  So searches go node by node, each for all tuples at once, as
 * long as the lattice is small enough to be gone through.  Where it is not,
 * tuples are searched one by one, by bounds.
 */
#include "record/record_parts.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "miscadmin.h"
#include "search/front.h"
#include "utils/timestamp.h"

/* The most nodes to go through, and tuples at all of them. */
#define MOST_NODES 300000
#define MOST_WORK 2e10

void
levels_of_node(const RecordRun *run, int64 node, int *levels)
{
	for (int a = 0; a < run->population->nattrs; a++)
	{
		const Attribute *attr = &run->population->attrs[a];

		levels[a] = attr->min_level + node / run->stride[a] % (attr->max_level - attr->min_level + 1);
	}
}

/* Whether no risk rises when a record is generalized further. */
static bool
risk_is_monotone(const RecordSearch *search)
{
	return search->model->risk != RISK_ENTROPY && search->similarity == 0;
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

static RecordRun *
begin_run(RecordSearch *search)
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

/* The lowest and the highest node: an answer for whoever has one, before time is up. */
static void
offer_ends(RecordRun *run)
{
	int			levels[MAX_ATTRIBUTES];

	for (int end = 0; end < 2; end++)
	{
		for (int a = 0; a < run->population->nattrs; a++)
			levels[a] = end == 0 ? run->population->attrs[a].min_level : run->population->attrs[a].max_level;
		matches_go(run->matches, levels);
		for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
			offer_node(run, i, levels, risk_at(run, i, levels), record_utility(run->model, leaves_of(run, i), levels));
	}
}

/* Anything, node by node. */
static void
search_all_nodes(RecordRun *run)
{
	RecordSearch *search = run->search;
	uint32		ntuples = run->population->tuples->ntuples;
	int			levels[MAX_ATTRIBUTES];

	for (int64 node = 0; node < run->nnodes && !out_of_time(run); node++)
	{
		levels_of_node(run, node, levels);
		matches_go(run->matches, levels);
		search->evaluated++;
		progress_update(search->evaluated, 0);
		for (uint32 i = 0; i < ntuples; i++)
		{
			double		utility = record_utility(run->model, leaves_of(run, i), levels);

			/* a search from the top has no reason to stop before */
			if (search->goal == GOAL_LEAST_RISK && !(utility >= search->bound) && !search->general_first)
				continue;
			answer_of(search, i)->visited++;
			offer_node(run, i, levels, risk_at(run, i, levels), utility);
		}
	}
}

void
record_search(RecordSearch *search)
{
	MemoryContext work = AllocSetContextCreate(search->population->context, "anonopt records", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	RecordRun  *run = begin_run(search);
	bool		is_small = run->nnodes <= MOST_NODES &&
	(double) run->nnodes * search->population->tuples->ntuples <= MOST_WORK;

	search->in_time = true;
	offer_ends(run);
	if (!is_small)
		search_by_bounds(run);
	else if (search->goal == GOAL_LEAST_RISK && risk_is_monotone(search))
	{
		search_frontier(run);
		if (search->general_first && search->in_time)
			count_general_first(run);
	}
	else
		search_all_nodes(run);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
