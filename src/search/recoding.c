/*
 * recoding.c
 *	  Local recodings: the labels of classes, and their loss.
 *
 * Leaves are in preorder, so a class is defined by its lowest and its highest
 * leaf of each attribute, and its labels cover runs of leaves.  Classes that
 * cover the same runs look alike and count as one.  Of two labels that cover
 * the same leaves, only the lower one is ever shown.
 *
 * Measures are computed from the same integers as a node's, added in the same
 * order: a recoding that equals a node has the node's measures, to the last
 * bit.
 */
#include "search/recoding.h"

#include "base/budget.h"
#include "base/key_counter.h"
#include "base/names.h"
#include "miscadmin.h"

static const char *const labels_names[] = {[LABELS_HIERARCHY] = "hierarchy",[LABELS_RANGE] = "range"};

const char *
recoding_labels_name(RecodingLabels labels)
{
	return labels_names[labels];
}

int
recoding_labels_by_name(const char *name)
{
	return find_name(name, labels_names, lengthof(labels_names));
}

/* Allocates a number of elements of a size, within the budget. */
static void *
allocate(const Population *population, MemoryContext context, Size size, Size n)
{
	budget_require(population->context, size * n);
	return MemoryContextAllocHuge(context, Max(size * n, 1));
}

static inline const uint64 *
tuple_key(const Population *population, uint32 tuple)
{
	return population->tuples->keys + (Size) tuple * population->nwords;
}

/* The lowest and highest leaves of classes, by class and attribute. */
typedef struct LeafBounds
{
	uint32	   *first_tuple;	/* by class, or PG_UINT32_MAX */
	uint32	   *low;
	uint32	   *high;
} LeafBounds;

static void
bound_classes(const Population *population, const uint32 *class_of, uint32 nclasses, LeafBounds *bounds)
{
	int			nattrs = population->nattrs;

	bounds->first_tuple = allocate(population, CurrentMemoryContext, sizeof(uint32), nclasses);
	bounds->low = allocate(population, CurrentMemoryContext, sizeof(uint32) * nattrs, nclasses);
	bounds->high = allocate(population, CurrentMemoryContext, sizeof(uint32) * nattrs, nclasses);
	memset(bounds->first_tuple, 0xff, sizeof(uint32) * nclasses);
	memset(bounds->low, 0xff, sizeof(uint32) * nattrs * nclasses);
	memset(bounds->high, 0, sizeof(uint32) * nattrs * nclasses);
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		Size		class = class_of[tuple];

		if (tuple % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (class == NO_CLASS)
			continue;
		if (bounds->first_tuple[class] == PG_UINT32_MAX)
			bounds->first_tuple[class] = tuple;
		for (int a = 0; a < nattrs; a++)
		{
			uint32		leaf = key_get(tuple_key(population, tuple), &population->attrs[a].field);
			uint32	   *low = &bounds->low[class * nattrs + a];
			uint32	   *high = &bounds->high[class * nattrs + a];

			*low = Min(*low, leaf);
			*high = Max(*high, leaf);
		}
	}
}

/*
 * The lowest level from min_level up whose label covers two leaves; one beyond
 * the last if there is none.
 */
static int
covering_level(const Attribute *attr, uint32 low, uint32 high)
{
	int			level = attr->min_level;

	while (level <= attr->hierarchy->height &&
		   attr->hierarchy->levels[level].label_of[low] != attr->hierarchy->levels[level].label_of[high])
		level++;
	return level;
}

/*
 * Widens the bounds of a class's attribute to those of its label; returns the
 * level, or -1 for a range.
 */
static int
widen_to_shown(const Attribute *attr, RecodingLabels labels, uint32 *low, uint32 *high)
{
	int			level = covering_level(attr, *low, *high);
	const Recoding *left;
	const Recoding *right;

	if (labels == LABELS_HIERARCHY && level > attr->hierarchy->height)
		return level;
	if (labels == LABELS_RANGE && level > attr->min_level)
	{
		left = right = &attr->hierarchy->levels[attr->min_level];
		level = -1;
	}
	else
		left = right = &attr->hierarchy->levels[level];
	*low = left->first_leaf[left->label_of[*low]];
	*high = right->first_leaf[right->label_of[*high]] + right->leaves[right->label_of[*high]] - 1;
	return level;
}

/* Records the first tuple that no label covers together with its class's first. */
static void
note_fault(const Population *population, const uint32 *class_of, uint32 class, int a, uint32 first, RecodedClasses *shown)
{
	const Attribute *attr = &population->attrs[a];
	uint32		leaf = key_get(tuple_key(population, first), &attr->field);

	shown->faulty = true;
	shown->faulty_attr = a;
	shown->other_tuple = first;
	for (uint32 tuple = first; tuple < population->tuples->ntuples; tuple++)
		if (class_of[tuple] == class &&
			covering_level(attr, leaf, key_get(tuple_key(population, tuple), &attr->field)) > attr->hierarchy->height)
		{
			shown->faulty_tuple = tuple;
			return;
		}
}

