/*
 * recoding_regroup.c
 *	  The best classes of a few items.
 *
 * The tuples of some neighbouring classes are gathered into a few items: a class
 * as a whole, tuples of it on their own, or parts of it.  Of all partitions of
 * the items into classes that keep the promise, the cheapest is found exactly:
 * the best partition of a set is a block with its first item, and the best
 * partition of the rest.  Blocks that cost no less than the best split of theirs
 * are not tried again, which leaves few.  A set with the very first item is only
 * ever a block, or all; so its splits are looked for only where values make the
 * cost of a block expensive.
 *
 * The classes themselves are a partition of the items, so the best one never
 * costs more.
 */
#include "search/recoding_parts.h"

#include "miscadmin.h"

#define NEVER PG_INT64_MAX

Regrouping *
regrouping_create(const Ground *ground, int room)
{
	Regrouping *r = MemoryContextAllocZero(ground->context, sizeof(Regrouping));
	MemoryContext old = MemoryContextSwitchTo(ground->context);

	r->ground = ground;
	r->room = room;
	r->tuples = population_alloc(ground->order->population, sizeof(uint32), room);
	r->item_of = population_alloc(ground->order->population, sizeof(uint8), room);
	r->hulls = palloc(sizeof(uint32) * 2 * ground->nattrs * ITEMS);
	r->slices = population_alloc(ground->order->population, sizeof(uint32) * (ground->ncolumns + 1), ITEMS);
	r->own = palloc(sizeof(uint32) * room);
	r->joined = palloc(sizeof(uint32) * (ground->ncolumns + 1));
	r->marks = palloc(sizeof(HistogramMark) * (ground->ncolumns + 1));
	for (int column = 0; column < ground->ncolumns; column++)
		r->marks[column] = histograms_mark(ground->order->population->columns[column]);
	MemoryContextSwitchTo(old);
	return r;
}

void
regrouping_clear(Regrouping *r)
{
	for (int column = 0; column < r->ground->ncolumns; column++)
		histograms_release(r->ground->order->population->columns[column], r->marks[column]);
	r->ntuples = r->nparts = 0;
}

void
regrouping_begin_part(Regrouping *r)
{
	Assert(r->nparts < ITEMS);
	r->start[r->nparts++] = r->ntuples;
}

void
regrouping_add(Regrouping *r, uint32 tuple)
{
	Assert(r->ntuples < r->room);
	r->tuples[r->ntuples++] = tuple;
}

static inline uint32 *
item_hull(const Regrouping *r, int item)
{
	return r->hulls + (Size) item * 2 * r->ground->nattrs;
}

static inline uint32 *
item_slices(const Regrouping *r, int item)
{
	return r->slices + (Size) item * r->ground->ncolumns;
}

/* Adds a tuple to an item. */
static void
put_tuple(Regrouping *r, int i, int item)
{
	const Ground *ground = r->ground;
	uint32		tuple = r->tuples[i];
	int			set = 1 << item;
	uint32		hull[2 * MAX_ATTRIBUTES];

	r->item_of[i] = item;
	hull_of_tuple(ground, tuple, hull);
	if (r->people[set] == 0)
		memcpy(item_hull(r, item), hull, sizeof(uint32) * 2 * ground->nattrs);
	else
		hull_extend(ground, item_hull(r, item), hull);
	r->people[set] += ground->people[tuple];
}

