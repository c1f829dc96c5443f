/*
 * recoding_vectors.c
 *	  The labels that a class can have: one of each attribute, a vector.
 *
 * A class shows the lowest labels that cover its tuples.  So only *closed*
 * vectors matter: those of which no label can be lowered without losing a
 * tuple that all of them cover.  Different ones cover different tuples.
 *
 * They are found attribute by attribute.  Codes are in preorder, so once tuples
 * are sorted by their codes, those under a label are a run.  Labels that cover
 * no more than the one below are left out at once, also where the tuples have
 * become so few that an earlier attribute's label could be lowered.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"
#include "miscadmin.h"

/* Fewer tuples are sorted by insertion. */
#define FEW_TUPLES 24

/* Visits between two looks at the clock. */
#define VISITS 1024

typedef struct VectorWalk
{
	const VectorOrder *order;
	const Ground *ground;
	int			level[MAX_ATTRIBUTES];	/* so far */
	uint32	   *sorted[MAX_ATTRIBUTES]; /* tuples that the labels so far
										 * cover, by code */
	uint32	   *start;			/* scratch, by code */
	uint64	   *keys;			/* scratch, by tuple */
	uint32		nvisits;
	bool		late;
} VectorWalk;

static inline uint32
code_of(const VectorWalk *walk, uint32 tuple, int a)
{
	return ground_codes(walk->ground, tuple)[a];
}

static int
compare_keys(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* Sorts tuples by their codes of an attribute. */
static void
sort_by_code(const VectorWalk *walk, int a, const uint32 *tuples, uint32 n, uint32 *sorted)
{
	uint32		ncodes = walk->ground->axes[a].ncodes;
	uint32	   *start = walk->start;

	if (n <= FEW_TUPLES)
		for (uint32 i = 0; i < n; i++)
		{
			uint32		code = code_of(walk, tuples[i], a);
			uint32		at = i;

			for (; at > 0 && code_of(walk, sorted[at - 1], a) > code; at--)
				sorted[at] = sorted[at - 1];
			sorted[at] = tuples[i];
		}
	else if (ncodes / 8 > n)
	{
		for (uint32 i = 0; i < n; i++)
			walk->keys[i] = (uint64) code_of(walk, tuples[i], a) << 32 | tuples[i];
		qsort(walk->keys, n, sizeof(uint64), compare_keys);
		for (uint32 i = 0; i < n; i++)
			sorted[i] = (uint32) walk->keys[i];
	}
	else
	{
		uint32		before = 0;

		memset(start, 0, sizeof(uint32) * ncodes);
		for (uint32 i = 0; i < n; i++)
			start[code_of(walk, tuples[i], a)]++;
		for (uint32 code = 0; code < ncodes; code++)
		{
			uint32		count = start[code];

			start[code] = before;
			before += count;
		}
		for (uint32 i = 0; i < n; i++)
			sorted[start[code_of(walk, tuples[i], a)]++] = tuples[i];
	}
}

/* Whether an earlier attribute's label could be lowered, and still cover some tuples. */
static bool
could_be_lower(const VectorWalk *walk, int nattrs, const uint32 *tuples, uint32 n)
{
	for (int a = 0; a < nattrs; a++)
	{
		const uint32 *below = walk->level[a] > 0 ? walk->ground->axes[a].label[walk->level[a] - 1] : NULL;
		uint32		i = 1;

		if (below == NULL)
			continue;
		while (i < n && below[code_of(walk, tuples[i], a)] == below[code_of(walk, tuples[0], a)])
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static bool
is_late(VectorWalk *walk)
{
	if (++walk->nvisits % VISITS == 0)
	{
		CHECK_FOR_INTERRUPTS();
		walk->late = recoding_past(walk->ground->order, walk->order->until);
	}
	return walk->late;
}

/* Visits the vectors with the labels so far, which cover some tuples. */
static void
walk_attribute(VectorWalk *walk, int a, const uint32 *tuples, uint32 n, int64 cost)
{
	const Axis *axis = &walk->ground->axes[a];
	uint32	   *sorted = walk->sorted[a];
	bool		last = a == walk->ground->nattrs - 1;

	sort_by_code(walk, a, tuples, n, sorted);
	for (int level = 0; level < walk->order->nlevels[a] && !walk->late; level++)
	{
		const uint32 *label = axis->label[level];
		const uint32 *below = level > 0 ? axis->label[level - 1] : NULL;
		uint32		end;

		walk->level[a] = level;
		for (uint32 i = 0; i < n && !is_late(walk); i = end)
		{
			uint32		first = code_of(walk, sorted[i], a);
			int64		more = cost + walk->order->cost[a][level][first];

			end = i + 1;
			while (end < n && label[code_of(walk, sorted[end], a)] == label[first])
				end++;
			if (below != NULL && below[first] == below[code_of(walk, sorted[end - 1], a)])
				continue;
			if (could_be_lower(walk, a, sorted + i, end - i))
				continue;
			if (walk->order->visit(walk->order->arg, sorted + i, end - i, more, last) && !last)
				walk_attribute(walk, a + 1, sorted + i, end - i, more);
		}
	}
}

bool
room_for(const Ground *ground, void **array, Size element, Size n, Size *room)
{
	Size		wanted = Max(Max(n, 2 * *room), 1024);

	if (n <= *room)
		return true;
	/* the old array lives until the new one is filled */
	if (!budget_allows(ground->order->population->context, wanted * element))
		return false;
	*array = *array == NULL ? MemoryContextAllocHuge(ground->context, wanted * element) : repalloc_huge(*array, wanted * element);
	*room = wanted;
	return true;
}

bool
vectors_walk(const Ground *ground, const VectorOrder *order)
{
	MemoryContext context = AllocSetContextCreate(ground->context, "anonopt label vectors", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Population *population = ground->order->population;
	VectorWalk	walk = {.order = order,.ground = ground};
	uint32		most_codes = 1;
	uint32	   *all = population_alloc(population, sizeof(uint32), ground->ntuples);

	for (int a = 0; a < ground->nattrs; a++)
	{
		walk.sorted[a] = population_alloc(population, sizeof(uint32), ground->ntuples);
		most_codes = Max(most_codes, ground->axes[a].ncodes);
	}
	walk.start = population_alloc(population, sizeof(uint32), most_codes);
	walk.keys = population_alloc(population, sizeof(uint64), ground->ntuples);
	for (uint32 i = 0; i < ground->ntuples; i++)
		all[i] = i;
	if (ground->nattrs > 0 && ground->ntuples > 0)
		walk_attribute(&walk, 0, all, ground->ntuples, 0);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return !walk.late;
}
