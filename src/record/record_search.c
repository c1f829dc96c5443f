/*
 * record_search.c
 *	  Searches for a generalization per record, by risk and utility.
 *
 * Records that share a tuple share the answer, and all share the classes of
 * every node.  So a search visits node by node, each for all tuples at once,
 * as long as the lattice is small enough for a full pass.  If it is not,
 * tuples are searched one by one, using bounds.
 */
#include "record/record_search.h"

#include "base/progress.h"
#include "record/record_bound.h"
#include "record/record_frontier.h"

/* The most nodes of a full pass, and the most tuples at all of them. */
#define MOST_NODES 300000
#define MOST_WORK 2e10

/* The most nodes of a search that counts only at the frontier. */
#define MOST_FRONTIER_NODES 3000000

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

/* Searches for any goal, node by node. */
static void
search_all_nodes(RecordRun *run)
{
	RecordSearch *search = run->search;
	uint32		ntuples = run->population->tuples->ntuples;
	int			levels[MAX_ATTRIBUTES];

	for (int64 node = 0; node < run->nnodes && !out_of_time(run); node++)
	{
		levels_of_node(run, node, levels);
		go_to_node(run, levels);
		search->evaluated++;
		progress_update(search->evaluated, 0);
		for (uint32 i = 0; i < ntuples; i++)
		{
			double		utility = record_utility(run->model, leaves_of(run, i), levels);

			/* a search from the top has no reason to stop earlier */
			if (search->goal == GOAL_LEAST_RISK && !(utility >= search->bound) && !search->general_first)
				continue;
			answer_of(search, i)->visited++;
			offer_node(run, i, levels, risk_at(run, i, levels), utility);
		}
	}
}

/* Whether different people are counted, of whom bounds of entries say nothing. */
static bool
counts_people(const RecordRun *run)
{
	for (int i = 0; i < run->nmatches; i++)
		if (counts_persons(run->population, run->dictionaries[i].entries))
			return true;
	return false;
}

/* Fails if different people would have to be counted by bounds, or by labels that are alike. */
static void
require_countable(const RecordRun *run, bool without_bounds)
{
	bool		equal = run->search->similarity == 0;

	if (!counts_people(run) || (without_bounds && equal))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg(!equal ? "records of people with several rows cannot be matched by similarity" :
					"the lattice is too large to count people with several rows"),
			 errdetail("Each class of every node would have to be counted by its different people."),
			 !equal ? errhint("Leave out similarity, or name a dictionary with a row per person.") :
			 errhint("Use fewer levels or quasi-identifiers, or name a dictionary with a row per person.")));
}

void
record_search(RecordSearch *search)
{
	MemoryContext work = AllocSetContextCreate(search->population->context, "anonopt records", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	RecordRun  *run = record_run_begin(search);
	bool		is_small = run->nnodes <= MOST_NODES &&
	(double) run->nnodes * search->population->tuples->ntuples <= MOST_WORK;
	bool		has_frontier = search->goal == GOAL_LEAST_RISK && risk_is_monotone(search) && run->nnodes <= MOST_FRONTIER_NODES;

	require_countable(run, is_small || has_frontier);
	search->in_time = true;
	offer_ends(run);
	if (has_frontier)
	{
		/* an answer in case time runs out */
		if (!is_small && search->deadline != 0)
			offer_samples(run);
		search_frontier(run);
		if (search->general_first && search->in_time && is_small)
			count_general_first(run);
	}
	else if (is_small)
		search_all_nodes(run);
	else
		search_by_bounds(run);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