/* Makes items of a part: with single tuples, and the rest as one; or each around a tuple. */
static void
split_part(Regrouping *r, int start, int n, int nitems, int first, Prng *prng)
{
	const Ground *ground = r->ground;
	bool		singles = prng_below(prng, 3) == 0;
	bool		growing = prng_below(prng, 2) == 0;
	uint32		around[ITEMS][2 * MAX_ATTRIBUTES];
	uint32		hull[2 * MAX_ATTRIBUTES];

	/* the first tuples become seeds */
	for (int item = 0; item < nitems; item++)
	{
		int			other = start + item + prng_below(prng, n - item);
		uint32		tuple = r->tuples[other];

		r->tuples[other] = r->tuples[start + item];
		r->tuples[start + item] = tuple;
		hull_of_tuple(ground, tuple, around[item]);
		put_tuple(r, start + item, first + item);
	}
	for (int i = start + nitems; i < start + n; i++)
	{
		int64		least = PG_INT64_MAX;
		int			nearest = 0;

		hull_of_tuple(ground, r->tuples[i], hull);
		for (int item = 0; item < nitems && !singles; item++)
		{
			int64		loss = joint_loss(ground, around[item], hull) * 64 + prng_below(prng, 64);

			if (loss < least)
			{
				least = loss;
				nearest = item;
			}
		}
		if (growing)
			hull_extend(ground, around[nearest], hull);
		put_tuple(r, i, first + nearest);
	}
}

/* Merges the histograms of each item's tuples. */
static void
count_items(Regrouping *r)
{
	const Population *population = r->ground->order->population;

	for (int column = 0; column < r->ground->ncolumns; column++)
		for (int item = 0; item < r->nitems; item++)
		{
			uint32		n = 0;

			for (int i = 0; i < r->ntuples; i++)
				if (r->item_of[i] == item)
					r->own[n++] = population->tuples->slices[column][r->ground->tuple[r->tuples[i]]];
			item_slices(r, item)[column] = histograms_merge(population->columns[column], r->own, n);
		}
}

/* Makes items of all parts. */
static void
make_items(Regrouping *r, Prng *prng)
{
	int			nitems[ITEMS];
	int			left = ITEMS - r->nparts;

	r->start[r->nparts] = r->ntuples;
	for (int part = 0; part < r->nparts; part++)
		nitems[part] = 1;
	for (int tries = 0; tries < 10 * ITEMS && left > 0; tries++)
	{
		int			part = prng_below(prng, r->nparts);

		if (nitems[part] < r->start[part + 1] - r->start[part])
		{
			nitems[part]++;
			left--;
		}
	}
	r->nitems = 0;
	for (int item = 0; item < ITEMS; item++)
		r->people[1 << item] = 0;
	for (int part = 0; part < r->nparts; part++)
	{
		int			n = r->start[part + 1] - r->start[part];

		if (n > 0)
			split_part(r, r->start[part], n, nitems[part], r->nitems, prng);
		r->nitems += n > 0 ? nitems[part] : 0;
	}
	count_items(r);
}

/* The people of all sets, and what each of them loses; where items do not differ in an attribute, in no time. */
static void
price_sets(Regrouping *r)
{
	const Ground *ground = r->ground;
	int			nsets = 1 << r->nitems;
	int64		shared = 0;

	r->people[0] = 0;
	for (int bit = 1; bit < nsets; bit *= 2)
		for (int set = 1; set < bit; set++)
			r->people[bit + set] = r->people[bit] + r->people[set];
	memset(r->loss, 0, sizeof(int64) * nsets);
	for (int a = 0; a < ground->nattrs; a++)
	{
		const Axis *axis = &ground->axes[a];
		const uint32 *first = r->hulls + a;
		const uint32 *last = first + ground->nattrs;
		int			width = 2 * ground->nattrs; /* of a hull */
		int			item = 1;

		while (item < r->nitems && first[item * width] == first[0] && last[item * width] == last[0])
			item++;
		if (item >= r->nitems)
		{
			shared += axis_span(axis, first[0], last[0]);
			continue;
		}
		for (item = 0; item < r->nitems; item++)
		{
			uint32	   *low = r->low + (1 << item);
			uint32	   *high = r->high + (1 << item);

			low[0] = first[item * width];
			high[0] = last[item * width];
			for (int set = 1; set < 1 << item; set++)
			{
				low[set] = Min(r->low[set], low[0]);
				high[set] = Max(r->high[set], high[0]);
			}
		}
		for (int set = 1; set < nsets; set++)
			r->loss[set] += axis_span(axis, r->low[set], r->high[set]);
	}
	for (int set = 1; set < nsets; set++)
		r->loss[set] += shared;
}

