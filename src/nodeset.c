/*
 * nodeset.c
 *	  Nodes of a lattice, numbered as they come.
 */
#include "nodeset.h"

NodeSet *
nodeset_create(MemoryContext context, const Population *population)
{
	NodeSet    *set = MemoryContextAllocZero(context, sizeof(NodeSet));
	int			nwords = 0;
	int			left = 0;

	set->nattrs = population->nattrs;
	for (int a = 0; a < population->nattrs; a++)
		set->fields[a] = key_add_field(&nwords, &left, population->attrs[a].hierarchy->height + 1);
	set->tally = tally_create(context, nwords, 256);
	return set;
}

/* Writes a node's levels as the candidate key. */
static void
write_key(NodeSet *set, const int *levels)
{
	uint64	   *key = tally_candidate(set->tally);

	memset(key, 0, sizeof(uint64) * set->tally->nwords);
	for (int a = 0; a < set->nattrs; a++)
		key_put(key, &set->fields[a], levels[a]);
}

uint32
nodeset_find(NodeSet *set, const int *levels)
{
	write_key(set, levels);
	return tally_find(set->tally);
}

uint32
nodeset_add(NodeSet *set, const int *levels)
{
	write_key(set, levels);
	return tally_add(set->tally, 1);
}

void
nodeset_levels(const NodeSet *set, uint32 number, int *levels)
{
	const uint64 *key = set->tally->keys + (Size) number * set->tally->nwords;

	for (int a = 0; a < set->nattrs; a++)
		levels[a] = (int) key_get(key, &set->fields[a]);
}
