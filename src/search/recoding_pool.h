/*
 * recoding_pool.h
 *	  A few tuples that are put into classes together, by merging.
 */
#ifndef ANONOPT_RECODING_POOL_H
#define ANONOPT_RECODING_POOL_H

#include "base/prng.h"
#include "search/recoding_classes.h"

/* Which of the classes that break the promise is merged first. */
typedef enum MergeOrder
{
	MERGE_CHEAPEST,
	MERGE_SMALLEST
} MergeOrder;

typedef struct Pool
{
	const Ground *ground;
	int			room;
	int			nitems;
	uint32	   *items;			/* tuples */
	int		   *cluster_of;		/* by item: the cluster it began in */
	int			most_clusters;
	int			nclusters;
	/* by cluster */
	uint32	   *boxes;
	int64	   *people;
	int64	   *loss;
	int64	   *cost;
	bool	   *kept;			/* the promise */
	uint32	   *slices;			/* by cluster and column */
	int		   *joined;			/* the cluster it was merged into, or itself */
	int		   *live;
	int			nlive;
	int		   *partner;		/* the cheapest to merge with */
	int64	   *price;			/* of merging, by two clusters */
	HistogramMark *marks;
	struct Coarsening *coarsening;
} Pool;

/* A pool of so many tuples, which begin in so many clusters at most. */
extern Pool *pool_create(const Ground *ground, int room, int most_clusters);
extern void pool_clear(Pool *pool);
extern void pool_add(Pool *pool, uint32 tuple);

/*
 * Merges until every class keeps the promise.  Returns what all cost, or
 * PG_INT64_MAX where the promise cannot be kept: then one class is left.
 */
extern int64 pool_merge(Pool *pool, MergeOrder order);

/*
 * The same with chance: prices are raised by so many 256ths at most, and
 * many tuples begin in clusters of what some node shows alike; PG_INT64_MAX
 * also where those are too many.
 */
extern int64 pool_merge_by_chance(Pool *pool, MergeOrder order, Prng *prng, uint32 noise);

/* Makes classes of the clusters; their tuples have none so far. */
extern void pool_put(const Pool *pool, Classes *classes);

#endif
