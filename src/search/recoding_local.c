/*
 * recoding_local.c
 *	  Improves classes by dissolving some and rebuilding them.
 *
 * Some nearby classes are dissolved, and their tuples regrouped: mostly as a few
 * items, of which the best partition is found, and now and then by merging them
 * into classes again, at slightly randomized prices.  If the result loses no
 * more, it is kept; a search that still has time lets it lose a little more.  One such step may move, swap, split, dissolve and merge at
 * once, which single moves could not do without breaking the promise on the
 * way: most classes have hardly more people than they must.  Hundreds of tuples
 * are not merged one by one, but as a few dozen clusters, each time others.
 */
#include "search/recoding_parts.h"

#include "miscadmin.h"

#define NEAREST 16

/*
 * The most tuples and classes dissolved at once, more if classes are large,
 * and the most clusters merged.
 */
#define LEAST_ROOM 400
#define MOST_ROOM 4096
#define MOST_CLASSES (ITEMS - 1)
#define MOST_CLUSTERS 400

/* One in this many times, clusters are merged, which takes longer. */
#define MERGES 8

#define NOISE 64

/*
 * Tuples per class to start from in a round; one more for so many people of the
 * smallest.  No fewer than that, unless there are so few tuples.
 */
#define SEEDS 4
#define MORE_SEEDS 8
#define LEAST_SEEDS 1024
#define SEEDS_OF_TUPLE 16

/* One in this many tuples is tried for suppression without a reason. */
#define LONG_SHOTS 16

struct LocalSearch
{
	DraftClasses *classes;
	Nearest    *nearest;
	Regrouping *regrouping;
	Clustering *clustering;
	Prng		prng;
	uint32		left_out;		/* the tuple tried for suppression */
	int			ntaken;
	uint32		taken[MOST_CLASSES];
};

LocalSearch *
local_search_create(DraftClasses *classes, const KdTree *tree, uint64 seed)
{
	const Ground *ground = classes->ground;
	LocalSearch *search = palloc0(sizeof(LocalSearch));
	int			room = MOST_ROOM;

	/* which classes are large enough to resemble all is not known */
	if (!ground->compares_shares)
		room = (int) Max(Min(ground->smallest * 4, MOST_ROOM), LEAST_ROOM);
	search->classes = classes;
	search->nearest = nearest_create(ground, tree, NEAREST);
	search->regrouping = regrouping_create(ground, room);
	search->clustering = clustering_create(ground, room, MOST_CLUSTERS);
	search->prng.state = seed;
	search->left_out = NO_TUPLE;
	return search;
}

/* Whether a class is already taken, too large, or optimal. */
static bool
may_take(LocalSearch *search, uint32 number)
{
	const RecodingClass *class = &search->classes->classes[number];
	const Ground *ground = search->classes->ground;

	if (search->regrouping->ntuples + class->ntuples > search->regrouping->room)
		return false;
	/* rarely useful, but sometimes nothing else helps */
	if (class->loss == 0 && class->people >= 2 * ground->smallest && ground->size_unit == 0 &&
		ground->ncolumns == 0 && prng_below(&search->prng, 8) != 0)
		return false;
	for (int i = 0; i < search->ntaken; i++)
		if (search->taken[i] == number)
			return false;
	return true;
}

/* Takes some classes around a tuple, its own first, at least a number of them; returns their cost. */
static int64
take_classes(LocalSearch *search, uint32 seed, int least)
{
	int			wanted = least + prng_below(&search->prng, MOST_CLASSES - least + 1);
	const DraftClasses *classes = search->classes;
	Regrouping *regrouping = search->regrouping;
	uint32		tuple = seed;
	int64		cost = 0;

	search->ntaken = 0;
	for (int tries = 0; tries < 40 && search->ntaken < wanted; tries++)
	{
		uint32		class = classes->class_of[tuple];
		uint32		from = seed;

		if (class != NO_CLASS && may_take(search, class))
		{
			search->taken[search->ntaken++] = class;
			regrouping_begin_part(regrouping);
			for (uint32 own = classes->classes[class].first; own != NO_TUPLE; own = classes->next[own])
				if (own != search->left_out)
					regrouping_add(regrouping, own);
			cost += classes->classes[class].cost;
		}
		if (regrouping->ntuples > 0 && prng_below(&search->prng, 2) != 0)
			from = regrouping->tuples[prng_below(&search->prng, regrouping->ntuples)];
		tuple = nearest_tuples(search->nearest, from)[prng_below(&search->prng, NEAREST)];
	}
	return cost;
}

