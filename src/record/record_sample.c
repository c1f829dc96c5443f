/*
 * record_sample.c
 *	  First answers, from random nodes.
 */
#include "record/record_sample.h"

#include "base/prng.h"

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
