/*
 * recoding_pool.h
 *	  Merges a few tuples into classes.
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
	int		   *cluster_of;		/* by item: its initial cluster */
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
	int		   *partner;		/* the cheapest cluster to merge with */
	int64	   *price;			/* of merging, by two clusters */
	HistogramMark *marks;
	struct Coarsening *coarsening;
} Pool;

/* Creates a pool, given the most tuples and the most initial clusters. */
extern Pool *pool_create(const Ground *ground, int room, int most_clusters);
extern void pool_clear(Pool *pool);
extern void pool_add(Pool *pool, uint32 tuple);

/*
 * Merges until every class keeps the promise.  Returns their total cost, or
 * PG_INT64_MAX, with one class left, if the promise cannot be kept.
 */
extern int64 pool_merge(Pool *pool, MergeOrder order);

/*
 * The same with randomness: prices are raised by up to noise/256, and if there
 * are many tuples, they start in clusters that some node shows alike.  Also
 * returns PG_INT64_MAX if those are too many.
 */
extern int64 pool_merge_by_chance(Pool *pool, MergeOrder order, Prng *prng, uint32 noise);

/* Turns the clusters into classes; their tuples must be without a class. */
extern void pool_put(const Pool *pool, Classes *classes);

#endif
