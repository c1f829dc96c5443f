/*
 * record_run.c
 *	  State and steps of a search for records' generalizations.
 */
#include "record/record_parts.h"

#include "base/budget.h"
#include "base/prng.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "miscadmin.h"

void
levels_of_node(const RecordRun *run, int64 node, int *levels)
{
	for (int a = 0; a < run->population->nattrs; a++)
		levels[a] = run->population->attrs[a].min_level + node / run->stride[a] % span_of(run->population, a);
}

/* The order of preference of nodes: less is better. */
static double
cost_of(const RecordSearch *search, double risk, double utility)
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
	double		old = cost_of(search, answer->risk, answer->utility);
	double		new = cost_of(search, risk, utility);

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

void
visit_node(RecordRun *run, uint32 tuple, const int *levels, double risk, double utility)
{
	answer_of(run->search, tuple)->visited++;
	offer_node(run, tuple, levels, risk, utility);
}

/*
 * Every tuple has seen the lowest and the highest node.  First answers may be
 * visited again, but no more nodes are counted than there are.
 */
void
count_visits(const RecordRun *run)
{
	for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
	{
		RecordAnswer *answer = answer_of(run->search, i);

		answer->visited = Min(answer->visited + 2, run->nnodes);
	}
}

void
go_to_node(RecordRun *run, const int *levels)
{
	for (int i = 0; i < run->nmatches; i++)
		matches_go(run->matches[i], levels);
}

double
mean_risk(const RecordRun *run, double weight, const int64 *people)
{
	double		risk = 0;

	if (run->nmatches == 1)
		return record_risk(run->model->risk, weight, Max(people[0], 1));
	for (int i = 0; i < run->nmatches; i++)
		risk += run->dictionaries[i].share * record_risk(run->model->risk, weight, Max(people[i], 1));
	return risk;
}

double
risk_at(RecordRun *run, uint32 tuple, const int *levels)
{
	double		weight = run->model->risk == RISK_IDENTITY ? 0 : record_weight(run->model, tuple, leaves_of(run, tuple), levels);

	for (int i = 0; i < run->nmatches; i++)
		run->people[i] = matches_of(run->matches[i], tuple);
	return mean_risk(run, weight, run->people);
}

bool
out_of_time(RecordRun *run)
{
	CHECK_FOR_INTERRUPTS();
	return time_is_up(run->search->deadline, &run->search->in_time);
}

RecordRun *
record_run_begin(RecordSearch *search)
{
	static const HeldDictionary itself = {NULL, 1};
	const Population *population = search->population;
	uint32		ntuples = population->tuples->ntuples;
	RecordRun  *run = palloc0(sizeof(RecordRun));

	run->search = search;
	run->context = CurrentMemoryContext;
	run->population = population;
	run->model = search->model;
	run->nmatches = Max(search->ndictionaries, 1);
	run->dictionaries = search->ndictionaries > 0 ? search->dictionaries : &itself;
	run->people = palloc(sizeof(int64) * run->nmatches);
	run->matches = palloc(sizeof(Matches *) * run->nmatches);
	for (int i = 0; i < run->nmatches; i++)
		run->matches[i] = matches_create(population, run->dictionaries[i].entries, search->similarity);
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
		int			span = span_of(population, a);

		run->stride[a] = run->nnodes;
		run->nnodes = run->nnodes > PG_INT64_MAX / span ? PG_INT64_MAX : run->nnodes * span;
	}
	return run;
}

/* At most so many, and at most one node in so many. */
#define MOST_SAMPLES 500
#define NODES_PER_SAMPLE 64

/* Climbs from the bottom along random attributes as long as a tuple's utility allows. */
static void
climb_at_random(const RecordRun *run, Prng *prng, int *levels)
{
	const Population *population = run->population;
	const uint32 *leaves = leaves_of(run, prng_below(prng, population->tuples->ntuples));
	int			refused = 0;

	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].min_level;
	while (refused < 4 * population->nattrs)
	{
		int			a = prng_below(prng, population->nattrs);

		refused++;
		if (levels[a] == population->attrs[a].max_level)
			continue;
		levels[a]++;
		if (run->search->goal == GOAL_LEAST_RISK && !(record_utility(run->model, leaves, levels) >= run->search->bound))
			levels[a]--;
		else if (run->search->goal != GOAL_LEAST_RISK && prng_below(prng, 16) == 0)
			return;
		else
			refused = 0;
	}
}

void
offer_samples(RecordRun *run)
{
	Prng		prng = {1};
	int64		samples = Min(run->nnodes / NODES_PER_SAMPLE, MOST_SAMPLES);
	int			levels[MAX_ATTRIBUTES];

	if (run->population->tuples->ntuples == 0)
		return;
	for (int64 i = 0; i < samples && !out_of_time(run); i++)
	{
		climb_at_random(run, &prng, levels);
		go_to_node(run, levels);
		if (run->counted != NULL)
		{
			int64		node = 0;

			for (int a = 0; a < run->population->nattrs; a++)
				node += run->stride[a] * (levels[a] - run->population->attrs[a].min_level);
			count_node(run, node);
		}
		else
			run->search->evaluated++;
		for (uint32 tuple = 0; tuple < run->population->tuples->ntuples; tuple++)
			visit_node(run, tuple, levels, risk_at(run, tuple, levels), record_utility(run->model, leaves_of(run, tuple), levels));
	}
}