/*
 * Computes the levels of labels by class and attribute; returns false at the
 * first fault.
 */
static bool
widen_classes(const Population *population, const uint32 *class_of, uint32 nclasses, RecodingLabels labels,
			  LeafBounds *bounds, int16 *levels, RecodedClasses *shown)
{
	int			nattrs = population->nattrs;

	for (Size class = 0; class < nclasses; class++)
	{
		if (class % 16384 == 0)
			CHECK_FOR_INTERRUPTS();
		if (bounds->first_tuple[class] == PG_UINT32_MAX)
			continue;
		for (int a = 0; a < nattrs; a++)
		{
			Size		at = class * nattrs + a;
			const Attribute *attr = &population->attrs[a];

			levels[at] = widen_to_shown(attr, labels, &bounds->low[at], &bounds->high[at]);
			if (levels[at] > attr->hierarchy->height)
			{
				note_fault(population, class_of, class, a, bounds->first_tuple[class], shown);
				return false;
			}
		}
	}
	return true;
}

/*
 * Renumbers classes so that those with the same labels have one number, in the
 * order of their first tuples.
 */
static uint32 *
number_by_looks(const Population *population, const uint32 *class_of, uint32 nclasses, const LeafBounds *bounds,
				RecodedClasses *shown)
{
	int			nattrs = population->nattrs;
	KeyCounter *counter = key_counter_create(CurrentMemoryContext, Max(nattrs, 1), Min(nclasses, 1024));
	uint32	   *number = allocate(population, CurrentMemoryContext, sizeof(uint32), nclasses);

	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		Size		class = class_of[tuple];
		uint64	   *key;

		if (class == NO_CLASS || bounds->first_tuple[class] != tuple)
			continue;
		if (tuple % 16384 == 0)
			CHECK_FOR_INTERRUPTS();
		key = key_counter_candidate(counter);
		key[0] = 0;
		for (int a = 0; a < nattrs; a++)
			key[a] = (uint64) bounds->low[class * nattrs + a] << 32 | bounds->high[class * nattrs + a];
		number[class] = key_counter_add(counter, 1);
	}
	shown->nclasses = counter->nkeys;
	return number;
}

static void
allocate_shown(const Population *population, MemoryContext context, RecodedClasses *shown)
{
	Size		n = shown->nclasses;

	shown->class_of = allocate(population, context, sizeof(uint32), population->tuples->ntuples);
	shown->people = allocate(population, context, sizeof(int64), n);
	shown->ntuples = allocate(population, context, sizeof(uint32), n);
	shown->first_leaf = allocate(population, context, sizeof(uint32) * population->nattrs, n);
	shown->leaves = allocate(population, context, sizeof(uint32) * population->nattrs, n);
	shown->level = allocate(population, context, sizeof(int16) * population->nattrs, n);
	memset(shown->people, 0, sizeof(int64) * n);
	memset(shown->ntuples, 0, sizeof(uint32) * n);
}

/* Counts tuples and people of the classes by their new numbers. */
static void
count_shown(const Population *population, const uint32 *class_of, const uint32 *number, RecodedClasses *shown)
{
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		int64		people = population->tuples->counts[tuple];
		uint32		class;

		if (class_of[tuple] == NO_CLASS)
		{
			shown->class_of[tuple] = NO_CLASS;
			shown->suppressed += people;
			continue;
		}
		class = number[class_of[tuple]];
		shown->class_of[tuple] = class;
		shown->people[class] += people;
		shown->ntuples[class]++;
	}
}

/* Takes over the labels of the classes. */
static void
put_looks(const Population *population, const LeafBounds *bounds, const int16 *levels, const uint32 *number,
		  uint32 nclasses, RecodedClasses *shown)
{
	int			nattrs = population->nattrs;

	for (Size class = 0; class < nclasses; class++)
	{
		if (bounds->first_tuple[class] == PG_UINT32_MAX)
			continue;
		for (int a = 0; a < nattrs; a++)
		{
			Size		to = (Size) number[class] * nattrs + a;
			Size		from = class * nattrs + a;

			shown->first_leaf[to] = bounds->low[from];
			shown->leaves[to] = bounds->high[from] - bounds->low[from] + 1;
			shown->level[to] = levels[from];
		}
	}
	for (Size class = 0; class < shown->nclasses; class++)
		for (int a = 0; a < nattrs; a++)
			if (shown->level[class * nattrs + a] > population->attrs[a].max_level)
				shown->above_max[a] += shown->people[class];
}