/* The hull of a set of items. */
static void
join_items(const Regrouping *r, int set, uint32 *hull)
{
	memcpy(hull, item_hull(r, pg_rightmost_one_pos32(set)), sizeof(uint32) * 2 * r->ground->nattrs);
	for (set &= set - 1; set != 0; set &= set - 1)
		hull_extend(r->ground, hull, item_hull(r, pg_rightmost_one_pos32(set)));
}

/* What a set of items costs as a class; NEVER if it is no less than a limit, or the set breaks the promise. */
static int64
cost_of_set(Regrouping *r, int set, int64 below)
{
	const Ground *ground = r->ground;
	uint32	   *slices = r->joined;
	uint32		items[ITEMS];
	uint32		hull[2 * MAX_ATTRIBUTES];
	int64		cost;

	if (r->people[set] < ground->smallest)
		return NEVER;
	/* values only add to that */
	if (size_cost(ground, r->people[set], r->loss[set]) >= below)
		return NEVER;
	for (int column = 0; column < ground->ncolumns; column++)
	{
		int			n = 0;

		for (int item = 0; item < r->nitems; item++)
			if ((set >> item & 1) != 0)
				items[n++] = item_slices(r, item)[column];
		slices[column] = histograms_merge(ground->order->population->columns[column], items, n);
	}
	if (ground->outside != NULL)
		join_items(r, set, hull);
	if (!keeps_promise(ground, hull, r->people[set], slices))
		return NEVER;
	cost = class_cost(ground, r->people[set], r->loss[set], slices);
	return cost < below ? cost : NEVER;
}

int64
regrouping_solve(Regrouping *r, int64 below, int64 noise, Prng *prng)
{
	int			nblocks[ITEMS] = {0};
	int64		cost = 0;
	int			all;

	make_items(r, prng);
	price_sets(r);
	all = (1 << r->nitems) - 1;
	r->best[0] = 0;
	for (int set = 1; set <= all; set++)
	{
		int			item = pg_rightmost_one_pos32(set);
		const uint16 *blocks = r->blocks[item];
		bool		splits = item > 0 || set == all || r->ground->ncolumns > 0;
		int64		least = NEVER;

		/* two classes have twice the people */
		for (int i = 0; i < nblocks[item] && splits && r->people[set] >= 2 * r->ground->smallest; i++)
			if ((blocks[i] & ~set) == 0 && r->best[set ^ blocks[i]] != NEVER &&
				r->raised[blocks[i]] + r->best[set ^ blocks[i]] < least)
			{
				least = r->raised[blocks[i]] + r->best[set ^ blocks[i]];
				r->block[set] = blocks[i];
			}
		r->cost[set] = r->raised[set] = cost_of_set(r, set, Min(least, below + noise));
		if (noise > 0 && r->cost[set] != NEVER)
			r->raised[set] += (noise * (int64) prng_below(prng, 1024)) >> 10;
		if (r->raised[set] < least)
		{
			least = r->raised[set];
			r->block[set] = set;
			r->blocks[item][nblocks[item]++] = set;
		}
		r->best[set] = least;
	}
	if (r->best[all] == NEVER)
		return NEVER;
	for (int set = all; set != 0; set ^= r->block[set])
		cost += r->cost[r->block[set]];
	return cost;
}

void
regrouping_put(const Regrouping *r, DraftClasses *classes)
{
	uint32		class_of[ITEMS];

	for (int set = (1 << r->nitems) - 1; set != 0; set ^= r->block[set])
	{
		uint32		number = class_add(classes);
		RecodingClass *class = &classes->classes[number];

		class->loss = r->loss[r->block[set]];
		class->cost = r->cost[r->block[set]];
		classes->cost += class->cost;
		for (int item = 0; item < r->nitems; item++)
			if ((r->block[set] >> item & 1) != 0)
				class_of[item] = number;
	}
	for (int i = 0; i < r->ntuples; i++)
		class_take(classes, class_of[r->item_of[i]], r->tuples[i]);
}
