/*
 * pbg_ea.c
 *	  PBG-EA: an evolutionary search for property based generalizations.
 *
 * The algorithm of Dewri, Ray, Ray and Whitley.  The nodes of a generation and
 * of the archive are the parents of the next generation.  A node's fitness is
 * the sum, over the nodes that dominate it, of how many nodes each of those
 * dominates, so less is better and 0 means not dominated.  Every node is
 * measured once in a run and offered to the archive of boxes.
 *
 * Beyond the paper, part of the offspring may be unmeasured neighbours of the
 * archive's nodes, and a child that is known, or that cannot enter the archive
 * whatever its measures, may be mutated again.
 */
#include "search/searches.h"

#include "base/bytes.h"
#include "base/progress.h"
#include "miscadmin.h"
#include "search/lower_bounds.h"
#include "search/shared_nodes.h"

/* Milliseconds that a visit of a tuple takes, at least. */
#define VISIT_TIME 1.5e-8

/* How often to mutate a child in search of one that is worth measuring. */
#define MOST_MUTATIONS 20

typedef struct Run
{
	Evolution  *evolution;
	const Population *population;
	Prng		prng;
	double		most_nodes;		/* the most that can be measured */
	MeasuredSet *measured;
	NodeSet    *known;			/* its nodes: every one that occurred */
	Archive    *archive;		/* items are their numbers */
	LeastCosts *least_costs;	/* bounds for unmeasured nodes, or NULL */
	uint32	   *parents;		/* the generation's nodes */
	uint32	   *children;
} Run;

static bool
is_over(const Run *run)
{
	return time_is_up(run->evolution->deadline, &run->measured->in_time);
}

static bool
is_full(const Run *run)
{
	return nodeset_size(run->known) >= run->most_nodes;
}

/* The number of a node; NO_NODE if it is new and no more may be measured. */
static uint32
admit(Run *run, const int *levels)
{
	return is_full(run) ? nodeset_find(run->known, levels) : nodeset_add(run->known, levels);
}

static void
costs_of(const Run *run, uint32 number, double *costs)
{
	bounded_costs(run->population, &run->evolution->objectives, &run->measured->measures[number], costs);
}

/* Measures the new nodes and offers them to the archive, in order. */
static void
measure_new(Run *run)
{
	MeasuredSet *measured = run->measured;
	uint32		first = measured->nmeasured;
	double		costs[MAX_OBJECTIVES];

	measured_set_complete(measured);
	for (uint32 number = first; number < measured->nmeasured; number++)
	{
		CHECK_FOR_INTERRUPTS();
		costs_of(run, number, costs);
		archive_offer(run->archive, number, costs);
		if (run->least_costs != NULL)
			least_costs_learn(run->least_costs, measured->items[number - first].levels, &measured->measures[number]);
	}
	progress_update(measured->nmeasured, archive_size(run->archive));
}

/* The first generation: the top, the bottom, then random nodes. */
static void
first_generation(Run *run)
{
	int			levels[MAX_ATTRIBUTES];

	for (int i = 0; i < run->evolution->size; i++)
	{
		for (int a = 0; a < run->population->nattrs; a++)
		{
			const Attribute *attr = &run->population->attrs[a];

			if (i < 2)
				levels[a] = i == 0 ? attr->max_level : attr->min_level;
			else
				levels[a] = attr->min_level + prng_below(&run->prng, span_of(run->population, a));
		}
		run->parents[i] = admit(run, levels);
		if (run->parents[i] == NO_NODE)
			run->parents[i] = 0;
	}
}

/* The possible parents: a generation and the archive, each once unless copies are allowed. */
typedef struct Parents
{
	int			nnodes;
	uint32	   *nodes;
	int64	   *fitness;
} Parents;