RecodedClasses *
recoding_show(const Population *population, const uint32 *class_of, uint32 nclasses, RecodingLabels labels,
			  MemoryContext context)
{
	RecodedClasses *shown = MemoryContextAllocZero(context, sizeof(RecodedClasses));
	MemoryContext work = AllocSetContextCreate(population->context, "anonopt recoding looks", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	LeafBounds	bounds;
	int16	   *levels;
	uint32	   *number;

	shown->above_max = MemoryContextAllocZero(context, sizeof(int64) * Max(population->nattrs, 1));
	bound_classes(population, class_of, nclasses, &bounds);
	levels = allocate(population, work, sizeof(int16) * population->nattrs, nclasses);
	if (widen_classes(population, class_of, nclasses, labels, &bounds, levels, shown))
	{
		number = number_by_looks(population, class_of, nclasses, &bounds, shown);
		allocate_shown(population, context, shown);
		count_shown(population, class_of, number, shown);
		put_looks(population, &bounds, levels, number, nclasses, shown);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return shown;
}

/* The loss of a person in a class for an attribute. */
static uint32
shown_lost(const Population *population, const RecodedClasses *shown, uint32 class, int a)
{
	Size		at = (Size) class * population->nattrs + a;

	return leaves_lost(population->attrs[a].hierarchy, shown->first_leaf[at], shown->leaves[at]);
}

double
shown_class_loss(const Population *population, const RecodedClasses *shown, uint32 class)
{
	double		loss = 0;

	for (int a = 0; a < population->nattrs; a++)
		loss += attribute_loss(&population->attrs[a], shown_lost(population, shown, class, a));
	return population->nattrs > 0 ? loss / population->nattrs : 0;
}

/*
 * Tuples by class: those of class c are order[start[c]] to order[start[c + 1]
 * - 1].
 */
static uint32 *
tuples_by_class(const Population *population, const uint32 *class_of, uint32 nclasses, Size **start)
{
	uint32		ntuples = population->tuples->ntuples;
	uint32	   *order = allocate(population, CurrentMemoryContext, sizeof(uint32), ntuples);
	Size	   *at = allocate(population, CurrentMemoryContext, sizeof(Size), (Size) nclasses + 2);

	memset(at, 0, sizeof(Size) * ((Size) nclasses + 2));
	for (uint32 tuple = 0; tuple < ntuples; tuple++)
		if (class_of[tuple] != NO_CLASS)
			at[(Size) class_of[tuple] + 2]++;
	for (Size class = 2; class <= nclasses; class++)
		at[class] += at[class - 1];

	/*
	 * the next place of class c is stored at c + 1, so that in the end it is
	 * the start of class c + 1
	 */
	for (uint32 tuple = 0; tuple < ntuples; tuple++)
		if (class_of[tuple] != NO_CLASS)
			order[at[(Size) class_of[tuple] + 1]++] = tuple;
	*start = at;
	return order;
}

TupleTable *
recoding_class_table(const Population *population, const uint32 *class_of, uint32 nclasses)
{
	const TupleTable *tuples = population->tuples;
	Size	   *start;
	uint32	   *order = tuples_by_class(population, class_of, nclasses, &start);
	uint32	   *together = allocate(population, CurrentMemoryContext, sizeof(uint32), tuples->ntuples);
	TupleTable *table = palloc0(sizeof(TupleTable));

	table->ntuples = nclasses;
	table->counts = allocate(population, CurrentMemoryContext, sizeof(int64), nclasses);
	table->slices = palloc(sizeof(uint32 *) * (population->ncolumns + 1));
	for (uint32 class = 0; class < nclasses; class++)
	{
		table->counts[class] = 0;
		for (Size i = start[class]; i < start[class + 1]; i++)
			table->counts[class] += tuples->counts[order[i]];
	}
	for (int column = 0; column < population->ncolumns; column++)
	{
		table->slices[column] = allocate(population, CurrentMemoryContext, sizeof(uint32), nclasses);
		for (uint32 class = 0; class < nclasses; class++)
		{
			uint32		n = 0;

			if (class % 4096 == 0)
				CHECK_FOR_INTERRUPTS();
			for (Size i = start[class]; i < start[class + 1]; i++)
				together[n++] = tuples->slices[column][order[i]];
			table->slices[column][class] = histograms_merge(population->columns[column], together, n);
		}
	}
	return table;
}

int64 *
recoding_people(const Population *population, const RecodedClasses *shown)
{
	int64	   *people = allocate(population, CurrentMemoryContext, sizeof(int64), shown->nclasses);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	TupleTable *table;

	population_mark(population, marks);
	table = recoding_class_table(population, shown->class_of, shown->nclasses);
	for (uint32 class = 0; class < shown->nclasses; class++)
		people[class] = class_people(population, table, class);
	population_release(population, marks);
	return people;
}

LeafBoxes
recoding_boxes(const RecodedClasses *shown)
{
	LeafBoxes	boxes = {shown->nclasses, shown->nclasses, NULL, shown->first_leaf, shown->leaves};

	return boxes;
}

void
recoding_measure(const Population *population, const Promise *promise, const RecodedClasses *shown, Measures *result)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	Measurer   *measurer = measurer_create(population, promise);
	LeafBoxes	boxes = recoding_boxes(shown);

	population_mark(population, marks);
	measurer_look_into_boxes(measurer, &boxes);
	measure_recoding(measurer,
					 recoding_class_table(population, shown->class_of, shown->nclasses), shown->first_leaf, shown->leaves, shown->suppressed, result);
	population_release(population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
