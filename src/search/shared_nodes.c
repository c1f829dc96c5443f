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
