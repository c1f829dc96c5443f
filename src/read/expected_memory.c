/*
 * expected_memory.c
 *	  How much memory a reading and its use will need, for the hint of an error.
 */
#include "read/population_read.h"

#include "base/budget.h"
#include "catalog/pg_class.h"
#include "read/reading.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

Size
memory_of_tuples(int nwords, int ncolumns, double ntuples)
{
	double		bytes = ntuples * (180 + 80 * nwords + 280 * ncolumns) + 4 * 1024 * 1024;

	return (Size) Min(bytes, (double) MaxAllocHugeSize / 4);
}

/* More ties than that are not expected. */
#define MOST_TIES 64

/*
 * The nodes of the lattice's widest layer, which have no common path: as many
 * may be equally good for a tuple.
 */
static double
most_ties(const Reading *reading)
{
	double	   *nodes = palloc0(sizeof(double));
	double		most = 1;
	int			top = 0;

	nodes[0] = 1;
	for (int i = 0; i < reading->ncolumns && most < MOST_TIES; i++)
	{
		const ReadColumn *read = &reading->columns[i];
		int			height;

		if (read->declared == NULL || read->declared->role != ROLE_QUASI_IDENTIFIER || read->loaded == NULL)
			continue;
		height = (read->declared->max_level < 0 ? read->loaded->hierarchy->height : read->declared->max_level) - read->declared->min_level;
		if (height <= 0)
			continue;
		nodes = repalloc(nodes, sizeof(double) * (top + height + 1));
		memset(nodes + top + 1, 0, sizeof(double) * height);
		top += height;
		for (int sum = top; sum >= 0; sum--)
		{
			for (int level = 1; level <= Min(height, sum); level++)
				nodes[sum] += nodes[sum - level];
			most = Max(most, nodes[sum]);
		}
	}
	pfree(nodes);
	return Min(most, MOST_TIES);
}

void
reading_expect_tuples(const Reading *reading, double ntuples)
{
	int			ncolumns = reading->ncolumns - dataset_count_role(reading->dataset, ROLE_QUASI_IDENTIFIER);

	Size		bytes = memory_of_tuples(reading->set.nwords, ncolumns, ntuples * Max(reading->memory_times, 1));

	/* a node takes 16 bytes; twice while an array grows, and once to sort */
	if (reading->keeps_ties)
		bytes += (Size) Min(ntuples * 48 * most_ties(reading), (double) MaxAllocHugeSize / 4);
	budget_expect(bytes);
}

double
reading_expect_memory(const Reading *reading)
{
	Relation	relation = reading->relation;
	double		pages = relation->rd_rel->relpages;
	double		rows = Max(relation->rd_rel->reltuples, 0); /* the server's
															 * estimate; 0 if it has
															 * none */
	double		most = 1;

	if (relation->rd_rel->relkind == RELKIND_RELATION || relation->rd_rel->relkind == RELKIND_MATVIEW)
		rows = pages > 0 ? rows / pages * RelationGetNumberOfBlocks(relation) : 0;
	for (int i = 0; i < reading->ncolumns; i++)
		most *= reading->set.encoders[i].ncodes > 0 ? reading->set.encoders[i].ncodes : UINT64CONST(1) << 32;
	most = Min(most, 1.1 * rows);
	reading_expect_tuples(reading, most);
	return most;
}
