/*
 * recoding_clustering.c
 *	  Merges a few tuples into classes.
 *
 * Each tuple starts as its own cluster, or with those that a node would show
 * alike.  A cluster that breaks the promise is repeatedly merged with the one
 * that costs least.  A merger costs what the people of both clusters lose more
 * than before: to widen a large class for one distant tuple is expensive.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"
#include "miscadmin.h"

/* The number of clusters is from this to three times as many. */
#define FEW_CLUSTERS 25

/* The price of raising a level: not known yet; cannot be raised. */
#define UNKNOWN (-1)
#define NEVER PG_INT64_MAX

/* --------------------------------- clusters that a node would show alike */

/*
 * Merging hundreds of tuples one by one takes quadratic time, and does not
 * build large classes well anyway.  So levels are raised first, always the
 * cheapest one, until few clusters are left.  Clusters that are large enough
 * to be a class are set aside.  Random noise on the prices makes another
 * attempt at the same tuples start with different clusters.
 */

void
alike_groups_init(AlikeGroups *groups, const Ground *ground, Size room)
{
	Size		n = pg_nextpower2_64(Max(2 * room, 64));

	groups->groups = memset(population_alloc(ground->order->population, sizeof(AlikeGroup), n), 0, sizeof(AlikeGroup) * n);
	groups->mask = n - 1;
	groups->round = 0;
}

typedef struct Coarsening
{
	const Ground *ground;
	AlikeGroups alike;
	const uint32 *tuples;
	Prng	   *prng;
	int			level[MAX_ATTRIBUTES];
	int64		price[MAX_ATTRIBUTES];	/* of raising the attribute's level */
	/* by tuple; a cluster has the number of one of its tuples */
	int		   *joined;			/* the cluster it was merged into, or itself */
	int		   *next_joined;	/* if a level is raised: the one to join */
	int64	   *people;
	int			nopen;			/* clusters that may still grow */
	int		   *open;
	int			nlarge;			/* those that are large enough */
} Coarsening;

static inline uint32
cluster_code(const Coarsening *coarsening, int cluster, int a)
{
	return ground_codes(coarsening->ground, coarsening->tuples[cluster])[a];
}

/*
 * Sets aside clusters that are large enough.  If values must be distributed as
 * among all people, no size is enough.
 */
static void
set_large_aside(Coarsening *coarsening)
{
	const Ground *ground = coarsening->ground;
	int			nopen = 0;

	if (ground->compares_shares)
		return;
	for (int i = 0; i < coarsening->nopen; i++)
	{
		if (coarsening->people[coarsening->open[i]] >= ground->smallest)
			coarsening->nlarge++;
		else
			coarsening->open[nopen++] = coarsening->open[i];
	}
	coarsening->nopen = nopen;
}

/* Estimates the price of raising an attribute's level; NEVER if that merges nothing. */
static int64
raising_price(const Coarsening *coarsening, int a)
{
	const Axis *axis = &coarsening->ground->axes[a];
	int			level = coarsening->level[a];
	bool		differ = false;
	int64		price = 0;

	if (level + 1 >= axis->nlevels)
		return NEVER;
	for (int i = 0; i < coarsening->nopen; i++)
	{
		int			cluster = coarsening->open[i];
		uint32		code = cluster_code(coarsening, cluster, a);

		differ |= axis->label[level][code] != axis->label[level][cluster_code(coarsening, coarsening->open[0], a)];
		price += coarsening->people[cluster] * (axis->level_loss[level + 1][code] - axis->level_loss[level][code]);
	}
	return differ ? price / 16 * (16 + (int64) prng_below(coarsening->prng, 64)) : NEVER;
}

/* The attribute whose level is raised next, or -1. */
static int
cheapest_attribute(Coarsening *coarsening)
{
	int64		least = NEVER;
	int			best = -1;

	for (int a = 0; a < coarsening->ground->nattrs; a++)
	{
		if (coarsening->price[a] == UNKNOWN)
			coarsening->price[a] = raising_price(coarsening, a);
		if (coarsening->price[a] < least)
		{
			least = coarsening->price[a];
			best = a;
		}
	}
	return best;
}

/* Merges clusters for which the node shows the same labels; returns how many are left. */
static int
find_alike(Coarsening *coarsening)
{
	const Ground *ground = coarsening->ground;
	int			nleft = 0;

	coarsening->alike.round++;
	for (int i = 0; i < coarsening->nopen; i++)
	{
		int			cluster = coarsening->open[i];
		const uint32 *codes = ground_codes(ground, coarsening->tuples[cluster]);
		uint64		look = 0;
		AlikeGroup *group;

		for (int a = 0; a < ground->nattrs; a++)
			look = word_hash(look + ground->axes[a].label[coarsening->level[a]][codes[a]]);
		group = alike_group_of(&coarsening->alike, look, true);
		if (group->number == NO_CLASS)
		{
			group->number = cluster;
			nleft++;
		}
		coarsening->next_joined[cluster] = group->number;
	}
	return nleft;
}