/* Merges the tuples of the classes taken, as clusters that differ each time; returns their cost. */
static int64
merge_taken(LocalSearch *search)
{
	/* mostly a little noise, sometimes so much that the result differs */
	uint32		noise = NOISE << (prng_below(&search->prng, 4) == 0 ? prng_below(&search->prng, 6) : 0);
	MergeOrder	order = prng_below(&search->prng, 4) == 0 ? MERGE_CHEAPEST : MERGE_SMALLEST;

	clustering_clear(search->clustering);
	for (int i = 0; i < search->regrouping->ntuples; i++)
		clustering_add(search->clustering, search->regrouping->tuples[i]);
	return clustering_merge(search->clustering, order, &search->prng, noise);
}

/* Replaces the classes taken by others of their tuples, if these cost less than a limit, or with noise. */
static bool
rebuild_classes(LocalSearch *search, int64 below, int64 noise)
{
	bool		merges = prng_below(&search->prng, MERGES) == 0;
	int64		cost;

	if (search->regrouping->ntuples == 0)
		return false;
	cost = merges ? merge_taken(search) : regrouping_solve(search->regrouping, below, noise, &search->prng);
	if (cost >= (merges || noise == 0 ? below : PG_INT64_MAX))
		return false;
	for (int i = 0; i < search->ntaken; i++)
		class_drop(search->classes, search->taken[i]);
	if (merges)
		clustering_put(search->clustering, search->classes);
	else
		regrouping_put(search->regrouping, search->classes);
	return true;
}

/* Suppresses a tuple if those around it gain more than that costs. */
static void
try_without(LocalSearch *search, uint32 tuple)
{
	const Ground *ground = search->classes->ground;
	int64		price = ground->people[tuple] * ground->suppressed_loss;
	int64		cost;

	regrouping_clear(search->regrouping);
	search->left_out = tuple;
	cost = take_classes(search, tuple, 1);
	search->left_out = NO_TUPLE;
	if (cost > price && rebuild_classes(search, cost - price, 0))
		tuple_suppress(search->classes, tuple);
}

/* Shows a suppressed tuple if that costs less. */
static void
try_with(LocalSearch *search, uint32 tuple)
{
	DraftClasses *classes = search->classes;
	int64		price = classes->ground->people[tuple] * classes->ground->suppressed_loss;

	regrouping_clear(search->regrouping);
	regrouping_begin_part(search->regrouping);
	regrouping_add(search->regrouping, tuple);
	if (!rebuild_classes(search, take_classes(search, tuple, 1) + price, 0))
		return;
	classes->suppressed -= classes->ground->people[tuple];
	classes->cost -= price;
}

/* The lowest and highest codes of a class, then the codes next to them. */
typedef struct Ends
{
	uint32		low[MAX_ATTRIBUTES];
	uint32		next_low[MAX_ATTRIBUTES];
	uint32		high[MAX_ATTRIBUTES];
	uint32		next_high[MAX_ATTRIBUTES];
} Ends;

static void
find_ends(const DraftClasses *classes, uint32 number, Ends *ends)
{
	const Ground *ground = classes->ground;

	for (int a = 0; a < ground->nattrs; a++)
	{
		ends->low[a] = ends->next_low[a] = PG_UINT32_MAX;
		ends->high[a] = ends->next_high[a] = 0;
	}
	for (uint32 tuple = classes->classes[number].first; tuple != NO_TUPLE; tuple = classes->next[tuple])
		for (int a = 0; a < ground->nattrs; a++)
		{
			uint32		code = ground_codes(ground, tuple)[a];

			ends->next_low[a] = Min(ends->next_low[a], Max(code, ends->low[a]));
			ends->low[a] = Min(ends->low[a], code);
			ends->next_high[a] = Max(ends->next_high[a], Min(code, ends->high[a]));
			ends->high[a] = Max(ends->high[a], code);
		}
}

