/*
 * record_search.c
 *	  Searches for a generalization per record, by risk and utility.
 *
 * Records that share a tuple share the answer.  Least risk, if it is monotone,
 * is found by the frontier as long as that is affordable, because only nodes on
 * it are measured; everything else by bounds.
 */
#include "record/record_search.h"

#include "record/record_parts.h"

/* The most nodes that are gone through, and the most tuples at all of them. */
#define MOST_NODES 300000
#define MOST_FRONTIER_WORK 1e9

/* The most tuples at all nodes whose visits from the top are counted. */
#define MOST_COUNTED_WORK 2e10

void
record_search(RecordSearch *search)
{
	MemoryContext work = AllocSetContextCreate(search->population->context, "anonopt records", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	RecordRun  *run = record_run_begin(search);
	int			levels[MAX_ATTRIBUTES];
	double		everything = (double) run->nnodes * search->population->tuples->ntuples;

	/* the least risk is asked for, and generalizing never raises it */
	bool		is_monotone = search->goal == GOAL_LEAST_RISK && search->model->risk != RISK_ENTROPY && search->similarity == 0;

	for (int i = 0; i < run->nmatches; i++)
		if (search->similarity > 0 && counts_persons(run->population, run->dictionaries[i].entries))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("records of people with several rows cannot be matched by similarity"),
					 errdetail("Each class of every node would have to be counted by its different people."),
					 errhint("Leave out similarity, or name a dictionary with a row per person.")));
	search->in_time = true;
	/* every record with an answer has one before time is up: an end */
	for (int end = 0; end < 2; end++)
	{
		for (int a = 0; a < search->population->nattrs; a++)
			levels[a] = end == 0 ? search->population->attrs[a].min_level : search->population->attrs[a].max_level;
		go_to_node(run, levels);
		for (uint32 i = 0; i < search->population->tuples->ntuples; i++)
			offer_node(run, i, levels, risk_at(run, i, levels), record_utility(run->model, leaves_of(run, i), levels));
	}
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