/* Raises an attribute's level, unless hardly any clusters would be left. */
static void
raise_level(Coarsening *coarsening, int a)
{
	int			nopen = 0;

	coarsening->level[a]++;
	if (find_alike(coarsening) + coarsening->nlarge < FEW_CLUSTERS / 4)
	{
		coarsening->level[a]--;
		coarsening->price[a] = NEVER;
		return;
	}
	coarsening->price[a] = UNKNOWN;
	for (int i = 0; i < coarsening->nopen; i++)
	{
		int			cluster = coarsening->open[i];
		int			other = coarsening->next_joined[cluster];

		if (other == cluster)
			coarsening->open[nopen++] = cluster;
		else
		{
			coarsening->joined[cluster] = other;
			coarsening->people[other] += coarsening->people[cluster];
		}
	}
	coarsening->nopen = nopen;
	set_large_aside(coarsening);
}

/*
 * Computes the cluster number of each tuple and returns the number of
 * clusters, which is random, as is the choice of levels to raise.
 */
static int
coarsen(Coarsening *coarsening, const uint32 *tuples, int ntuples, Prng *prng, int *cluster_of)
{
	int			wanted = FEW_CLUSTERS + prng_below(prng, 2 * FEW_CLUSTERS);
	int			nclusters = 0;
	int			a;

	coarsening->prng = prng;
	coarsening->tuples = tuples;
	coarsening->nopen = ntuples;
	coarsening->nlarge = 0;
	for (int i = 0; i < ntuples; i++)
	{
		coarsening->joined[i] = coarsening->open[i] = i;
		coarsening->people[i] = coarsening->ground->people[tuples[i]];
	}
	for (a = 0; a < coarsening->ground->nattrs; a++)
	{
		coarsening->level[a] = 0;
		coarsening->price[a] = UNKNOWN;
	}
	set_large_aside(coarsening);
	while (coarsening->nopen + coarsening->nlarge > wanted && coarsening->nopen > 1 &&
		   (a = cheapest_attribute(coarsening)) >= 0)
		raise_level(coarsening, a);
	for (int i = 0; i < ntuples; i++)
		if (coarsening->joined[i] == i)
			cluster_of[i] = nclusters++;
	for (int i = 0; i < ntuples; i++)
	{
		int			cluster = i;

		while (coarsening->joined[cluster] != cluster)
			cluster = coarsening->joined[cluster];
		cluster_of[i] = cluster_of[cluster];
	}
	return nclusters;
}

/* ------------------------------------------------------------------ clusters */

Clustering *
clustering_create(const Ground *ground, int room, int most_clusters)
{
	Clustering *c = MemoryContextAllocZero(ground->context, sizeof(Clustering));
	Coarsening *coarsening;
	MemoryContext old = MemoryContextSwitchTo(ground->context);
	Size		n = most_clusters;

	budget_require(ground->order->population->context, n * n * sizeof(int64) + room * 2 * sizeof(int));
	c->ground = ground;
	c->room = room;
	c->most_clusters = most_clusters;
	c->items = palloc(sizeof(uint32) * room);
	c->cluster_of = palloc(sizeof(int) * room);
	/* one more than clusters, for a tuple that joins one */
	c->hulls = palloc(sizeof(uint32) * (n + 1) * 2 * Max(ground->nattrs, 1));
	c->people = palloc(sizeof(int64) * (n + 1));
	c->loss = palloc(sizeof(int64) * n);
	c->cost = palloc(sizeof(int64) * n);
	c->kept = palloc(sizeof(bool) * n);
	c->slices = palloc(sizeof(uint32) * (n + 1) * (ground->ncolumns + 1));
	c->joined = palloc(sizeof(int) * (n + 1));
	c->live = palloc(sizeof(int) * n);
	c->partner = palloc(sizeof(int) * n);
	c->price = MemoryContextAllocHuge(ground->context, sizeof(int64) * n * n);
	c->marks = palloc(sizeof(HistogramMark) * (ground->ncolumns + 1));
	for (int column = 0; column < ground->ncolumns; column++)
		c->marks[column] = histograms_mark(ground->order->population->columns[column]);
	coarsening = c->coarsening = palloc0(sizeof(Coarsening));
	coarsening->ground = ground;
	alike_groups_init(&coarsening->alike, ground, room);
	coarsening->joined = palloc(sizeof(int) * room);
	coarsening->next_joined = palloc(sizeof(int) * room);
	coarsening->people = palloc(sizeof(int64) * room);
	coarsening->open = palloc(sizeof(int) * room);
	MemoryContextSwitchTo(old);
	return c;
}

