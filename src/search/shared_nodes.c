/*
 * shared_nodes.c
 *	  Measured nodes in shared memory, for the processes of a search.
 *
 * A process that is about to measure a node takes a place for it, and fills
 * the place afterwards.  Others read places in order, and stop at one that is
 * not filled yet.
 */
#include "search/shared_nodes.h"

#include "base/budget.h"

void
shared_nodes_begin(SharedNodes *shared, const ToldNode *known, uint32 nknown)
{
	shared->round++;
	shared->nknown = Min(nknown, SHARED_NODES / 2);
	pg_atomic_init_u32(&shared->ntaken, shared->nknown);
	for (uint32 i = 0; i < SHARED_NODES; i++)
		pg_atomic_init_u32(&shared->nodes[i].ready, i < shared->nknown);
	for (uint32 i = 0; i < shared->nknown; i++)
		shared->nodes[i].node = known[i];
}

bool
shared_nodes_take(SharedNodes *shared, uint32 *place)
{
	/* keeps the counter from running far beyond the end */
	if (pg_atomic_read_u32(&shared->ntaken) >= SHARED_NODES)
		return false;
	*place = pg_atomic_fetch_add_u32(&shared->ntaken, 1);
	return *place < SHARED_NODES;
}

void
shared_nodes_tell(SharedNodes *shared, uint32 place, const ToldNode *node)
{
	shared->nodes[place].node = *node;
	pg_write_barrier();
	pg_atomic_write_u32(&shared->nodes[place].ready, 1);
}

const ToldNode *
shared_nodes_at(SharedNodes *shared, uint32 place)
{
	if (place >= SHARED_NODES || pg_atomic_read_u32(&shared->nodes[place].ready) == 0)
		return NULL;
	pg_read_barrier();
	return &shared->nodes[place].node;
}

/* ------------------------- nodes of a lattice, numbered in order of arrival */

NodeSet *
nodeset_create(MemoryContext context, const Population *population)
{
	NodeSet    *set = MemoryContextAllocZero(context, sizeof(NodeSet));
	int			nwords = 0;
	int			left = 0;

	set->nattrs = population->nattrs;
	for (int a = 0; a < population->nattrs; a++)
		set->fields[a] = key_add_field(&nwords, &left, population->attrs[a].hierarchy->height + 1);
	set->counter = key_counter_create(context, nwords, 256);
	return set;
}

/* Writes a node's levels as the candidate key. */
static void
write_key(NodeSet *set, const int *levels)
{
	uint64	   *key = key_counter_candidate(set->counter);

	memset(key, 0, sizeof(uint64) * set->counter->nwords);
	for (int a = 0; a < set->nattrs; a++)
		key_put(key, &set->fields[a], levels[a]);
}

uint32
nodeset_find(NodeSet *set, const int *levels)
{
	write_key(set, levels);
	return key_counter_find(set->counter);
}

uint32
nodeset_add(NodeSet *set, const int *levels)
{
	write_key(set, levels);
	return key_counter_add(set->counter, 1);
}

void
nodeset_levels(const NodeSet *set, uint32 number, int *levels)
{
	const uint64 *key = set->counter->keys + (Size) number * set->counter->nwords;

	for (int a = 0; a < set->nattrs; a++)
		levels[a] = (int) key_get(key, &set->fields[a]);
}

/* ------------------------ nodes that are measured once, many at a time */

MeasuredSet *
measured_set_create(Population *population, const Promise *promise, int most_items, int64 deadline, int workers)
{
	MeasuredSet *set = palloc0(sizeof(MeasuredSet));

	set->nodes = nodeset_create(population->context, population);
	set->items = palloc0(sizeof(NodeItem) * most_items);
	set->deadline = deadline;
	set->in_time = true;
	set->order = (PoolOrder)
	{
		.work = &measure_nodes_work,.population = population,.argument = promise,.argument_size = sizeof(Promise),
			.item_size = sizeof(NodeItem),.result_size = sizeof(Measures),.most_items = most_items
	};
	set->pool = worker_pool_begin(&set->order, workers);
	return set;
}

void
measured_set_complete(MeasuredSet *set)
{
	uint32		first = set->nmeasured;
	uint32		nnew = nodeset_size(set->nodes) - first;

	for (uint32 i = 0; i < nnew; i++)
		nodeset_levels(set->nodes, first + i, set->items[i].levels);
	while (set->capacity < nodeset_size(set->nodes))
		set->measures = budget_grow(set->order.population->context, set->measures, sizeof(Measures), &set->capacity);
	nnew = worker_pool_do_until(set->pool, nnew, set->items, set->measures + first, set->deadline, &set->in_time);
	set->nmeasured += nnew;
}
