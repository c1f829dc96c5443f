/*
 * node_set.c
 *	  Nodes of a lattice, numbered in order of arrival.
 */
#include "search/node_set.h"

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
