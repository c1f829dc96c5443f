/*
 * recoding_greedy.c
 *	  A start by the cost of classes.
 *
 * Labels are taken in the order of what a person under them loses; whoever is
 * left under one forms a class, if they keep the promise.  Nodes show
 * all values of an attribute by one level, so they reach cheap labels late; this
 * start sees every class that there can be, and costs more time.
 *
 * Labels are collected for a range of losses at a time, together with the tuples
 * that are left under them.  As tuples find classes, fewer labels have enough
 * people, so each range takes about the time of the first.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"
#include "miscadmin.h"

/* The first range of losses is this part of the whole. */
#define FIRST_RANGE 64

/* The most comparisons of a tuple that is left with a class. */
#define MOST_COMPARISONS 10000000

typedef struct Offer
{
	int64		cost;			/* per person */
	Size		first;			/* of its tuples */
	uint32		n;
} Offer;

typedef struct Greedy
{
	DraftClasses *classes;
	int64		from;			/* the range of losses */
	int64		below;
	Offer	   *offers;
	Size		noffers;
	Size		offers_room;
	uint32	   *members;
	Size		nmembers;
	Size		members_room;
	bool		full;			/* there was no room for an offer */
} Greedy;

static bool
collect_offer(void *arg, const uint32 *tuples, uint32 n, int64 cost, bool all)
{
	Greedy	   *greedy = arg;
	const DraftClasses *classes = greedy->classes;
	const Ground *ground = classes->ground;
	int64		people = 0;

	if (cost >= greedy->below || greedy->full)
		return false;
	for (uint32 i = 0; i < n && people < ground->smallest; i++)
		if (classes->class_of[tuples[i]] == NO_CLASS)
			people += ground->people[tuples[i]];
	if (people < ground->smallest)
		return false;
	if (!all || cost < greedy->from)
		return true;
	if (!room_for(ground, (void **) &greedy->offers, sizeof(Offer), greedy->noffers + 1, &greedy->offers_room) ||
		!room_for(ground, (void **) &greedy->members, sizeof(uint32), greedy->nmembers + n, &greedy->members_room))
	{
		greedy->full = true;
		return false;
	}
	greedy->offers[greedy->noffers] = (Offer)
	{
		cost, greedy->nmembers, 0
	};
	for (uint32 i = 0; i < n; i++)
		if (classes->class_of[tuples[i]] == NO_CLASS)
			greedy->members[greedy->nmembers++] = tuples[i];
	greedy->offers[greedy->noffers].n = (uint32) (greedy->nmembers - greedy->offers[greedy->noffers].first);
	greedy->noffers++;
	return true;
}

static int
compare_offers(const void *a, const void *b)
{
	const Offer *x = a;
	const Offer *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Makes classes of those who are left under labels, cheapest first; returns how many. */
static uint32
take_offers(Greedy *greedy)
{
	DraftClasses *classes = greedy->classes;
	const Ground *ground = classes->ground;
	uint32		made = 0;

	qsort(greedy->offers, greedy->noffers, sizeof(Offer), compare_offers);
	for (Size i = 0; i < greedy->noffers; i++)
	{
		const uint32 *members = greedy->members + greedy->offers[i].first;
		uint32		n = greedy->offers[i].n;
		int64		people = 0;
		uint32		class;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint32 j = 0; j < n; j++)
			if (classes->class_of[members[j]] == NO_CLASS)
				people += ground->people[members[j]];
		if (people < ground->smallest)
			continue;
		class = class_add(classes);
		for (uint32 j = 0; j < n; j++)
			if (classes->class_of[members[j]] == NO_CLASS)
				class_take(classes, class, members[j]);
		if (class_settle(classes, class))
			made++;
		else
			class_drop(classes, class);
	}
	greedy->noffers = greedy->nmembers = 0;
	return made;
}

/* Adds tuples that are left to the classes where that costs least, unless there are too many of both. */
static void
join_the_rest(DraftClasses *classes)
{
	const Ground *ground = classes->ground;
	Size		width = 2 * ground->nattrs;
	uint32	   *hulls = population_alloc(ground->order->population, sizeof(uint32) * width, Max(classes->nclasses, 1));
	uint32		hull[2 * MAX_ATTRIBUTES];
	uint64		left = MOST_COMPARISONS;

	for (uint32 class = 0; class < classes->nclasses; class++)
		if (classes->classes[class].ntuples > 0)
			class_hull(classes, class, hulls + class * width);
	for (uint32 tuple = 0; tuple < ground->ntuples && left >= classes->nclasses; tuple++)
	{
		int64		least = PG_INT64_MAX;
		uint32		best = NO_CLASS;

		if (classes->class_of[tuple] != NO_CLASS)
			continue;
		left -= classes->nclasses;
		hull_of_tuple(ground, tuple, hull);
		for (uint32 class = 0; class < classes->nclasses; class++)
		{
			const RecodingClass *one = &classes->classes[class];
			int64		price;

			if (one->ntuples == 0)
				continue;
			price = size_cost(ground, one->people + ground->people[tuple], joint_loss(ground, hulls + class * width, hull)) - one->cost;
			if (price < least)
			{
				least = price;
				best = class;
			}
		}
		if (best == NO_CLASS)
			continue;
		class_take(classes, best, tuple);
		if (class_settle(classes, best))
			hull_extend(ground, hulls + best * width, hull);
		else
			class_take_back(classes, best);
	}
	pfree(hulls);
}

bool
start_by_classes(DraftClasses *classes, int64 until)
{
	const Ground *ground = classes->ground;
	Greedy		greedy = {.classes = classes};
	VectorOrder order = {.visit = collect_offer,.arg = &greedy,.until = until};
	int64		whole = 0;
	bool		in_time = true;

	for (int a = 0; a < ground->nattrs; a++)
	{
		order.cost[a] = ground->axes[a].level_loss;
		order.nlevels[a] = Min(ground->axes[a].nlevels, ground->axes[a].allowed);
		whole += ground->axes[a].whole;
	}
	greedy.below = whole / FIRST_RANGE + 1;
	while (in_time && greedy.from <= whole)
	{
		greedy.full = false;
		in_time = vectors_walk(ground, &order);
		if (in_time && (take_offers(&greedy) == 0 || !greedy.full))
		{
			greedy.from = greedy.below;
			greedy.below = Min(2 * greedy.below, whole + 1);
		}
	}
	if (greedy.offers != NULL)
		pfree(greedy.offers);
	if (greedy.members != NULL)
		pfree(greedy.members);
	if (in_time)
		join_the_rest(classes);
	return in_time;
}
