/*
 * classes.c
 *	  The classes into which a generalization puts people: what each holds, and
 *	  what it shows.
 *
 * Leaves are in preorder, so a class of a recoding is defined by its lowest and
 * its highest leaf of each attribute, and its labels cover runs of leaves.
 * Classes that cover the same runs look alike and count as one.  Of two labels
 * that cover the same leaves, only the lower one is ever shown.
 *
 * Measures are computed from the same integers as a node's, added in the same
 * order: a recoding that equals a node has the node's measures, to the last
 * bit.
 */
#include "engine/classes.h"

#include "base/key_counter.h"
#include "engine/known_columns.h"
#include "engine/known_rows.h"
#include "miscadmin.h"

const char *const recoding_labels_names[RECODING_LABELS] = {[LABELS_HIERARCHY] = "hierarchy",[LABELS_RANGE] = "range"};

Classes *
classes_create(const Population *population, const TupleTable *tuples, uint32 n)
{
	Classes    *classes = palloc0(sizeof(Classes));

	classes->population = population;
	classes->tuples = tuples;
	classes->n = classes->nboxes = n;
	classes->class_of_box = population_alloc(population, sizeof(uint32), (Size) n + 1);
	classes->box_of = population_alloc(population, sizeof(uint32), (Size) n + 1);
	for (uint32 class = 0; class < n; class++)
		classes->class_of_box[class] = classes->box_of[class] = class;
	classes->first_leaf = population_alloc(population, sizeof(uint32) * population->nattrs, (Size) n + 1);
	classes->leaves = population_alloc(population, sizeof(uint32) * population->nattrs, (Size) n + 1);
	return classes;
}

Classes *
classes_of_node(const Population *population, const TupleTable *tuples, Recodings finer, Recodings node)
{
	int			bottom[MAX_ATTRIBUTES] = {0};
	uint32	   *class_of;
	TupleTable *table;
	Classes    *classes;

	if (tuples == NULL)
	{
		tuples = population->tuples;
		finer = node_of_levels(population, bottom);
	}
	table = tuple_table_recode(population, tuples, finer, node, CurrentMemoryContext, &class_of);
	classes = classes_create(population, tuples, table->ntuples);
	classes->node = node;
	classes->class_of = class_of;
	classes->table = table;
	for (uint32 class = 0; class < classes->n; class++)
		for (int a = 0; a < population->nattrs; a++)
		{
			Size		at = (Size) class * population->nattrs + a;
			uint32		label = key_get(table->keys + (Size) class * population->nwords, &population->attrs[a].field);

			classes->first_leaf[at] = node[a]->first_leaf[label];
			classes->leaves[at] = node[a]->leaves[label];
		}
	return classes;
}

/* ------------------------------------------------------------- a recoding's */

static inline uint32
leaf_of(const Population *population, uint32 tuple, int a)
{
	return key_get(population->tuples->keys + (Size) tuple * population->nwords, &population->attrs[a].field);
}

/* The lowest and highest leaves of classes, by class and attribute. */
typedef struct LeafBounds
{
	uint32	   *first_tuple;	/* by class, or PG_UINT32_MAX */
	uint32	   *low;
	uint32	   *high;
	int16	   *level;			/* of the label, once widened to it */
} LeafBounds;