static Parents
find_parents(const Run *run)
{
	int			size = run->evolution->size;
	int			most = size + archive_size(run->archive);
	int			n = run->evolution->objectives.n;
	Parents		parents = {.nodes = palloc(sizeof(uint32) * most)};
	double	   *costs = palloc(sizeof(double) * most * n);
	int		   *strength = palloc0(sizeof(int) * most); /* how many it dominates */

	memcpy(parents.nodes, run->parents, sizeof(uint32) * size);
	for (int i = 0; i < archive_size(run->archive); i++)
		parents.nodes[size + i] = archive_member(run->archive, i)->item;
	qsort(parents.nodes, most, sizeof(uint32), compare_uint32s);
	for (int i = 0; i < most; i++)
		if (i == 0 || run->evolution->copies || parents.nodes[i] != parents.nodes[i - 1])
			parents.nodes[parents.nnodes++] = parents.nodes[i];
	parents.fitness = palloc0(sizeof(int64) * parents.nnodes);
	for (int i = 0; i < parents.nnodes; i++)
		costs_of(run, parents.nodes[i], costs + i * n);
	for (int i = 0; i < parents.nnodes && !is_over(run); i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < parents.nnodes; j++)
			strength[i] += dominates(costs + i * n, costs + j * n, n);
	}
	for (int i = 0; i < parents.nnodes && !is_over(run); i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < parents.nnodes; j++)
			if (dominates(costs + j * n, costs + i * n, n))
				parents.fitness[i] += strength[j];
	}
	return parents;
}

/* Moves a level up or down by one; at an end the other way, or not at all. */
static void
mutate(Run *run, int *levels)
{
	for (int a = 0; a < run->population->nattrs; a++)
	{
		const Attribute *attr = &run->population->attrs[a];
		int			step;

		if (prng_unit(&run->prng) >= run->evolution->mutation || span_of(run->population, a) == 1)
			continue;
		step = prng_below(&run->prng, 2) == 0 ? 1 : -1;
		if (levels[a] + step < attr->min_level || levels[a] + step > attr->max_level)
			step = run->evolution->stays ? 0 : -step;
		levels[a] += step;
	}
}

/* Whether a node is new and, as far as known, may enter the archive. */
static bool
is_promising(const Run *run, const int *levels)
{
	double		costs[MAX_OBJECTIVES];

	if (nodeset_find(run->known, levels) != NO_NODE)
		return false;
	least_costs_of(run->least_costs, levels, costs);
	return !archive_refuses(run->archive, costs);
}

/* The number of a mutant of some levels, or NO_NODE if it may not be measured. */
static uint32
mutant(Run *run, const int *levels)
{
	int			child[MAX_ATTRIBUTES];

	for (int i = 0; i < MOST_MUTATIONS; i++)
	{
		memcpy(child, levels, sizeof(int) * run->population->nattrs);
		mutate(run, child);
		if (run->least_costs == NULL || is_promising(run, child))
			return admit(run, child);
	}
	return nodeset_find(run->known, child);
}

/* Two children of two parents, who take the places of children that may not be measured. */
static void
breed(Run *run, const Parents *possible, uint32 *children, int nchildren)
{
	int			levels[2][MAX_ATTRIBUTES];
	uint32		parents[2];
	int			nattrs = run->population->nattrs;

	for (int i = 0; i < 2; i++)
	{
		uint32		one = prng_below(&run->prng, possible->nnodes);
		uint32		other = prng_below(&run->prng, possible->nnodes);

		parents[i] = possible->nodes[possible->fitness[other] < possible->fitness[one] ? other : one];
		nodeset_levels(run->known, parents[i], levels[i]);
	}
	if (nattrs > 1 && prng_unit(&run->prng) < run->evolution->crossover)
		for (int a = 1 + prng_below(&run->prng, nattrs - 1); a < nattrs; a++)
		{
			int			swap = levels[0][a];

			levels[0][a] = levels[1][a];
			levels[1][a] = swap;
		}
	for (int i = 0; i < nchildren; i++)
	{
		children[i] = mutant(run, levels[i]);
		if (children[i] == NO_NODE)
			children[i] = parents[i];
	}
}

/* Finds an unmeasured neighbour of the archive, from a random place on; false if none. */
static bool
explore(Run *run, uint32 *child)
{
	int			nattrs = run->population->nattrs;
	uint32		nplaces = archive_size(run->archive) * nattrs * 2;
	uint32		start = prng_below(&run->prng, nplaces);
	int			levels[MAX_ATTRIBUTES];

	if (is_full(run))
		return false;
	for (uint32 i = 0; i < nplaces; i++)
	{
		uint32		place = (start + i) % nplaces;
		int			a = place / 2 % nattrs;
		const Attribute *attr = &run->population->attrs[a];

		nodeset_levels(run->known, archive_member(run->archive, place / 2 / nattrs)->item, levels);
		levels[a] += place % 2 == 0 ? 1 : -1;
		if (levels[a] < attr->min_level || levels[a] > attr->max_level ||
			nodeset_find(run->known, levels) != NO_NODE ||
			(run->least_costs != NULL && !is_promising(run, levels)))
			continue;
		*child = nodeset_add(run->known, levels);
		return true;
	}
	return false;
}

