/*
 * cut_task.c
 *	  The worker-pool task that evaluates cuts one by one.
 *
 * Evaluating a cut means finding its smallest and largest class and its loss.
 * All cuts of a batch are coarser than one cut, their base, whose classes are
 * computed first.  As the cuts become more similar, their base has few
 * classes, and every evaluation is a pass over those.
 *
 * A group is identified by its first label, so that classes of the base have
 * keys in the same form as tuples, and are recoded in the same way.
 *
 * Classes smaller than k are suppressed if they hold few enough people.  Only
 * those are then visited again, to compute their loss.
 *
 * If more than k is promised, a cut is measured like a node.  One that breaks
 * the promise is reported with a k below the requested one.
 *
 * If a person may have several rows, the base stores the persons in its
 * classes, and those of classes that a cut merges are counted together.
 */
#include "engine/cuts.h"

#include "base/budget.h"
#include "miscadmin.h"

typedef struct CutCounting
{
	CutSpace   *space;
	CutArgument asked;
	uint64	   *base_cut;
	bool		has_base;
	const TupleTable *tuples;	/* at the lowest levels */
	TupleTable	base;
	ClassCounter *class_counter;
	uint32	   *codes[MAX_ATTRIBUTES];	/* group of each label */
	uint32		ncodes[MAX_ATTRIBUTES];

	/* if a person may have several rows */
	const uint32 *tuple_persons;	/* by tuple: its persons */
	uint32	   *base_persons;	/* the same of the base's classes */
	HistogramMark mark;			/* before those were merged */
	uint32	   *class_of;		/* by counted key */
	uint32	   *start;			/* of each class's keys */
	uint32	   *together;		/* their persons, class by class */
	int64	   *people;			/* by class: different ones */

	/* if more than k is promised, or more is wanted */
	Measurer   *measurer;		/* or NULL */
	Measurer   *keeper;			/* suppresses nobody; or NULL */
	MemoryContext context;		/* of one cut */
} CutCounting;

/* Counts a cut's classes from those of a finer one. */
static void
count_classes(CutCounting *counting, const TupleTable *finer, const uint64 *cut)
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
	class_counter_show(counting->class_counter, finer->ntuples, (const uint32 *const *) counting->codes, counting->ncodes);
	class_counter_count(counting->class_counter, finer, counting->class_of);
}

/*
 * Stores the persons of the base's new classes, which were counted from a
 * number of keys.
 */
static void
change_base_persons(CutCounting *counting, uint32 nkeys, const uint32 *persons)
{
	Histograms *histograms = population_persons(counting->space->population);
	uint32		n = counting->class_counter->classes.ntuples;
	const uint32 *start = counting->start;

	group_by_class(counting->class_of, nkeys, n, persons, counting->start, counting->together);

	/*
	 * the old base's persons are needed for the new one, unless that starts
	 * from the tuples
	 */
	if (persons == counting->tuple_persons)
		histograms_release(histograms, counting->mark);
	for (uint32 class = 0; class < n; class++)
		counting->base_persons[class] = histograms_merge(histograms, counting->together + start[class], start[class + 1] - start[class]);
}

/* Makes a cut's classes the base, from those of the old one if that is nowhere coarser. */
static void
change_base(CutCounting *counting, const uint64 *cut)
{
	ClassCounter *class_counter = counting->class_counter;
	bool		has_persons = counting->space->population->has_persons;
	bool		from_base = counting->has_base;
	TupleTable	old;

	/*
	 * unless successive bases have left more garbage than starting from the
	 * tuples costs
	 */
	if (has_persons)
	{
		const Histograms *persons = population_persons(counting->space->population);

		from_base = from_base && persons->nentries <= 4 * counting->mark.nentries + 65536 &&
			persons->nslices <= 4 * counting->mark.nslices + 65536;
	}
	for (int word = 0; word < counting->space->nwords && from_base; word++)
		from_base = (cut[word] & ~counting->base_cut[word]) == 0;
	count_classes(counting, from_base ? &counting->base : counting->tuples, cut);
	if (has_persons)
		change_base_persons(counting, from_base ? counting->base.ntuples : counting->tuples->ntuples,
							from_base ? counting->base_persons : counting->tuple_persons);
	/* there is as much room for them */
	old = counting->base;
	counting->base = class_counter->classes;
	class_counter->classes = old;
	memcpy(counting->base_cut, cut, sizeof(uint64) * counting->space->nwords);
	counting->has_base = true;
}

static void *
begin_counting(Population *population, const void *argument)
{
	CutCounting *counting = palloc0(sizeof(CutCounting));
	int			levels[MAX_ATTRIBUTES];
	TupleTable *lowest;
	Promise		others;
	Size		room;

	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].min_level;
	lowest = population_classes(population, node_of_levels(population, levels), population->context);
	room = (Size) lowest->ntuples + 1;
	counting->space = cut_space_create(population, NULL);
	counting->asked = *(const CutArgument *) argument;
	counting->base_cut = palloc0(sizeof(uint64) * counting->space->nwords);
	for (int a = 0; a < population->nattrs; a++)
	{
		counting->ncodes[a] = counting->space->first_bit[a + 1] - counting->space->first_bit[a] + 1;
		counting->codes[a] = palloc(sizeof(uint32) * counting->ncodes[a]);
	}
	counting->tuples = lowest;
	budget_require(population->context, (sizeof(uint64) * population->nwords + sizeof(int64)) * room);
	counting->base.keys = MemoryContextAllocHuge(population->context, sizeof(uint64) * population->nwords * room);
	counting->base.counts = MemoryContextAllocHuge(population->context, sizeof(int64) * room);
	counting->class_counter = class_counter_create(population->context, population, lowest->ntuples);
	if (population->has_persons)
	{
		counting->tuple_persons = lowest->slices[population->ncolumns - 1];
		counting->mark = histograms_mark(population_persons(population));
		counting->base_persons = budget_alloc(sizeof(uint32), room + 1);
		counting->class_of = budget_alloc(sizeof(uint32), room + 1);
		counting->start = budget_alloc(sizeof(uint32), room + 1);
		counting->together = budget_alloc(sizeof(uint32), room + 1);
		counting->people = budget_alloc(sizeof(int64), room + 1);
	}
	others = counting->asked.promise;
	others.k = 0;
	if (promise_given(&others, population) || counting->asked.wants_measures)
	{
		Promise		nothing = {.k = 1,.keeps_all = true};

		counting->measurer = measurer_create(population, &counting->asked.promise);
		if (counting->asked.wants_measures)
			counting->keeper = measurer_create(population, &nothing);
		counting->context = AllocSetContextCreate(population->context, "anonopt cut", ALLOCSET_DEFAULT_SIZES);
	}
	return counting;
}

