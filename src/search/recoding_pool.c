/*
 * recoding_pool.c
 *	  Merges a few tuples into classes.
 *
 * Each tuple starts as its own cluster, or with those that a node would show
 * alike.  A cluster that breaks the promise is repeatedly merged with the one
 * that costs least.  The cost of a merger is the loss of both together minus
 * the sum of their losses, so that a good class is not spoilt for a straggler.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"
#include "miscadmin.h"

Pool *
pool_create(const Ground *ground, int room, int most_clusters)
{
	Pool	   *pool = MemoryContextAllocZero(ground->context, sizeof(Pool));
	MemoryContext old = MemoryContextSwitchTo(ground->context);
	Size		n = most_clusters;

	budget_require(ground->order->population->context, n * n * sizeof(int64) + room * 2 * sizeof(int));
	pool->ground = ground;
	pool->room = room;
	pool->most_clusters = most_clusters;
	pool->items = palloc(sizeof(uint32) * room);
	pool->cluster_of = palloc(sizeof(int) * room);
	pool->boxes = palloc(sizeof(uint32) * n * 2 * Max(ground->nattrs, 1));
	pool->people = palloc(sizeof(int64) * n);
	pool->loss = palloc(sizeof(int64) * n);
	pool->cost = palloc(sizeof(int64) * n);
	pool->kept = palloc(sizeof(bool) * n);
	/* one more than clusters, for a tuple that joins one */
	pool->slices = palloc(sizeof(uint32) * (n + 1) * (ground->ncolumns + 1));
	pool->joined = palloc(sizeof(int) * n);
	pool->live = palloc(sizeof(int) * n);
	pool->partner = palloc(sizeof(int) * n);
	pool->price = MemoryContextAllocHuge(ground->context, sizeof(int64) * n * n);
	pool->marks = palloc(sizeof(HistogramMark) * (ground->ncolumns + 1));
	for (int column = 0; column < ground->ncolumns; column++)
		pool->marks[column] = histograms_mark(ground->order->population->columns[column]);
	pool->coarsening = coarsening_create(ground, room);
	MemoryContextSwitchTo(old);
	return pool;
}

void
pool_clear(Pool *pool)
{
	for (int column = 0; column < pool->ground->ncolumns; column++)
		histograms_release(pool->ground->order->population->columns[column], pool->marks[column]);
	pool->nitems = 0;
	pool->nclusters = 0;
}

static inline uint32 *
cluster_box(const Pool *pool, int cluster)
{
	return pool->boxes + (Size) cluster * 2 * pool->ground->nattrs;
}

static inline uint32 *
cluster_slices(const Pool *pool, int cluster)
{
	return pool->slices + (Size) cluster * pool->ground->ncolumns;
}

/* Computes a cluster's cost, given its box, people and histograms. */
static void
settle_cluster(Pool *pool, int cluster)
{
	const Ground *ground = pool->ground;
	int64		people = pool->people[cluster];

	pool->loss[cluster] = box_loss(ground, cluster_box(pool, cluster));
	pool->cost[cluster] = class_cost(ground, people, pool->loss[cluster], cluster_slices(pool, cluster));
	pool->kept[cluster] = keeps_promise(ground, cluster_box(pool, cluster), people, cluster_slices(pool, cluster));
}

void
pool_add(Pool *pool, uint32 tuple)
{
	Assert(pool->nitems < pool->room);
	pool->items[pool->nitems++] = tuple;
}

/* Merges the histograms of two clusters into the first. */
static void
join_slices(const Ground *ground, uint32 *slices, const uint32 *others)
{
	for (int column = 0; column < ground->ncolumns; column++)
	{
		uint32		both[2] = {slices[column], others[column]};

		slices[column] = histograms_join(ground->order->population->columns[column], both, 2);
	}
}

/* Starts a cluster with a tuple. */
static void
begin_cluster(Pool *pool, int cluster, uint32 tuple)
{
	const Ground *ground = pool->ground;
	const TupleTable *tuples = ground->order->population->tuples;

	pool->people[cluster] = ground->people[tuple];
	box_of_tuple(ground, tuple, cluster_box(pool, cluster));
	for (int column = 0; column < ground->ncolumns; column++)
		cluster_slices(pool, cluster)[column] = tuples->slices[column][ground->tuple[tuple]];
	pool->joined[cluster] = cluster;
}

