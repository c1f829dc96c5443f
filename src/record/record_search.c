/*
 * record_search.c
 *	  Searches for a generalization per record, by risk and utility.
 *
 * Records that share a tuple share the answer.  Least risk, if it is monotone,
 * is found by the paper's frontier as long as that is affordable, because the
 * nodes on it are what the paper counts; everything else by bounds.
 */
#include "record/record_search.h"

#include <math.h>

#include "base/prng.h"
#include "record/record_parts.h"

/* The most nodes that are gone through, and the most tuples at all of them. */
#define MOST_NODES 300000
#define MOST_FRONTIER_WORK 1e9

/* The same for counting the nodes of a search from the top. */
#define MOST_COUNTED_WORK 2e10

/* Whether the risk never rises when a record is generalized further. */
static bool
risk_is_monotone(const RecordSearch *search)
{
	return search->model->risk != RISK_ENTROPY && search->similarity == 0;
}

/*
 * Offers the lowest and the highest node, so that every record with an answer
 * has one before time is up.
 */
static void
offer_ends(RecordRun *run)
{
	int			levels[MAX_ATTRIBUTES];

	for (int end = 0; end < 2; end++)
	{
		for (int a = 0; a < run->population->nattrs; a++)
			levels[a] = end == 0 ? run->population->attrs[a].min_level : run->population->attrs[a].max_level;
		go_to_node(run, levels);
		for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
			offer_node(run, i, levels, risk_at(run, i, levels), record_utility(run->model, leaves_of(run, i), levels));
	}
}

/* Fails if different people would have to be counted by labels that are alike. */
static void
require_countable(const RecordRun *run)
{
	for (int i = 0; i < run->nmatches; i++)
		if (run->search->similarity > 0 && counts_persons(run->population, run->dictionaries[i].entries))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("records of people with several rows cannot be matched by similarity"),
					 errdetail("Each class of every node would have to be counted by its different people."),
					 errhint("Leave out similarity, or name a dictionary with a row per person.")));
}

void
record_search(RecordSearch *search)
{
	MemoryContext work = AllocSetContextCreate(search->population->context, "anonopt records", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	RecordRun  *run = record_run_begin(search);
	double		everything = (double) run->nnodes * search->population->tuples->ntuples;
	bool		is_monotone = search->goal == GOAL_LEAST_RISK && risk_is_monotone(search);

	require_countable(run);
	search->in_time = true;
	offer_ends(run);
	if (search->similarity > 0)
		search_alike(run);
	else if (is_monotone && run->nnodes <= MOST_NODES && everything <= MOST_FRONTIER_WORK)
		search_frontier(run);
	else
		search_by_bounds(run);
	if (search->general_first && is_monotone && search->in_time &&
		run->nnodes <= MOST_NODES && everything <= MOST_COUNTED_WORK)
		count_general_first(run);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/* ---------------------------------- the best answers so far, close together */

static void
read_answer(const RecordRun *run, uint32 tuple, BestSoFar *best)
{
	const RecordAnswer *answer = answer_of(run->search, tuple);

	best->cost = answer->found ? record_cost(run->search, answer->risk, answer->utility) : HUGE_VAL;
	best->risk = answer->found ? answer->risk : HUGE_VAL;
	best->utility = answer->found ? answer->utility : -HUGE_VAL;
}

BestSoFar *
best_so_far(const RecordRun *run)
{
	uint32		ntuples = run->population->tuples->ntuples;
	BestSoFar  *all = record_alloc(run->population, sizeof(BestSoFar), (Size) ntuples + 1);

	for (uint32 i = 0; i < ntuples; i++)
	{
		read_answer(run, i, &all[i]);
		all[i].visited = 0;
	}
	return all;
}

void
offer_to_best(RecordRun *run, BestSoFar *all, uint32 tuple, const int *levels, double risk, double utility)
{
	BestSoFar  *best = &all[tuple];

	best->visited++;
	if (record_cost(run->search, risk, utility) > best->cost)
		return;
	offer_node(run, tuple, levels, risk, utility);
	read_answer(run, tuple, best);
}

/*
 * Every tuple has seen the lowest and the highest node.  First answers may be
 * visited again, but no more nodes are counted than there are.
 */
void
count_best_visits(const RecordRun *run, const BestSoFar *all)
{
	for (uint32 i = 0; i < run->population->tuples->ntuples; i++)
	{
		RecordAnswer *answer = answer_of(run->search, i);

		answer->visited = Min(answer->visited + all[i].visited + 2, run->nnodes);
	}
}

/* ----------------------------------------- first answers, from random nodes */

/* At most so many, and at most one node in so many. */
#define MOST_SAMPLES 500
#define NODES_PER_SAMPLE 64

/*
 * Climbs from the bottom along random attributes as long as a tuple's utility
 * allows.
 */
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
			count_node(run, number_of_node(run, levels));
		else
			run->search->evaluated++;
		for (uint32 tuple = 0; tuple < run->population->tuples->ntuples; tuple++)
		{
			answer_of(run->search, tuple)->visited++;
			offer_node(run, tuple, levels, risk_at(run, tuple, levels),
					   record_utility(run->model, leaves_of(run, tuple), levels));
		}
	}
}
