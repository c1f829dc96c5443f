/*
 * cut_task.c
 *	  Cuts evaluated one by one, as a worker pool's work.
 *
 * What is asked of a cut are its smallest and its largest class.  All cuts of
 * a batch are coarser than one, their base, whose classes are made first.
 * As a population of cuts grows alike, its base has few classes, and every
 * evaluation is a pass over those.
 *
 * A group is named by its first label, so that classes of the base have keys
 * in the form of the tuples', and are shown in the same way.
 */
#include "engine/cut_task.h"

#include "base/budget.h"
#include "engine/class_counter.h"

typedef struct CutCounting
{
	CutSpace   *space;
	int			nwords;			/* of a cut */
	uint64	   *base_cut;
	bool		has_base;
	Keys		tuples;			/* at the lowest levels */
	Keys		base;
	ClassCounter *class_counter;
	uint32	   *codes[MAX_ATTRIBUTES];	/* of each label its group */
	uint32		ncodes[MAX_ATTRIBUTES];
} CutCounting;

/* Counts a cut's classes, from those of a finer one. */
static void
count_classes(CutCounting *counting, const Keys *finer, const uint64 *cut)
{
	const CutSpace *space = counting->space;

	for (int a = 0; a < space->population->nattrs; a++)
	{
		uint32		group = 0;

		counting->codes[a][0] = 0;
		for (uint32 label = 1; label < counting->ncodes[a]; label++)
		{
			if (cut_has(cut, space->first_bit[a] + label - 1))
				group = label;
			counting->codes[a][label] = group;
		}
	}
	class_counter_show(counting->class_counter, (const uint32 *const *) counting->codes, counting->ncodes);
	class_counter_count(counting->class_counter, finer, NULL);
}

static bool
cut_covers(const uint64 *a, const uint64 *b, int nwords)
{
	for (int word = 0; word < nwords; word++)
		if (b[word] & ~a[word])
			return false;
	return true;
}

/* Makes a cut's classes the base. */
static void
change_base(CutCounting *counting, const uint64 *cut)
{
	ClassCounter *class_counter = counting->class_counter;
	bool		from_base = counting->has_base && cut_covers(counting->base_cut, cut, counting->nwords);

	count_classes(counting, from_base ? &counting->base : &counting->tuples, cut);
	counting->base.n = class_counter->nused;
	for (uint32 i = 0; i < class_counter->nused; i++)
	{
		memcpy(counting->base.words + (Size) i * class_counter->nwords, class_counter_key(class_counter, class_counter->used[i]),
			   sizeof(uint64) * class_counter->nwords);
		counting->base.counts[i] = class_counter->slots[class_counter->used[i]].count;
	}
	class_counter_clear(class_counter);
	memcpy(counting->base_cut, cut, sizeof(uint64) * counting->nwords);
	counting->has_base = true;
}

static const Recoding **
lowest_node(const Population *population)
{
	int			levels[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].min_level;
	return node_of_levels(population, levels);
}

static void *
begin_counting(Population *population, const void *argument)
{
	CutCounting *counting = palloc0(sizeof(CutCounting));
	KeyField   *fields = palloc(sizeof(KeyField) * population->nattrs);
	TupleTable *lowest = population_classes(population, lowest_node(population), population->context);
	Size		room = (Size) lowest->ntuples + 1;

	counting->space = cut_space_create(population, false);
	counting->nwords = *(const int *) argument;
	counting->base_cut = palloc0(sizeof(uint64) * counting->nwords);
	for (int a = 0; a < population->nattrs; a++)
	{
		fields[a] = population->attrs[a].field;
		counting->ncodes[a] = counting->space->first_bit[a + 1] - counting->space->first_bit[a] + 1;
		counting->codes[a] = palloc(sizeof(uint32) * counting->ncodes[a]);
	}
	counting->tuples.n = lowest->ntuples;
	counting->tuples.words = lowest->keys;
	counting->tuples.counts = lowest->counts;
	budget_require(population->context, (sizeof(uint64) * population->nwords + sizeof(int64)) * room);
	counting->base.words = MemoryContextAllocHuge(population->context, sizeof(uint64) * population->nwords * room);
	counting->base.counts = MemoryContextAllocHuge(population->context, sizeof(int64) * room);
	counting->class_counter = class_counter_create(population->context, population->nattrs, fields, population->nwords,
												   lowest->ntuples);
	return counting;
}

static void
evaluate_item(void *state, const void *item, void *result)
{
	CutCounting *counting = state;
	ClassCounter *class_counter = counting->class_counter;
	const uint64 *base = item;
	CutResult	extremes = {PG_INT64_MAX, 0};

	if (!counting->has_base || memcmp(base, counting->base_cut, sizeof(uint64) * counting->nwords) != 0)
		change_base(counting, base);
	count_classes(counting, &counting->base, base + counting->nwords);
	for (uint32 i = 0; i < class_counter->nused; i++)
	{
		int64		count = class_counter->slots[class_counter->used[i]].count;

		extremes.smallest = Min(extremes.smallest, count);
		extremes.largest = Max(extremes.largest, count);
	}
	class_counter_clear(class_counter);
	*(CutResult *) result = extremes;
}

const PoolWork evaluate_cuts_work = {begin_counting, evaluate_item};