/* Adds a tuple to an existing cluster. */
static void
extend_cluster(Pool *pool, int cluster, uint32 tuple)
{
	const Ground *ground = pool->ground;
	const TupleTable *tuples = ground->order->population->tuples;
	uint32		box[2 * MAX_ATTRIBUTES];
	uint32	   *slices = cluster_slices(pool, pool->most_clusters);

	pool->people[cluster] += ground->people[tuple];
	box_of_tuple(ground, tuple, box);
	box_extend(ground, cluster_box(pool, cluster), box);
	for (int column = 0; column < ground->ncolumns; column++)
		slices[column] = tuples->slices[column][ground->tuple[tuple]];
	join_slices(ground, cluster_slices(pool, cluster), slices);
}

/* Creates the initial clusters of the items, numbered by their first items. */
static void
form_clusters(Pool *pool)
{
	int			n = 0;

	for (int i = 0; i < pool->nitems; i++)
	{
		if (pool->cluster_of[i] == n)
			begin_cluster(pool, n++, pool->items[i]);
		else
			extend_cluster(pool, pool->cluster_of[i], pool->items[i]);
	}
	pool->nclusters = pool->nlive = n;
	for (int cluster = 0; cluster < n; cluster++)
	{
		settle_cluster(pool, cluster);
		pool->live[cluster] = cluster;
	}
}

/* The cost of people outside the majority of two merged clusters. */
static int64
joint_minority_cost(const Pool *pool, int a, int b)
{
	const Ground *ground = pool->ground;
	Histograms *h = ground->order->population->columns[ground->order->population->nsensitive];
	int			column = ground->order->population->nsensitive;
	uint32		both[2] = {cluster_slices(pool, a)[column], cluster_slices(pool, b)[column]};
	HistogramMark mark = histograms_mark(h);

	/* merging may move the slices */
	uint32		joined = histograms_join(h, both, 2);
	int64		most = h->slices[joined].most;

	histograms_release(h, mark);
	return ground->minority_unit * (pool->people[a] + pool->people[b] - most);
}

static inline int64
merge_price(const Pool *pool, int a, int b)
{
	const Ground *ground = pool->ground;
	int64		loss = joint_loss(ground, cluster_box(pool, a), cluster_box(pool, b));
	int64		cost = size_cost(ground, pool->people[a] + pool->people[b], loss);

	if (unlikely(ground->minority_unit > 0))
		cost += joint_minority_cost(pool, a, b);
	return cost - pool->cost[a] - pool->cost[b];
}

/* Raises a price randomly; with much noise, even that of free mergers. */
static inline int64
noisy(const Pool *pool, int64 price, Prng *prng, uint32 noise)
{
	int64		base = noise < 256 ? price : price + pool->ground->whole_loss / 16;

	return noise == 0 ? price : price + ((base * (int64) prng_below(prng, noise)) >> 8);
}

static inline int64 *
price_row(const Pool *pool, int cluster)
{
	return pool->price + (Size) cluster * pool->nclusters;
}

static int
cheapest_partner(const Pool *pool, int cluster)
{
	const int64 *row = price_row(pool, cluster);
	int64		least = PG_INT64_MAX;
	int			best = -1;

	for (int i = 0; i < pool->nlive; i++)
	{
		int			other = pool->live[i];

		if (other != cluster && row[other] < least)
		{
			least = row[other];
			best = other;
		}
	}
	return best;
}

static void
price_all(Pool *pool, Prng *prng, uint32 noise)
{
	for (int i = 0; i < pool->nclusters; i++)
	{
		if (i % 64 == 63)
			CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
			price_row(pool, i)[j] = price_row(pool, j)[i] = noisy(pool, merge_price(pool, i, j), prng, noise);
	}
	for (int i = 0; i < pool->nclusters; i++)
		if (!pool->kept[i])
			pool->partner[i] = cheapest_partner(pool, i);
}

/* The cluster to merge next, or -1 if all keep the promise. */
static int
next_to_merge(const Pool *pool, MergeOrder order)
{
	int64		least_people = PG_INT64_MAX;
	int64		least = PG_INT64_MAX;
	int			next = -1;

	for (int i = 0; i < pool->nlive; i++)
	{
		int			cluster = pool->live[i];
		int64		people = order == MERGE_SMALLEST ? pool->people[cluster] : 0;
		int64		price;

		if (pool->kept[cluster] || people > least_people)
			continue;
		price = price_row(pool, cluster)[pool->partner[cluster]];
		if (people < least_people || price < least)
		{
			least_people = people;
			least = price;
			next = cluster;
		}
	}
	return next;
}

