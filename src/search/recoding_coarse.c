/*
 * recoding_coarse.c
 *	  Clusters tuples that a node would show alike.
 *
 * Merging hundreds of tuples one by one takes quadratic time, and does not
 * build large classes well anyway.  So levels are raised first, always the
 * cheapest one, until few clusters are left.  Clusters that are large enough
 * to be a class are set aside.  Random noise on the prices makes another
 * attempt at the same tuples start with different clusters.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"
#include "base/packed_key.h"

/* The number of clusters is from this to three times as many. */
#define FEW_CLUSTERS 25

/* The price of raising a level: not known yet; cannot be raised. */
#define UNKNOWN (-1)
#define NEVER PG_INT64_MAX

void
alike_groups_init(AlikeGroups *groups, const Ground *ground, Size room)
{
	Size		n = pg_nextpower2_64(Max(2 * room, 64));

	budget_require(ground->order->population->context, sizeof(AlikeGroup) * n);
	groups->groups = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(AlikeGroup) * n, MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	groups->mask = n - 1;
	groups->round = 0;
}

struct Coarsening
{
	const Ground *ground;
	AlikeGroups alike;
	const uint32 *tuples;
	Prng	   *prng;
	int			level[MAX_ATTRIBUTES];
	int64		price[MAX_ATTRIBUTES];	/* of raising the attribute's level */
	/* by tuple; a cluster has the number of one of its tuples */
	int		   *joined;			/* the cluster it was merged into, or itself */
	int		   *next_joined;	/* the same once a level is raised */
	int64	   *people;
	int			nopen;			/* clusters that may still grow */
	int		   *open;
	int			nlarge;			/* those that are large enough */
};

Coarsening *
coarsening_create(const Ground *ground, int room)
{
	Coarsening *coarsening = MemoryContextAllocZero(ground->context, sizeof(Coarsening));
	MemoryContext old = MemoryContextSwitchTo(ground->context);

	coarsening->ground = ground;
	alike_groups_init(&coarsening->alike, ground, room);
	coarsening->joined = palloc(sizeof(int) * room);
	coarsening->next_joined = palloc(sizeof(int) * room);
	coarsening->people = palloc(sizeof(int64) * room);
	coarsening->open = palloc(sizeof(int) * room);
	MemoryContextSwitchTo(old);
	return coarsening;
}

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

static void
begin_with_tuples(Coarsening *coarsening, const uint32 *tuples, int ntuples)
{
	coarsening->tuples = tuples;
	coarsening->nopen = ntuples;
	coarsening->nlarge = 0;
	for (int i = 0; i < ntuples; i++)
	{
		coarsening->joined[i] = coarsening->open[i] = i;
		coarsening->people[i] = coarsening->ground->people[tuples[i]];
	}
	for (int a = 0; a < coarsening->ground->nattrs; a++)
	{
		coarsening->level[a] = 0;
		coarsening->price[a] = UNKNOWN;
	}
	set_large_aside(coarsening);
}

/*
 * Estimates the price of raising an attribute's level; NEVER if that would
 * merge nothing.
 */
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

/*
 * Merges the clusters for which the node shows the same labels; returns how
 * many are left.
 */
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
		group = &coarsening->alike.groups[alike_group_of(&coarsening->alike, look)];
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

static int
number_clusters(const Coarsening *coarsening, int ntuples, int *cluster_of)
{
	int			nclusters = 0;

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

int
coarsen(Coarsening *coarsening, const uint32 *tuples, int ntuples, Prng *prng, int *cluster_of)
{
	int			wanted = FEW_CLUSTERS + prng_below(prng, 2 * FEW_CLUSTERS);
	int			a;

	coarsening->prng = prng;
	begin_with_tuples(coarsening, tuples, ntuples);
	while (coarsening->nopen + coarsening->nlarge > wanted && coarsening->nopen > 1 &&
		   (a = cheapest_attribute(coarsening)) >= 0)
		raise_level(coarsening, a);
	return number_clusters(coarsening, ntuples, cluster_of);
}