/* Builds the next generation, if there is time. */
static void
reproduce(Run *run)
{
	Parents		parents = find_parents(run);
	int			size = run->evolution->size;
	int			i = 0;

	while (i < size && !is_over(run))
	{
		int			two = Min(2, size - i);

		if (run->evolution->local_search > 0 && prng_unit(&run->prng) < run->evolution->local_search &&
			explore(run, &run->children[i]))
		{
			i++;
			continue;
		}
		breed(run, &parents, run->children + i, two);
		i += two;
	}
}

/* Lists the archive: for each member, the first of the measured nodes with its costs. */
static void
list_archive(Run *run)
{
	Evolution  *evolution = run->evolution;
	int			nattrs = run->population->nattrs;
	int			levels[MAX_ATTRIBUTES];
	double		costs[MAX_OBJECTIVES];

	evolution->nfound = archive_size(run->archive);
	evolution->found = palloc(sizeof(MeasuredNode) * evolution->nfound);
	for (int i = 0; i < evolution->nfound; i++)
	{
		MeasuredNode *found = &evolution->found[i];
		const ArchiveMember *member = archive_member(run->archive, i);

		CHECK_FOR_INTERRUPTS();
		found->levels = palloc(sizeof(int) * nattrs);
		nodeset_levels(run->known, member->item, found->levels);
		for (uint32 number = 0; number < run->measured->nmeasured && !is_over(run); number++)
		{
			costs_of(run, number, costs);
			if (memcmp(costs, member->costs, sizeof(double) * evolution->objectives.n) != 0)
				continue;
			nodeset_levels(run->known, number, levels);
			if (compare_levels(levels, found->levels, nattrs) < 0)
				memcpy(found->levels, levels, sizeof(int) * nattrs);
		}
		found->measures = run->measured->measures[nodeset_find(run->known, found->levels)];
	}
	sort_nodes(evolution->found, evolution->nfound, &evolution->objectives, nattrs);
}

void
pbg_ea(Evolution *evolution)
{
	Population *population = evolution->population;
	MemoryContext old = MemoryContextSwitchTo(population->context);
	MemoryContext generation = AllocSetContextCreate(CurrentMemoryContext, "anonopt generation", ALLOCSET_DEFAULT_SIZES);
	double		columns = 1 + 10.0 * population->ncolumns;
	double		visits = columns * population->tuples->ntuples * evolution->size * evolution->iterations;
	Run		   *run = palloc0(sizeof(Run));

	run->evolution = evolution;
	run->population = population;
	run->prng.state = evolution->seed;
	run->most_nodes = lattice_nodes(population);
	if (evolution->most_nodes > 0)
		run->most_nodes = Min(run->most_nodes, evolution->most_nodes);
	run->measured = measured_set_create(population, &evolution->promise, evolution->size,
										evolution->deadline, VISIT_TIME * visits >= WORTH_WORKERS ? evolution->workers : 0);
	run->known = run->measured->nodes;
	run->archive = archive_create(population->context, evolution->objectives.n, evolution->epsilon);
	if (evolution->bounds)
		run->least_costs = least_costs_create(population, &evolution->promise, &evolution->objectives);
	run->parents = palloc(sizeof(uint32) * evolution->size);
	run->children = palloc(sizeof(uint32) * evolution->size);
	first_generation(run);
	measure_new(run);
	for (int i = 0; i < evolution->iterations && !is_full(run) && !is_over(run); i++)
	{
		uint32	   *swap = run->parents;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(generation);
		reproduce(run);
		MemoryContextSwitchTo(population->context);
		MemoryContextReset(generation);
		if (is_over(run))
			break;
		run->parents = run->children;
		run->children = swap;
		measure_new(run);
	}
	evolution->helped = worker_pool_end(run->measured->pool);
	evolution->evaluated = run->measured->nmeasured;
	evolution->in_time = run->measured->in_time;
	list_archive(run);
	MemoryContextSwitchTo(old);
}