/* How much less a class of several tuples costs without one of them, if it stays a class. */
static int64
saving_without(const DraftClasses *classes, const Ends *ends, uint32 tuple)
{
	const Ground *ground = classes->ground;
	const RecodingClass *class = &classes->classes[classes->class_of[tuple]];
	int64		people = class->people - ground->people[tuple];
	int64		loss = 0;

	for (int a = 0; a < ground->nattrs; a++)
	{
		uint32		code = ground_codes(ground, tuple)[a];
		uint32		low = code == ends->low[a] ? ends->next_low[a] : ends->low[a];
		uint32		high = code == ends->high[a] ? ends->next_high[a] : ends->high[a];

		loss += axis_span(&ground->axes[a], low, high);
	}
	return size_cost(ground, class->people, class->loss) - size_cost(ground, people, loss);
}

/* Suppresses expensive tuples of a class, and sometimes tries others. */
static void
suppress_some(LocalSearch *search, uint32 number)
{
	DraftClasses *classes = search->classes;
	const Ground *ground = classes->ground;
	uint32		tuple;
	uint32		next;
	Ends		ends;

	find_ends(classes, number, &ends);
	for (tuple = classes->classes[number].first; tuple != NO_TUPLE; tuple = next)
	{
		int64		people = ground->people[tuple];
		int64		price = people * ground->suppressed_loss;

		next = classes->next[tuple];
		if (classes->suppressed + people > classes->limit || classes->classes[number].cost <= price)
			continue;
		if (saving_without(classes, &ends, tuple) < price / 2 && prng_below(&search->prng, LONG_SHOTS) != 0)
			continue;
		try_without(search, tuple);
		if (classes->class_of[tuple] != number || recoding_is_over(ground->order))
			return;
	}
}

/* Uses the allowed suppression. */
static void
suppression_round(LocalSearch *search)
{
	DraftClasses *classes = search->classes;
	const RecodingOrder *order = classes->ground->order;
	uint32		nclasses = classes->nclasses;

	for (uint32 tuple = 0; tuple < classes->ground->ntuples; tuple++)
	{
		if (tuple % 64 == 0)
			CHECK_FOR_INTERRUPTS();
		if (classes->class_of[tuple] != NO_CLASS)
			continue;
		if (recoding_is_over(order))
			return;
		try_with(search, tuple);
	}
	for (uint32 number = 0; number < nclasses && classes->suppressed < classes->limit; number++)
	{
		CHECK_FOR_INTERRUPTS();
		if (recoding_is_over(order))
			return;
		if (classes->classes[number].ntuples > 1)
			suppress_some(search, number);
	}
}

void
local_search_round(LocalSearch *search, double heat)
{
	DraftClasses *classes = search->classes;
	const RecodingOrder *order = classes->ground->order;
	uint32		n = classes->ground->ntuples;
	uint32		seeds = SEEDS + (uint32) Min(classes->ground->smallest, 200) / MORE_SEEDS;

	seeds = Max(seeds * (classes->nclasses - classes->nfree), Min(LEAST_SEEDS, n * SEEDS_OF_TUPLE));
	for (uint32 i = 0; i < seeds && recoding_goes_on(order, "tried", "changes", i, seeds); i++)
	{
		uint32		tuple = prng_below(&search->prng, n);
		uint32		class = classes->class_of[tuple];
		int64		cost;

		CHECK_FOR_INTERRUPTS();
		if (class == NO_CLASS || classes->classes[class].cost <= 0)
			continue;

		/* dissolve and rebuild classes around it, if that loses no more */
		regrouping_clear(search->regrouping);
		cost = take_classes(search, tuple, 2);
		if (cost > 0)
			rebuild_classes(search, cost + 1, (int64) (heat * classes->cost / (classes->nclasses - classes->nfree)));
	}
	if (classes->limit > 0)
		suppression_round(search);
	regrouping_clear(search->regrouping);
}