/* The number of different people in a counted class. */
static inline int64
people_of_class(const CutCounting *counting, uint32 class)
{
	return counting->people != NULL ? counting->people[class] : counting->class_counter->classes.counts[class];
}

/*
 * The loss, in leaves, of people in classes smaller than k beyond that of
 * their labels, by attribute.
 */
static void
sum_lost(CutCounting *counting, int128 *lost)
{
	const Population *population = counting->space->population;
	const TupleTable *classes = &counting->class_counter->classes;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *lowest = &attr->hierarchy->levels[attr->min_level];
		uint32	   *leaves = palloc0(sizeof(uint32) * counting->ncodes[a]); /* by the first label of
																			 * a group */
		uint32		all = leaves_size(attr->hierarchy, 0, attr->hierarchy->nleaves);
		const uint64 *key = classes->keys;

		for (uint32 label = 0; label < counting->ncodes[a]; label++)
			leaves[counting->codes[a][label]] += leaves_size(attr->hierarchy, lowest->first_leaf[label], lowest->leaves[label]);
		lost[a] = 0;
		for (uint32 i = 0; i < classes->ntuples; i++, key += population->nwords)
			if (people_of_class(counting, i) < counting->asked.promise.k)
				lost[a] += (int128) classes->counts[i] * (all - leaves[key_get(key, &attr->field)]);
		pfree(leaves);
	}
}

/* Measures a cut under all promises; returns false if one is broken. */
static bool
measure_closer(CutCounting *counting, const uint64 *cut, CutResult *result)
{
	MemoryContext old = MemoryContextSwitchTo(counting->context);
	const CutSpace *space = counting->space;
	const Population *population = space->population;
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);
	Measures	measures;
	bool		kept;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *finer = &attr->hierarchy->levels[attr->min_level];
		bool	   *keep = palloc(sizeof(bool) * (finer->nlabels + 1));

		for (uint32 bit = 0; bit + 1 < finer->nlabels; bit++)
			keep[bit] = cut_has(cut, space->first_bit[a] + bit);
		node[a] = weighed_cut(population, a, finer, keep);
	}
	CHECK_FOR_INTERRUPTS();
	measure_alone(counting->measurer, node, &measures);
	kept = measures.feasible && measures.classes > 0;
	result->k = measures.k;
	result->necd = measures.necd;
	result->nwp = measures.nwp;
	if (!kept && counting->keeper != NULL)
		measure_alone(counting->keeper, node, &measures);
	result->measures = measures;
	MemoryContextSwitchTo(old);
	MemoryContextReset(counting->context);
	return kept;
}

static void
evaluate_item(void *state, const void *item, void *evaluated)
{
	CutCounting *counting = state;
	const Population *population = counting->space->population;
	const uint64 *base = item;
	const uint64 *cut = base + counting->space->nwords;
	CutResult  *result = evaluated;
	int64		k = counting->asked.promise.k;
	const TupleTable *classes = &counting->class_counter->classes;
	int64		smallest = PG_INT64_MAX;
	int64		largest = 0;
	int64		smallest_kept = PG_INT64_MAX;	/* not below k */
	int64		people_below = 0;	/* rows of smaller classes */
	int128		lost[MAX_ATTRIBUTES];
	bool		suppresses;

	if (!counting->has_base || memcmp(base, counting->base_cut, sizeof(uint64) * counting->space->nwords) != 0)
		change_base(counting, base);
	count_classes(counting, &counting->base, cut);
	if (counting->measurer != NULL && measure_closer(counting, cut, result))
		return;
	if (counting->people != NULL)
		count_class_persons(population, counting->class_of, counting->base_persons, counting->base.ntuples,
							classes->ntuples, counting->start, counting->together, counting->people);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		int64		count = people_of_class(counting, i);

		smallest = Min(smallest, count);
		largest = Max(largest, count);
		if (count < k)
			people_below += classes->counts[i];
		else
			smallest_kept = Min(smallest_kept, count);
	}
	suppresses = counting->measurer == NULL && people_below > 0 &&
		people_below <= counting->asked.promise.limit && largest >= k;
	if (suppresses)
		sum_lost(counting, lost);
	result->k = suppresses ? smallest_kept : smallest;
	result->necd = population->persons > 1 ? (double) (largest - result->k) / (population->persons - 1) : 0;
	if (counting->measurer != NULL)
		result->k = Min(result->k, k - 1);
	result->nwp = cut_nwp(counting->space, cut, suppresses ? lost : NULL);
}

const PoolWork evaluate_cuts_work = {"evaluate cuts", begin_counting, evaluate_item};
