/*
 * shared_nodes.c
 *	  Measured nodes in shared memory, for the processes of a search.
 *
 * A process that is about to measure a node takes a place for it, and fills
 * the place afterwards.  Others read places in order, and stop at one that is
 * not filled yet.
 */
#include "search/shared_nodes.h"

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