void
clustering_clear(Clustering *c)
{
	for (int column = 0; column < c->ground->ncolumns; column++)
		histograms_release(c->ground->order->population->columns[column], c->marks[column]);
	c->nitems = 0;
	c->nclusters = 0;
}

static inline uint32 *
cluster_hull(const Clustering *c, int cluster)
{
	return c->hulls + (Size) cluster * 2 * c->ground->nattrs;
}

static inline uint32 *
cluster_slices(const Clustering *c, int cluster)
{
	return c->slices + (Size) cluster * c->ground->ncolumns;
}

/* Computes a cluster's cost, given its hull, people and histograms. */
static void
settle_cluster(Clustering *c, int cluster)
{
	const Ground *ground = c->ground;
	int64		people = c->people[cluster];

	c->loss[cluster] = hull_loss(ground, cluster_hull(c, cluster));
	c->cost[cluster] = class_cost(ground, people, c->loss[cluster], cluster_slices(c, cluster));
	c->kept[cluster] = keeps_promise(ground, cluster_hull(c, cluster), people, cluster_slices(c, cluster));
}

void
clustering_add(Clustering *c, uint32 tuple)
{
	Assert(c->nitems < c->room);
	c->items[c->nitems++] = tuple;
}

/* Starts a cluster with a tuple. */
static void
begin_cluster(Clustering *c, int cluster, uint32 tuple)
{
	const Ground *ground = c->ground;
	const TupleTable *tuples = ground->order->population->tuples;

	c->people[cluster] = ground->people[tuple];
	hull_of_tuple(ground, tuple, cluster_hull(c, cluster));
	for (int column = 0; column < ground->ncolumns; column++)
		cluster_slices(c, cluster)[column] = tuples->slices[column][ground->tuple[tuple]];
	c->joined[cluster] = cluster;
}

/* Adds another cluster to one, which must then be settled. */
static void
extend_cluster(Clustering *c, int cluster, int other)
{
	const Ground *ground = c->ground;

	c->people[cluster] += c->people[other];
	hull_extend(ground, cluster_hull(c, cluster), cluster_hull(c, other));
	for (int column = 0; column < ground->ncolumns; column++)
	{
		uint32	   *slices = cluster_slices(c, cluster);
		uint32		both[2] = {slices[column], cluster_slices(c, other)[column]};

		slices[column] = histograms_join(ground->order->population->columns[column], both, 2);
	}
}

/* Creates the initial clusters of the items, numbered by their first items. */
static void
form_clusters(Clustering *c)
{
	int			n = 0;

	for (int i = 0; i < c->nitems; i++)
	{
		if (c->cluster_of[i] == n)
			begin_cluster(c, n++, c->items[i]);
		else
		{
			begin_cluster(c, c->most_clusters, c->items[i]);
			extend_cluster(c, c->cluster_of[i], c->most_clusters);
		}
	}
	c->nclusters = c->nlive = n;
	for (int cluster = 0; cluster < n; cluster++)
	{
		settle_cluster(c, cluster);
		c->live[cluster] = cluster;
	}
}

static inline int64
merge_price(const Clustering *c, int a, int b)
{
	const Ground *ground = c->ground;
	int64		loss = joint_loss(ground, cluster_hull(c, a), cluster_hull(c, b));
	int64		cost = size_cost(ground, c->people[a] + c->people[b], loss);

	if (unlikely(ground->minority_unit > 0))
	{
		/* of people outside the majority of both together */
		int			column = ground->order->population->nsensitive;
		Histograms *h = ground->order->population->columns[column];
		uint32		both[2] = {cluster_slices(c, a)[column], cluster_slices(c, b)[column]};
		HistogramMark mark = histograms_mark(h);
		uint32		joined = histograms_join(h, both, 2);

		cost += ground->minority_unit * (c->people[a] + c->people[b] - h->slices[joined].most);
		histograms_release(h, mark);
	}
	return cost - c->cost[a] - c->cost[b];
}

/* Raises a price randomly; with much noise, even that of free mergers. */
static inline int64
noisy(const Clustering *c, int64 price, Prng *prng, uint32 noise)
{
	int64		base = noise < 256 ? price : price + c->ground->whole_loss / 16;

	return noise == 0 ? price : price + ((base * (int64) prng_below(prng, noise)) >> 8);
}