/* Merges a cluster with another, which is removed. */
static void
merge_clusters(Pool *pool, int cluster, int other)
{
	int			at = 0;

	box_extend(pool->ground, cluster_box(pool, cluster), cluster_box(pool, other));
	pool->people[cluster] += pool->people[other];
	join_slices(pool->ground, cluster_slices(pool, cluster), cluster_slices(pool, other));
	settle_cluster(pool, cluster);
	pool->joined[other] = cluster;
	while (pool->live[at] != other)
		at++;
	pool->live[at] = pool->live[--pool->nlive];
}

/*
 * Updates the prices of mergers with a changed cluster, and the cheapest
 * partners of the others.
 */
static void
price_merged(Pool *pool, int cluster, int gone, Prng *prng, uint32 noise)
{
	for (int i = 0; i < pool->nlive; i++)
	{
		int			other = pool->live[i];

		if (other != cluster)
			price_row(pool, cluster)[other] = price_row(pool, other)[cluster] =
				noisy(pool, merge_price(pool, cluster, other), prng, noise);
	}
	for (int i = 0; i < pool->nlive; i++)
	{
		int			other = pool->live[i];
		int			partner = pool->partner[other];

		if (pool->kept[other])
			continue;
		if (other == cluster || partner == gone || partner == cluster)
			pool->partner[other] = cheapest_partner(pool, other);
		else if (price_row(pool, other)[cluster] < price_row(pool, other)[partner])
			pool->partner[other] = cluster;
	}
}

/* Merges the clusters; without randomness if noise is 0. */
static int64
merge_all(Pool *pool, MergeOrder order, Prng *prng, uint32 noise)
{
	int64		cost = 0;
	int			cluster;

	form_clusters(pool);
	if (pool->nlive > 1)
		price_all(pool, prng, noise);
	while (pool->nlive > 1 && (cluster = next_to_merge(pool, order)) >= 0)
	{
		int			other = pool->partner[cluster];

		CHECK_FOR_INTERRUPTS();
		merge_clusters(pool, cluster, other);
		if (pool->nlive > 1)
			price_merged(pool, cluster, other, prng, noise);
	}
	for (int i = 0; i < pool->nlive; i++)
	{
		if (!pool->kept[pool->live[i]])
			return PG_INT64_MAX;
		cost += pool->cost[pool->live[i]];
	}
	return cost;
}

int64
pool_merge(Pool *pool, MergeOrder order)
{
	Assert(pool->nitems <= pool->most_clusters);
	for (int i = 0; i < pool->nitems; i++)
		pool->cluster_of[i] = i;
	return merge_all(pool, order, NULL, 0);
}

int64
pool_merge_by_chance(Pool *pool, MergeOrder order, Prng *prng, uint32 noise)
{
	if (coarsen(pool->coarsening, pool->items, pool->nitems, prng, pool->cluster_of) > pool->most_clusters)
		return PG_INT64_MAX;
	return merge_all(pool, order, prng, noise);
}

/* The cluster that an item ended in. */
static int
last_cluster(const Pool *pool, int item)
{
	int			cluster = pool->cluster_of[item];

	while (pool->joined[cluster] != cluster)
		cluster = pool->joined[cluster];
	return cluster;
}

void
pool_put(const Pool *pool, DraftClasses *classes)
{
	/* joined has the clusters; partner is reused for their classes */
	int		   *class_of = pool->partner;

	for (int i = 0; i < pool->nclusters; i++)
		class_of[i] = -1;
	for (int i = 0; i < pool->nitems; i++)
	{
		int			cluster = last_cluster(pool, i);

		if (class_of[cluster] < 0)
		{
			RecodingClass *class;

			class_of[cluster] = class_add(classes);
			class = &classes->classes[class_of[cluster]];
			class->loss = pool->loss[cluster];
			class->cost = pool->cost[cluster];
			classes->cost += class->cost;
		}
		class_take(classes, class_of[cluster], pool->items[i]);
	}
}
