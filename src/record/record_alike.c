/*
 * record_alike.c
 *	  Searches for any goal, if labels need only be alike.
 *
 * Labels that are alike do not divide the entries into classes, and labels
 * above them may be less alike.  So levels are chosen for all tuples together,
 * any entry may match until a node is complete, and a tuple leaves the search
 * of a prefix when weight and utility alone rule it out.
 */
#include "record/record_parts.h"

#include "base/progress.h"

typedef struct Choosing
{
	RecordRun  *run;
	const Reach *reach;
	double		risk_of_one;	/* of a weight of 1, if everybody matches */
	int			levels[MAX_ATTRIBUTES];
	uint32	   *hopeful[MAX_ATTRIBUTES + 1];	/* tuples, by depth */
	uint32		nhopeful[MAX_ATTRIBUTES + 1];
} Choosing;

/* Keeps the tuples that may still find a better answer. */
static void
keep_hopeful(Choosing *c, int depth)
{
	uint32		kept = 0;

	if (c->hopeful[depth] == NULL)
		c->hopeful[depth] = population_alloc(c->run->population, sizeof(uint32), (Size) c->run->population->tuples->ntuples + 1);
	for (uint32 i = 0; i < c->nhopeful[depth - 1]; i++)
	{
		uint32		tuple = c->hopeful[depth - 1][i];
		Prospect	prospect = prospect_of(c->reach, depth, chosen_weight(c->reach, depth, tuple, c->levels),
										   chosen_utility(c->reach, depth, tuple, c->levels), c->risk_of_one);

		if (prospect.possible && !is_hopeless(c->reach, &prospect, tuple))
			c->hopeful[depth][kept++] = tuple;
	}
	c->nhopeful[depth] = kept;
}

/* Chooses the levels from a depth on, most general first. */
static void
choose_from(Choosing *c, int depth)
{
	RecordRun  *run = c->run;
	int			a = c->reach->order[depth];
	const Attribute *attr = &run->population->attrs[a];

	for (int level = attr->max_level; level >= attr->min_level && !out_of_time(run); level--)
	{
		c->levels[a] = level;
		keep_hopeful(c, depth + 1);
		if (c->nhopeful[depth + 1] == 0)
			continue;
		if (depth + 1 < run->population->nattrs)
		{
			choose_from(c, depth + 1);
			continue;
		}
		/* offer the complete node to the tuples that are left */
		go_to_node(run, c->levels);
		run->search->evaluated++;
		progress_update(run->search->evaluated, 0);
		for (uint32 i = 0; i < c->nhopeful[depth + 1]; i++)
		{
			uint32		tuple = c->hopeful[depth + 1][i];

			visit_node(run, tuple, c->levels, risk_at(run, tuple, c->levels),
					   record_utility(run->model, leaves_of(run, tuple), c->levels));
		}
	}
}

void
search_alike(RecordRun *run)
{
	Choosing   *c = palloc0(sizeof(Choosing));
	uint32		ntuples = run->population->tuples->ntuples;

	offer_samples(run);
	c->run = run;
	c->reach = reach_create(run);
	for (int i = 0; i < run->nmatches; i++)
	{
		const Outsiders *entries = run->dictionaries[i].entries;

		run->people[i] = entries == NULL ? run->population->people : 0;
		for (uint32 j = 0; entries != NULL && j < entries->ntuples; j++)
			run->people[i] += entries->counts[j];
	}
	c->risk_of_one = mean_risk(run, 1, run->people);
	c->hopeful[0] = population_alloc(run->population, sizeof(uint32), (Size) ntuples + 1);
	for (uint32 i = 0; i < ntuples; i++)
		c->hopeful[0][i] = i;
	c->nhopeful[0] = ntuples;
	choose_from(c, 0);
	count_visits(run);
}
