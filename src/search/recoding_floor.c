/*
 * recoding_floor.c
 *	  Leaves each wide class of a recoding enough possible tuples.
 *
 * A class that shows one tuple rules it out for all wider ones
 * (engine/refinement.c).  A wide class that is left with too few is merged with
 * the class with which it costs least, and this is repeated.  Merging never
 * takes a possible tuple from any class, so classes that have enough stay as
 * they are, and it ends, at the latest with one class.
 */
#include "search/recoding_parts.h"

#include "engine/refinement.h"
#include "miscadmin.h"

typedef struct Floor
{
	DraftClasses *classes;
	Nearest    *nearest;
	bool	   *used;			/* by class, in this turn: merged, or in vain */
	uint32		hull[2 * MAX_ATTRIBUTES];	/* of the class to be merged */
	uint32		partner;		/* the cheapest so far, or NO_CLASS */
	int64		price;
} Floor;

/* What is possible in classes; those that are free have no box. */
static Refinement *
refinement_of_drafts(const DraftClasses *classes)
{
	const Ground *ground = classes->ground;
	const Population *population = ground->order->population;
	Size		room = ((Size) classes->nclasses + 1) * ground->nattrs;
	uint32	   *first_leaf = population_alloc(population, sizeof(uint32), room);
	uint32	   *leaves = memset(population_alloc(population, sizeof(uint32), room), 0, sizeof(uint32) * room);
	uint32		hull[2 * MAX_ATTRIBUTES];

	for (uint32 class = 0; class < classes->nclasses; class++)
		if (classes->classes[class].ntuples > 0)
		{
			class_hull(classes, class, hull);
			hull_runs(ground, hull, first_leaf + (Size) class * ground->nattrs, leaves + (Size) class * ground->nattrs);
		}
	return refinement_create(population, classes->nclasses, first_leaf, leaves);
}

/* Keeps a class as the partner of another if it is the cheapest, and labels cover both. */
static void
offer_partner(Floor *floor, uint32 class, uint32 other)
{
	const DraftClasses *classes = floor->classes;
	const Ground *ground = classes->ground;
	uint32		hull[2 * MAX_ATTRIBUTES];
	int64		people = classes->classes[class].people;
	int64		price;

	if (other == NO_CLASS || other == class || other == floor->partner || classes->classes[other].ntuples == 0 || floor->used[other])
		return;
	class_hull(classes, other, hull);
	hull_extend(ground, hull, floor->hull);
	people += classes->classes[other].people;
	price = size_cost(ground, people, hull_loss(ground, hull)) - classes->classes[other].cost;
	if (price >= floor->price || !hull_has_labels(ground, hull))
		return;
	floor->price = price;
	floor->partner = other;
}

/* Moves a class's tuples to another, unless that breaks the promise. */
static bool
merge_into(DraftClasses *classes, uint32 class, uint32 other)
{
	uint32		ntuples = classes->classes[class].ntuples;
	uint32		tuple = classes->classes[class].first;
	uint32		next;

	class_drop(classes, class);
	for (; tuple != NO_TUPLE; tuple = next)
	{
		next = classes->next[tuple];
		class_take(classes, other, tuple);
	}
	if (class_settle(classes, other))
		return true;
	/* the number that was freed last is given again */
	class = class_add(classes);
	while (ntuples-- > 0)
	{
		tuple = classes->classes[other].first;
		class_take_back(classes, other);
		class_take(classes, class, tuple);
	}
	(void) class_settle(classes, class);
	return false;
}

/* Merges a class with another: one of its neighbours, or any if that cannot be. */
static bool
merge_cheapest(Floor *floor, uint32 class)
{
	DraftClasses *classes = floor->classes;

	class_hull(classes, class, floor->hull);
	for (bool anywhere = false;; anywhere = floor->partner == NO_CLASS)
	{
		floor->partner = NO_CLASS;
		floor->price = PG_INT64_MAX;
		for (uint32 tuple = classes->classes[class].first; !anywhere && tuple != NO_TUPLE; tuple = classes->next[tuple])
			for (int i = 0; i < floor->nearest->wanted; i++)
				offer_partner(floor, class, classes->class_of[nearest_tuples(floor->nearest, tuple)[i]]);
		for (uint32 other = 0; anywhere && other < classes->nclasses; other++)
			offer_partner(floor, class, other);
		if (floor->partner == NO_CLASS && anywhere)
			return false;
		if (floor->partner == NO_CLASS)
			continue;
		floor->used[floor->partner] = true;
		if (merge_into(classes, class, floor->partner))
			return floor->used[class] = true;
	}
}

bool
classes_raise(DraftClasses *classes, Nearest *nearest)
{
	const Population *population = classes->ground->order->population;
	int64		wanted = population->possible;
	bool		enough = wanted <= 1;
	bool		goes_on = !enough;

	while (goes_on && !enough)
	{
		MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding floor", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);
		Refinement *refinement = refinement_of_drafts(classes);
		uint32		n = classes->nclasses;
		Floor		floor = {.classes = classes,.nearest = nearest};

		floor.used = memset(population_alloc(population, sizeof(bool), (Size) n + 1), 0, (Size) n + 1);
		enough = true;
		goes_on = false;
		for (uint32 class = 0; class < n; class++)
		{
			CHECK_FOR_INTERRUPTS();
			if (floor.used[class] || !refinement_is_wide(refinement, class) || refinement_possible(refinement, class, wanted) >= wanted)
				continue;
			enough = false;
			goes_on |= merge_cheapest(&floor, class);
		}
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	return enough;
}