static inline int64 *
price_row(const Clustering *c, int cluster)
{
	return c->price + (Size) cluster * c->nclusters;
}

static int
cheapest_partner(const Clustering *c, int cluster)
{
	const int64 *row = price_row(c, cluster);
	int64		least = PG_INT64_MAX;
	int			best = -1;

	for (int i = 0; i < c->nlive; i++)
	{
		int			other = c->live[i];

		if (other != cluster && row[other] < least)
		{
			least = row[other];
			best = other;
		}
	}
	return best;
}

/* The cluster to merge next, or -1 if all keep the promise. */
static int
next_to_merge(const Clustering *c, MergeOrder order)
{
	int64		least_people = PG_INT64_MAX;
	int64		least = PG_INT64_MAX;
	int			next = -1;

	for (int i = 0; i < c->nlive; i++)
	{
		int			cluster = c->live[i];
		int64		people = order == MERGE_SMALLEST ? c->people[cluster] : 0;
		int64		price;

		if (c->kept[cluster] || people > least_people)
			continue;
		price = price_row(c, cluster)[c->partner[cluster]];
		if (people < least_people || price < least)
		{
			least_people = people;
			least = price;
			next = cluster;
		}
	}
	return next;
}

/* Updates the prices of mergers with a changed cluster, and the others' cheapest partners. */
static void
price_merged(Clustering *c, int cluster, int gone, Prng *prng, uint32 noise)
{
	for (int i = 0; i < c->nlive; i++)
	{
		int			other = c->live[i];

		if (other != cluster)
			price_row(c, cluster)[other] = price_row(c, other)[cluster] =
				noisy(c, merge_price(c, cluster, other), prng, noise);
	}
	for (int i = 0; i < c->nlive; i++)
	{
		int			other = c->live[i];
		int			partner = c->partner[other];

		if (c->kept[other])
			continue;
		if (other == cluster || partner == gone || partner == cluster)
			c->partner[other] = cheapest_partner(c, other);
		else if (price_row(c, other)[cluster] < price_row(c, other)[partner])
			c->partner[other] = cluster;
	}
}

int64
clustering_merge(Clustering *c, MergeOrder order, Prng *prng, uint32 noise)
{
	int64		cost = 0;
	int			cluster;

	if (prng != NULL)
	{
		if (coarsen(c->coarsening, c->items, c->nitems, prng, c->cluster_of) > c->most_clusters)
			return PG_INT64_MAX;
	}
	else
		for (int i = 0; i < c->nitems; i++)
			c->cluster_of[i] = i;
	form_clusters(c);
	for (int i = 0; i < c->nclusters && c->nlive > 1; i++)
	{
		if (i % 64 == 63)
			CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
			price_row(c, i)[j] = price_row(c, j)[i] = noisy(c, merge_price(c, i, j), prng, noise);
	}
	for (int i = 0; i < c->nclusters && c->nlive > 1; i++)
		if (!c->kept[i])
			c->partner[i] = cheapest_partner(c, i);
	while (c->nlive > 1 && (cluster = next_to_merge(c, order)) >= 0)
	{
		int			other = c->partner[cluster];
		int			at;

		CHECK_FOR_INTERRUPTS();
		/* merge the other with it, and remove the other */
		extend_cluster(c, cluster, other);
		settle_cluster(c, cluster);
		c->joined[other] = cluster;
		for (at = 0; c->live[at] != other; at++)
			;
		c->live[at] = c->live[--c->nlive];
		if (c->nlive > 1)
			price_merged(c, cluster, other, prng, noise);
	}
	for (int i = 0; i < c->nlive; i++)
	{
		if (!c->kept[c->live[i]])
			return PG_INT64_MAX;
		cost += c->cost[c->live[i]];
	}
	return cost;
}

void
clustering_put(const Clustering *c, DraftClasses *classes)
{
	/* joined has the clusters; partner is reused for their classes */
	int		   *class_of = c->partner;

	for (int i = 0; i < c->nclusters; i++)
		class_of[i] = -1;
	for (int i = 0; i < c->nitems; i++)
	{
		int			cluster = c->cluster_of[i];

		while (c->joined[cluster] != cluster)
			cluster = c->joined[cluster];
		if (class_of[cluster] < 0)
		{
			RecodingClass *class;

			class_of[cluster] = class_add(classes);
			class = &classes->classes[class_of[cluster]];
			class->loss = c->loss[cluster];
			class->cost = c->cost[cluster];
			classes->cost += class->cost;
		}
		class_take(classes, class_of[cluster], c->items[i]);
	}
}