static void
bound_classes(const Population *population, const uint32 *class_of, uint32 nclasses, LeafBounds *bounds)
{
	int			nattrs = population->nattrs;

	bounds->first_tuple = population_alloc(population, sizeof(uint32), (Size) nclasses + 1);
	bounds->low = population_alloc(population, sizeof(uint32) * nattrs, (Size) nclasses + 1);
	bounds->high = population_alloc(population, sizeof(uint32) * nattrs, (Size) nclasses + 1);
	bounds->level = population_alloc(population, sizeof(int16) * nattrs, (Size) nclasses + 1);
	memset(bounds->first_tuple, 0xff, sizeof(uint32) * nclasses);
	memset(bounds->low, 0xff, sizeof(uint32) * nattrs * nclasses);
	memset(bounds->high, 0, sizeof(uint32) * nattrs * nclasses);
	for (uint32 tuple = 0; tuple < population->tuples->ntuples; tuple++)
	{
		Size		class = class_of[tuple];

		if (tuple % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (class >= NEW_TUPLE)
			continue;
		if (bounds->first_tuple[class] == PG_UINT32_MAX)
			bounds->first_tuple[class] = tuple;
		for (int a = 0; a < nattrs; a++)
		{
			uint32		leaf = leaf_of(population, tuple, a);
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

/* Finds the first tuple that no label covers together with its class's first. */
static void
find_fault(const Population *population, const uint32 *class_of, uint32 first, int a, ClassFault *fault)
{
	const Attribute *attr = &population->attrs[a];
	uint32		leaf = leaf_of(population, first, a);

	fault->attr = a;
	fault->other = fault->tuple = first;
	while (class_of[fault->tuple] != class_of[first] ||
		   covering_level(attr, leaf, leaf_of(population, fault->tuple, a)) <= attr->hierarchy->height)
		fault->tuple++;
}

/* Widens the bounds of classes to those of their labels; returns false at a fault. */
static bool
widen_classes(const Population *population, const uint32 *class_of, uint32 nclasses, RecodingLabels labels,
			  LeafBounds *bounds, ClassFault *fault)
{
	int			nattrs = population->nattrs;

	for (Size class = 0; class < nclasses; class++)
	{
		if (class % 16384 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < nattrs && bounds->first_tuple[class] != PG_UINT32_MAX; a++)
		{
			const Attribute *attr = &population->attrs[a];
			uint32	   *low = &bounds->low[class * nattrs + a];
			uint32	   *high = &bounds->high[class * nattrs + a];
			int			level = covering_level(attr, *low, *high);
			bool		is_range = labels == LABELS_RANGE && level > attr->min_level;
			const Recoding *shown = &attr->hierarchy->levels[is_range ? attr->min_level : level];

			if (!is_range && level > attr->hierarchy->height)
			{
				find_fault(population, class_of, bounds->first_tuple[class], a, fault);
				return false;
			}
			*low = shown->first_leaf[shown->label_of[*low]];
			*high = shown->first_leaf[shown->label_of[*high]] + shown->leaves[shown->label_of[*high]] - 1;
			bounds->level[class * nattrs + a] = is_range ? -1 : level;
		}
	}
	return true;
}

/*
 * Numbers classes so that those with the same box have one number, in the
 * order of their first tuples, and puts tuples into them.
 */
static void
put_classes(const uint32 *class_of, const LeafBounds *bounds, KeyCounter *boxes, uint32 *number, Classes *classes)
{
	const TupleTable *tuples = classes->tuples;
	int			nattrs = classes->population->nattrs;

	for (uint32 tuple = 0; tuple < tuples->ntuples; tuple++)
	{
		Size		class = class_of[tuple];
		Size		from = class * nattrs;
		Size		to = (Size) boxes->nkeys * nattrs;
		uint64	   *key = key_counter_candidate(boxes);

		if (tuple % 16384 == 0)
			CHECK_FOR_INTERRUPTS();
		classes->class_of[tuple] = NO_CLASS;
		if (class >= NEW_TUPLE)
		{
			classes->suppressed += tuples->counts[tuple];
			continue;
		}
		if (bounds->first_tuple[class] == tuple)
		{
			key[0] = 0;
			for (int a = 0; a < nattrs; a++)
			{
				key[a] = (uint64) bounds->low[from + a] << 32 | bounds->high[from + a];
				classes->first_leaf[to + a] = bounds->low[from + a];
				classes->leaves[to + a] = bounds->high[from + a] - bounds->low[from + a] + 1;
				classes->level[to + a] = bounds->level[from + a];
			}
			number[class] = key_counter_add(boxes, 1);
		}
		classes->class_of[tuple] = number[class];
	}
	classes->n = classes->nboxes = boxes->nkeys;
}

Classes *
classes_of_recoding(const Population *population, const uint32 *class_of, uint32 nclasses, RecodingLabels labels,
					ClassFault *fault)
{
	MemoryContext work = AllocSetContextCreate(population->context, "anonopt recoding looks", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	LeafBounds	bounds;
	Classes    *classes = NULL;

	bound_classes(population, class_of, nclasses, &bounds);
	if (widen_classes(population, class_of, nclasses, labels, &bounds, fault))
	{
		KeyCounter *boxes = key_counter_create(work, Max(population->nattrs, 1), Min(nclasses, 1024));
		uint32	   *number = population_alloc(population, sizeof(uint32), (Size) nclasses + 1);

		MemoryContextSwitchTo(old);
		classes = classes_create(population, population->tuples, nclasses);
		classes->level = population_alloc(population, sizeof(int16) * population->nattrs, (Size) nclasses + 1);
		classes->class_of = population_alloc(population, sizeof(uint32), (Size) population->tuples->ntuples + 1);
		put_classes(class_of, &bounds, boxes, number, classes);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return classes;
}

/* ----------------------------------------------------------- what they hold */

void
classes_count(Classes *classes)
{
	uint32		ntuples = classes->tuples->ntuples;
	uint32	   *class_of;
	bool		all = true;

	if (classes->table != NULL)
		return;
	/* those in no class form a last one */
	class_of = population_alloc(classes->population, sizeof(uint32), (Size) ntuples + 1);
	for (uint32 i = 0; i < ntuples; i++)
	{
		class_of[i] = Min(classes->class_of[i], classes->n);
		all = all && class_of[i] < classes->n;
	}
	classes->table = tuple_table_group(classes->population, classes->tuples, class_of, all ? classes->n : classes->n + 1,
									   CurrentMemoryContext);
	classes->table->ntuples = classes->n;
	pfree(class_of);
}

void
classes_renumber(Classes *classes, const uint32 *number, uint32 n)
{
	const TupleTable *tuples = classes->tuples;
	uint32		hidden = classes->starred > 0 ? n : NO_CLASS;

	classes->suppressed = 0;
	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		uint32		class = classes->class_of[i] < classes->n ? number[classes->class_of[i]] : NO_CLASS;

		classes->class_of[i] = class == NO_CLASS ? hidden : class;
		classes->suppressed += classes->class_of[i] == NO_CLASS ? tuples->counts[i] : 0;
	}
	for (uint32 box = classes->nboxes; box-- > 0;)
	{
		uint32		class = classes->class_of_box[box];

		class = class == NO_CLASS ? NO_CLASS : number[class];
		classes->class_of_box[box] = class;
		if (class != NO_CLASS)
			classes->box_of[class] = box;
	}
	classes->n = n;
	if (classes->table != NULL)
		tuple_table_free(classes->population, classes->table);
	classes->table = NULL;
}

uint32
classes_slices(const Classes *classes, const bool *chosen, int column, uint32 *slices)
{
	uint32		n = 0;

	for (uint32 i = 0; i < classes->n + 1; i++)
		if (chosen[i])
			slices[n++] = classes->table->slices[column][i];
	return n;
}

/* The number of all hidden people, if they would keep the promise as one class, or else 0. */
static int64
people_to_star(const Classes *classes, const Promise *promise, const bool *hidden)
{
	const Population *population = classes->population;
	uint32	   *slices = population_alloc(population, sizeof(uint32), (Size) classes->n + 2);
	int			last = population->ncolumns - 1;
	int64		people;
	int64		rows = 0;

	for (uint32 i = 0; i < classes->n + 1; i++)
		rows += hidden[i] ? classes->table->counts[i] : 0;
	people = rows;
	if (population->has_persons)
		people = persons_together(population_persons(population), slices, classes_slices(classes, hidden, last, slices), PG_INT64_MAX);

	/*
	 * everybody outside matches the labels of a starred class, and so does
	 * every tuple
	 */
	if (people < Max(promise->k, 1) || population_asks_outside(population) || population->possible > 0 ||
		!known_columns_kept_alike(population, -1, people, 0))
		return 0;
	/* one more class, whose risk must not exceed that allowed for all */
	for (int i = 0; i < population->nlimits; i++)
		if ((double) models[population->limits[i].model]->of_all(people, population->limits[i].c) / people > population->limits[i].threshold)
			return 0;
	for (int j = 0; j < population->nsensitive; j++)
	{
		/* merging may reallocate the column's slices */
		uint32		merged = histograms_merge(population->columns[j], slices, classes_slices(classes, hidden, j, slices));

		if (population->columns[j]->slices[merged].breaks != 0 || !known_columns_kept_alike(population, j, rows, merged))
			return 0;
	}
	return people;
}

void
classes_hide(Classes *classes, const Promise *promise, bool star)
{
	Measurer   *measurer = measurer_create(classes->population, promise);
	int64		threshold = size_threshold(measurer, classes->table, 0);
	uint32	   *number = population_alloc(classes->population, sizeof(uint32), (Size) classes->n + 1);
	bool	   *hidden = population_alloc(classes->population, sizeof(bool), (Size) classes->n + 1);
	uint32		n = 0;

	if (classes->node != NULL)
		measurer_look_outside(measurer, classes->node, classes->table);
	else
		measurer_look_into_boxes(measurer, classes);
	find_hidden(measurer, classes->table, threshold, hidden);
	for (uint32 i = 0; i < classes->n; i++)
		number[i] = hidden[i] ? NO_CLASS : n++;
	hidden[classes->n] = classes->suppressed > 0;
	classes->starred = star ? people_to_star(classes, promise, hidden) : 0;
	classes_renumber(classes, number, n);
	pfree(number);
	pfree(hidden);
}

void
classes_leave_out(Classes *classes, const Promise *promise)
{
	const RowsLeft *left = known_rows_leave(known_rows_create(classes->population, promise->k, PG_INT64_MAX), classes->node, false);
	uint32	   *number = population_alloc(classes->population, sizeof(uint32), (Size) classes->n + 1);
	uint32		n = 0;

	memset(number, 0xff, sizeof(uint32) * ((Size) classes->n + 1));
	for (uint32 i = 0; i < classes->tuples->ntuples; i++)
		if (left->rows[i] > 0)
			number[classes->class_of[i]] = 0;
	for (uint32 class = 0; class < classes->n; class++)
		if (number[class] != NO_CLASS)
			number[class] = n++;
	classes_renumber(classes, number, n);
	classes->out = left->out;
	classes->suppressed = left->suppressed;
	pfree(number);
}

void
classes_add_starred(Classes *classes)
{
	uint32		box = classes->nboxes++;

	classes->class_of_box[box] = classes->n;
	classes->box_of[classes->n++] = box;
	for (int a = 0; a < classes->population->nattrs; a++)
	{
		classes->first_leaf[(Size) box * classes->population->nattrs + a] = 0;
		classes->leaves[(Size) box * classes->population->nattrs + a] = classes->population->attrs[a].hierarchy->nleaves;
	}
	classes->starred = 0;
}

void
classes_measure(Classes *classes, const Promise *promise, Measures *result)
{
	const Population *population = classes->population;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt classes", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	Measurer   *measurer = measurer_create(population, promise);
	bool		counted = classes->table != NULL;

	population_mark(population, marks);
	classes_count(classes);
	if (classes->node != NULL)
		measure(measurer, classes->node, classes->table, result);
	else
	{
		measurer_look_into_boxes(measurer, classes);
		measure_recoding(measurer, classes, result);
	}
	population_release(population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	if (!counted)
		classes->table = NULL;
}

double
class_loss(const Classes *classes, uint32 class)
{
	const Population *population = classes->population;
	double		loss = 0;

	for (int a = 0; a < population->nattrs; a++)
		loss += attribute_loss(&population->attrs[a], class_lost(classes, class, a));
	return population->nattrs > 0 ? loss / population->nattrs : 0;
}
