/*
 * box_table.c
 *	  The tuples of a box of nodes, grouped by the classes of its highest node
 *	  and as fine as its lowest node needs.
 *
 * A box search asks, for one node after another that differs from the highest
 * in one attribute, whether so many people are suppressed there that every
 * node below suppresses too many.  The tuples are stored class by class, so
 * that an answer takes one pass with a counter per label.  A negative answer
 * needs only the first tuples: small classes come first, and they break the
 * promise soonest.
 *
 * Classes that cannot split within the box are counted and left out: those of
 * a single tuple, and those that break k or l, because people suppressed for k
 * or l at a node are suppressed at every node below.
 *
 * This does not hold for t, nor for most conditions on a column (histogram.c
 * says how many people are suppressed for those).  But a class at distance d
 * is a mixture of what remains of it at a lower node, at distance t or less,
 * and what is suppressed there, at distance 1 or less, and the distance of a
 * mixture is at most the mean of its parts'.  So at least a share of (d - t) /
 * (1 - t) of its people is suppressed at every node below.
 *
 * The measures of the worst class are bounded in the same way.  At a feasible
 * node at most s of a class's n rows are suppressed, where s is the limit.  So
 * if s < n some parts of it remain, and the worst of them is no better than
 * their mean: its distance is at least (d - s/n) / (1 - s/n), and the share of
 * a value that c rows have is at least (c - s) / (n - s).  A class that cannot
 * split remains unchanged, unless people outside decide on it.
 *
 * "People" here are rows.  If a person may have several, the different people
 * of a class are counted only for k, and only until there are enough: a part
 * of a class holds no more people than the class.
 */
#include "engine/box_table.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "miscadmin.h"

/* Classes are sorted by size up to this; larger ones are not sorted. */
#define SORTED_SIZES 1024

/* Visiting a tuple's values takes as long as visiting this many tuples. */
#define VALUES_EFFORT 8

/* Marks a tuple that is left out. */
#define NO_PLACE PG_UINT32_MAX

void
box_tables_prepare(BoxTables *tables, Population *population, const Promise *promise, int worst,
				   MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Size		ntuples = (Size) population->tuples->ntuples + 1;
	Size		most_leaves = 0;

	memset(tables, 0, sizeof(BoxTables));
	tables->population = population;
	tables->context = context;
	tables->promise = *promise;
	tables->worst = worst;
	/* whoever knows all columns knows the class */
	for (int i = 0; i < population->nknown; i++)
		if (population->known[i].column < 0 && population->known[i].columns >= population->nattrs)
			tables->promise.k = Max(tables->promise.k, (int64) population->known[i].threshold);
	for (int a = 0; a < population->nattrs; a++)
		most_leaves = Max(most_leaves, population->attrs[a].hierarchy->nleaves);
	tables->codes = budget_alloc(sizeof(uint32), most_leaves + 1);
	tables->people = budget_alloc_zero(sizeof(int64), most_leaves + 1);
	tables->members = budget_alloc_zero(sizeof(uint32), most_leaves + 1);
	tables->seen = budget_alloc(sizeof(uint32), most_leaves + 1);
	tables->by_code = budget_alloc(sizeof(uint32), ntuples);
	tables->slots = budget_alloc(sizeof(uint32), 4 * ntuples);
	tables->together = budget_alloc(sizeof(uint32), ntuples);
	tables->marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	MemoryContextSwitchTo(old);
}

/* Whether a promise is about more than the number of rows in a class. */
static bool
looks_closer(const BoxTables *tables)
{
	return tables->population->has_conditions || tables->worst >= 0 ||
		(tables->promise.k > 0 && tables->population->has_persons);
}

/* Whether classes are suppressed for what is not known here: people outside, or what people know. */
static inline bool
suppresses_unseen(const Population *population)
{
	return population_asks_outside(population) || population->nknown > 0;
}

/* ------------------------------------------------------------- memory */

static Size
size_of(const BoxTables *tables, uint32 ntuples, uint32 nclasses)
{
	const Population *population = tables->population;

	return sizeof(BoxTable) + sizeof(BoxClass) * ((Size) nclasses + 1) +
		((Size) ntuples + 1) * (sizeof(uint64) * population->nwords + sizeof(int64) + sizeof(uint32) * population->ncolumns);
}

Size
box_table_size(const BoxTables *tables, const BoxTable *table)
{
	return size_of(tables, table->ntuples, table->nclasses);
}

static BoxTable *
table_alloc(const BoxTables *tables, uint32 ntuples, uint32 nclasses)
{
	const Population *population = tables->population;
	MemoryContext old = MemoryContextSwitchTo(tables->context);
	BoxTable   *table;

	budget_require(tables->population->context, size_of(tables, ntuples, nclasses));
	table = palloc0(sizeof(BoxTable));
	table->keys = palloc(sizeof(uint64 *) * population->nwords);
	for (int word = 0; word < population->nwords; word++)
		table->keys[word] = MemoryContextAllocHuge(tables->context, sizeof(uint64) * ((Size) ntuples + 1));
	table->counts = MemoryContextAllocHuge(tables->context, sizeof(int64) * ((Size) ntuples + 1));
	table->slices = palloc(sizeof(uint32 *) * (population->ncolumns + 1));
	for (int column = 0; column < population->ncolumns; column++)
		table->slices[column] = MemoryContextAllocHuge(tables->context, sizeof(uint32) * ((Size) ntuples + 1));
	table->classes = MemoryContextAllocHuge(tables->context, sizeof(BoxClass) * ((Size) nclasses + 1));
	table->smallest = PG_INT64_MAX;
	MemoryContextSwitchTo(old);
	return table;
}

void
box_table_free(const BoxTables *tables, BoxTable *table)
{
	for (int word = 0; word < tables->population->nwords; word++)
		pfree(table->keys[word]);
	for (int column = 0; column < tables->population->ncolumns; column++)
		pfree(table->slices[column]);
	pfree(table->keys);
	pfree(table->slices);
	pfree(table->counts);
	pfree(table->classes);
	pfree(table);
}

/* ----------------------------------------------------- what is suppressed */

/* Whether a class has too few different people. */
static bool
has_too_few(BoxTables *tables, const BoxTable *table, int64 rows, const uint32 *tuples, uint32 ntuples)
{
	const Population *population = tables->population;
	int64		k = tables->promise.k;

	if (rows < k || k == 0 || !population->has_persons)
		return rows < k;
	for (uint32 i = 0; i < ntuples; i++)
		tables->together[i] = table->slices[population->ncolumns - 1][tuples[i]];
	return persons_together(population_persons(population), tables->together, ntuples, k) < k;
}

/* The histogram of some tuples, given by number, for a column. */
static const ClassHistogram *
slice_of(BoxTables *tables, const BoxTable *table, int column, const uint32 *tuples, uint32 ntuples)
{
	Histograms *histograms = tables->population->columns[column];
	uint32		number;

	for (uint32 i = 0; i < ntuples; i++)
		tables->together[i] = table->slices[column][tuples[i]];
	/* the histograms may have moved after this */
	number = histograms_merge(histograms, tables->together, ntuples);
	return &histograms->slices[number];
}

/*
 * How many of a class's people are suppressed at every node below: all of
 * them, or some because of their values.  Its tuples are given by number.
 */
static int64
doomed(BoxTables *tables, const BoxTable *table, int64 people, const uint32 *tuples, uint32 ntuples)
{
	const Population *population = tables->population;
	int64		least = 0;
	bool		breaks = false;
	bool		too_few = has_too_few(tables, table, people, tuples, ntuples);

	if (too_few || !population->has_conditions)
		return too_few ? people : 0;
	population_mark(population, tables->marks);
	for (int column = 0; column < population->nsensitive; column++)
	{
		const ClassHistogram *slice = slice_of(tables, table, column, tuples, ntuples);

		breaks = breaks || slice->breaks != 0;
		least = Max(least, slice->least_suppressed);
	}
	population_release(population, tables->marks);
	return ntuples == 1 && breaks ? people : least;
}

/* --------------------------------------------------------- the worst class */

/*
 * Raises the lower bound of the worst class's measure by a class, whose tuples
 * are given by number.
 */
static void
tell_worst(BoxTables *tables, const BoxTable *table, int64 people, const uint32 *tuples, uint32 ntuples, BoxTable *to)
{
	const Population *population = tables->population;
	bool		stays = ntuples == 1 && !suppresses_unseen(population);
	int64		suppressed = stays ? 0 : tables->promise.limit;
	const Model *model;

	if (tables->worst < 0 || people <= suppressed)
		return;
	model = models[tables->worst];
	population_mark(population, tables->marks);
	for (int column = 0; column < population->nsensitive; column++)
	{
		const ClassHistogram *slice = slice_of(tables, table, column, tuples, ntuples);
		const Histograms *histograms = population->columns[column];
		ClassValues values = class_values(histograms, slice, histograms->entries + slice->start, people);
		double		worst;

		if (model->is_measure && (population->models & histograms->models & MODEL_BIT(tables->worst)) == 0)
			continue;
		/* for the rest of the class, if so many of its rows may be suppressed */
		worst = model->of_rest(&values, suppressed);
		to->worst = Max(to->worst, stays ? worst : worst - ROUNDING * Max(worst, 1));
	}
	population_release(population, tables->marks);
}

/* ---------------------------------------------------------- labels of a class */

/* Looks up the label of every code of a table at a level. */
static void
show_codes(const BoxTables *tables, const BoxTable *table, int attr, int level)
{
	const Hierarchy *hierarchy = tables->population->attrs[attr].hierarchy;
	const Recoding *below = &hierarchy->levels[table->levels[attr]];
	const Recoding *above = &hierarchy->levels[level];

	for (uint32 code = 0; code < below->nlabels; code++)
		tables->codes[code] = above->label_of[below->first_leaf[code]];
}

/* Counts a class's people and tuples by label; returns how many labels there are. */
static uint32
count_labels(BoxTables *tables, const BoxTable *table, const BoxClass *class, const KeyField *field)
{
	const uint64 *keys = table->keys[field->word] + class->start;
	const int64 *counts = table->counts + class->start;
	const uint32 *codes = tables->codes;
	int64	   *people = tables->people;
	uint32	   *members = tables->members;
	uint32	   *seen = tables->seen;
	int			shift = field->shift;
	uint64		mask = field->mask;
	uint32		ntuples = class->ntuples;
	uint32		nseen = 0;

	for (uint32 i = 0; i < ntuples; i++)
	{
		uint32		label = codes[(keys[i] >> shift) & mask];

		seen[nseen] = label;
		nseen += members[label] == 0;
		members[label]++;
		people[label] += counts[i];
	}
	return nseen;
}

static void
forget_labels(BoxTables *tables, uint32 nseen)
{
	for (uint32 i = 0; i < nseen; i++)
		tables->people[tables->seen[i]] = tables->members[tables->seen[i]] = 0;
}

/*
 * Sorts a class's tuples by label, in order of appearance; afterwards members
 * holds the end of each label's tuples.
 */
static void
order_by_label(BoxTables *tables, const BoxTable *table, const BoxClass *class, const KeyField *field, uint32 nseen)
{
	const uint64 *keys = table->keys[field->word];
	uint32		start = 0;

	for (uint32 i = 0; i < nseen; i++)
	{
		uint32		members = tables->members[tables->seen[i]];

		tables->members[tables->seen[i]] = start;
		start += members;
	}
	for (uint32 i = class->start; i < class->start + class->ntuples; i++)
		tables->by_code[tables->members[tables->codes[(keys[i] >> field->shift) & field->mask]]++] = i;
}

/* --------------------------------------------------------------- questions */

/* Counts a class's people in parts that are too small. */
static int64
suppressed_by_size(BoxTables *tables, const BoxTable *table, const BoxClass *class, const KeyField *field)
{
	const uint64 *keys = table->keys[field->word] + class->start;
	const int64 *counts = table->counts + class->start;
	const uint32 *codes = tables->codes;
	int64	   *people = tables->people;
	int			shift = field->shift;
	uint64		mask = field->mask;
	uint32		ntuples = class->ntuples;
	int64		k = tables->promise.k;
	int64		suppressed = 0;

	for (uint32 i = 0; i < ntuples; i++)
		people[codes[(keys[i] >> shift) & mask]] += counts[i];
	for (uint32 i = 0; i < ntuples; i++)
	{
		uint32		label = codes[(keys[i] >> shift) & mask];

		suppressed += people[label] < k ? people[label] : 0;
		people[label] = 0;
	}
	return suppressed;
}

/* Counts a class's people in parts that break a promise about more than sizes. */
static int64
suppressed_by_value(BoxTables *tables, const BoxTable *table, const BoxClass *class, const KeyField *field)
{
	uint32		nseen = count_labels(tables, table, class, field);
	uint32		start = 0;
	int64		suppressed = 0;

	order_by_label(tables, table, class, field, nseen);
	for (uint32 i = 0; i < nseen; i++)
	{
		uint32		end = tables->members[tables->seen[i]];

		suppressed += doomed(tables, table, tables->people[tables->seen[i]], tables->by_code + start, end - start);
		start = end;
	}
	forget_labels(tables, nseen);
	return suppressed;
}

bool
box_table_can_lower(BoxTables *tables, const BoxTable *table, int attr, int level)
{
	const KeyField *field = &tables->population->attrs[attr].field;
	int64		suppressed = table->suppressed;

	CHECK_FOR_INTERRUPTS();
	show_codes(tables, table, attr, level);
	for (uint32 i = 0; i < table->nclasses && suppressed <= tables->promise.limit; i++)
	{
		const BoxClass *class = &table->classes[i];

		suppressed += looks_closer(tables) ? suppressed_by_value(tables, table, class, field) :
			suppressed_by_size(tables, table, class, field);
		tables->looked_at += (int64) class->ntuples * (looks_closer(tables) ? VALUES_EFFORT : 1);
	}
	return suppressed <= tables->promise.limit;
}

/* --------------------------------------------------------------- new tables */

static inline void
copy_tuple(const Population *population, BoxTable *to, uint32 at, const BoxTable *from, uint32 tuple)
{
	for (int word = 0; word < population->nwords; word++)
		to->keys[word][at] = from->keys[word][tuple];
	to->counts[at] = from->counts[tuple];
	for (int column = 0; column < population->ncolumns; column++)
		to->slices[column][at] = from->slices[column][tuple];
}

/* Counts a class that does not split and keeps the promise. */
static void
keep_class(const BoxTables *tables, BoxTable *table, int64 people)
{
	table->squares += (int128) people * people;
	table->lasting += people > tables->promise.limit;
	if (suppresses_unseen(tables->population) && people <= tables->promise.limit)
		return;
	table->largest = Max(table->largest, people);
	table->smallest = Min(table->smallest, people);
}

/*
 * Allocates a place for a class unless it cannot split within the box; returns
 * where its tuples go, or NO_PLACE.
 */
static uint32
place_class(const BoxTables *tables, BoxTable *to, int64 people, uint32 ntuples, int64 gone)
{
	BoxClass   *class = &to->classes[to->nclasses];

	if (gone == people)
		to->suppressed += people;
	else if (ntuples == 1)
		keep_class(tables, to, people);
	else
	{
		to->doubtful += gone;
		class->start = to->ntuples;
		class->ntuples = ntuples;
		class->people = people;
		to->nclasses++;
		to->ntuples += ntuples;
		return class->start;
	}
	return NO_PLACE;
}

/* Places the parts of a class if a promise is about more, checking values and persons. */
static void
place_parts_by_value(BoxTables *tables, const BoxTable *from, const BoxClass *class, const KeyField *field,
					 BoxTable *to, uint32 nseen)
{
	uint32		start = 0;

	order_by_label(tables, from, class, field, nseen);
	for (uint32 i = 0; i < nseen; i++)
	{
		uint32		label = tables->seen[i];
		uint32		end = tables->members[label];
		int64		people = tables->people[label];
		int64		gone = doomed(tables, from, people, tables->by_code + start, end - start);

		tables->members[label] = place_class(tables, to, people, end - start, gone);
		if (gone < people)
			tell_worst(tables, from, people, tables->by_code + start, end - start, to);
		start = end;
	}
}

/* Copies a class's tuples to the places of their labels. */
static void
move_parts(BoxTables *tables, const BoxTable *from, const BoxClass *class, const KeyField *field, BoxTable *to)
{
	const Population *population = tables->population;
	const uint64 *keys = from->keys[field->word];
	const uint32 *codes = tables->codes;
	uint32	   *members = tables->members;
	int			shift = field->shift;
	uint64		mask = field->mask;
	uint32		end = class->start + class->ntuples;
	bool		narrow = population->nwords == 1 && population->ncolumns == 0;
	const int64 *counts = from->counts;
	uint64	   *to_keys = to->keys[0];
	int64	   *to_counts = to->counts;

	for (uint32 i = class->start; i < end; i++)
	{
		uint32		label = codes[(keys[i] >> shift) & mask];
		uint32		place = members[label];

		if (place == NO_PLACE)
			continue;
		members[label]++;
		if (narrow)
		{
			to_keys[place] = keys[i];
			to_counts[place] = counts[i];
		}
		else
			copy_tuple(population, to, place, from, i);
	}
}

/* Puts small classes first. */
static void
sort_classes(const BoxTables *tables, BoxTable *table)
{
	BoxClass   *sorted = MemoryContextAllocHuge(tables->context, sizeof(BoxClass) * ((Size) table->nclasses + 1));
	uint32		start[SORTED_SIZES + 2] = {0};

	for (uint32 i = 0; i < table->nclasses; i++)
		start[Min(table->classes[i].people, SORTED_SIZES) + 1]++;
	for (int size = 0; size <= SORTED_SIZES; size++)
		start[size + 1] += start[size];
	for (uint32 i = 0; i < table->nclasses; i++)
		sorted[start[Min(table->classes[i].people, SORTED_SIZES)]++] = table->classes[i];
	pfree(table->classes);
	table->classes = sorted;
}

BoxTable *
box_table_lower(BoxTables *tables, const BoxTable *table, int attr, int level)
{
	const KeyField *field = &tables->population->attrs[attr].field;
	BoxTable   *lower = table_alloc(tables, table->ntuples, table->ntuples / 2);

	CHECK_FOR_INTERRUPTS();
	memcpy(lower->levels, table->levels, sizeof(lower->levels));
	lower->suppressed = table->suppressed;
	lower->squares = table->squares;
	lower->lasting = table->lasting;
	lower->largest = table->largest;
	lower->smallest = table->smallest;
	lower->worst = table->worst;
	show_codes(tables, table, attr, level);
	for (uint32 i = 0; i < table->nclasses; i++)
	{
		const BoxClass *class = &table->classes[i];
		uint32		nseen = count_labels(tables, table, class, field);
		uint32		nplaced = lower->ntuples;

		if (looks_closer(tables))
			place_parts_by_value(tables, table, class, field, lower, nseen);
		else
			/* members receives where the tuples of a label go */
			for (uint32 j = 0; j < nseen; j++)
			{
				uint32		label = tables->seen[j];
				int64		people = tables->people[label];

				tables->members[label] = place_class(tables, lower, people, tables->members[label],
													 people < tables->promise.k ? people : 0);
			}
		if (lower->ntuples > nplaced)
			move_parts(tables, table, class, field, lower);
		forget_labels(tables, nseen);
		tables->looked_at += (int64) class->ntuples * (looks_closer(tables) ? VALUES_EFFORT : 1);
		if (lower->suppressed + lower->doubtful > tables->promise.limit)
		{
			box_table_free(tables, lower);
			return NULL;
		}
	}
	sort_classes(tables, lower);
	return lower;
}

BoxTable *
box_table_create(BoxTables *tables, const int *highest)
{
	const TupleTable *tuples = tables->population->tuples;
	int			nwords = tables->population->nwords;
	BoxTable   *table = table_alloc(tables, tables->empty ? 0 : tuples->ntuples, 1);

	if (tables->empty)
		return table;
	/* the table of the lattice's top */
	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		for (int word = 0; word < nwords; word++)
			table->keys[word][i] = tuples->keys[(Size) i * nwords + word];
		table->counts[i] = tuples->counts[i];
		for (int column = 0; column < tables->population->ncolumns; column++)
			table->slices[column][i] = tuples->slices[column][i];
	}
	table->ntuples = tuples->ntuples;
	table->nclasses = 1;
	table->classes[0].start = 0;
	table->classes[0].ntuples = tuples->ntuples;
	table->classes[0].people = tables->population->people;
	for (int a = 0; a < tables->population->nattrs && table != NULL; a++)
	{
		BoxTable   *lower;

		/*
		 * the first attribute is lowered in any case, since the single class
		 * may break the promise
		 */
		if (a > 0 && highest[a] == tables->population->attrs[a].hierarchy->height)
			continue;
		lower = box_table_lower(tables, table, a, highest[a]);
		box_table_free(tables, table);
		table = lower;
	}
	return table;
}

/* ------------------------------------------------------------------ joining */

/* Generalizes a table's keys. */
static void
raise_keys(BoxTables *tables, BoxTable *table, const int *lowest)
{
	for (int a = 0; a < tables->population->nattrs; a++)
	{
		const KeyField *field = &tables->population->attrs[a].field;
		uint64	   *keys = table->keys[field->word];
		uint64		others = ~(field->mask << field->shift);

		if (table->levels[a] >= lowest[a])
			continue;
		show_codes(tables, table, a, lowest[a]);
		table->levels[a] = lowest[a];
		for (uint32 i = 0; i < table->ntuples; i++)
			keys[i] = (keys[i] & others) | ((uint64) tables->codes[(keys[i] >> field->shift) & field->mask] << field->shift);
	}
}

static bool
same_key(const BoxTables *tables, const BoxTable *table, uint32 a, uint32 b)
{
	for (int word = 0; word < tables->population->nwords; word++)
		if (table->keys[word][a] != table->keys[word][b])
			return false;
	return true;
}

static uint64
hash_key(const BoxTables *tables, const BoxTable *table, uint32 tuple)
{
	uint64		hash = table->keys[0][tuple] * UINT64CONST(0x9e3779b97f4a7c15);

	for (int word = 1; word < tables->population->nwords; word++)
		hash = ((hash >> 32) ^ hash ^ table->keys[word][tuple]) * UINT64CONST(0x9e3779b97f4a7c15);
	return hash;
}

/* Merges a class's equal tuples, which move towards the front. */
static void
join_class(BoxTables *tables, BoxTable *table, BoxClass *class, uint32 place)
{
	int			bits = pg_leftmost_one_pos32(class->ntuples) + 2;
	uint32		mask = ((uint32) 1 << bits) - 1;
	uint32		end = place;

	memset(tables->slots, 0, sizeof(uint32) << bits);
	for (uint32 i = class->start; i < class->start + class->ntuples; i++)
	{
		uint32		at = (uint32) (hash_key(tables, table, i) >> (64 - bits));

		while (tables->slots[at] != 0 && !same_key(tables, table, tables->slots[at] - 1, i))
			at = (at + 1) & mask;
		if (tables->slots[at] != 0)
		{
			table->counts[tables->slots[at] - 1] += table->counts[i];
			continue;
		}
		copy_tuple(tables->population, table, end++, table, i);
		tables->slots[at] = end;
	}
	class->start = place;
	class->ntuples = end - place;
}

/*
 * Histograms are not merged, because their memory could not be freed in
 * arbitrary order.
 */
void
box_table_join(BoxTables *tables, BoxTable *table, const int *lowest)
{
	uint32		nclasses = 0;
	uint32		ntuples = 0;

	if (tables->population->ncolumns > 0)
		return;
	raise_keys(tables, table, lowest);
	tables->looked_at += 4 * (int64) table->ntuples;

	/*
	 * in the order of the tuples, so that none is overwritten before it is
	 * read
	 */
	qsort(table->classes, table->nclasses, sizeof(BoxClass), compare_uint32s);
	for (uint32 i = 0; i < table->nclasses; i++)
	{
		BoxClass   *class = &table->classes[i];

		join_class(tables, table, class, ntuples);
		if (class->ntuples == 1)
		{
			keep_class(tables, table, class->people);
			continue;
		}
		ntuples += class->ntuples;
		table->classes[nclasses++] = *class;
	}
	table->ntuples = ntuples;
	table->nclasses = nclasses;
	sort_classes(tables, table);
}

int128
box_table_squares(const BoxTable *table)
{
	int128		squares = table->squares;

	for (uint32 i = 0; i < table->ntuples; i++)
		squares += (int128) table->counts[i] * table->counts[i];
	return squares;
}

int64
box_table_lasting(const BoxTables *tables, const BoxTable *table)
{
	int64		lasting = table->lasting;

	for (uint32 i = 0; i < table->nclasses; i++)
		lasting += table->classes[i].people > tables->promise.limit;
	return lasting;
}

/*
 * A class that is too large to be suppressed leaves a part no larger than
 * itself; and a tuple with too many people to be suppressed is in a class of
 * at least as many.
 */
int64
box_table_spread(const BoxTables *tables, const BoxTable *table)
{
	int64		largest = table->largest;
	int64		smallest = table->smallest;

	/* a person may be in several classes */
	if (tables->population->has_persons)
		return 0;
	for (uint32 i = 0; i < table->nclasses; i++)
		if (table->classes[i].people > tables->promise.limit)
			smallest = Min(smallest, table->classes[i].people);
	for (uint32 i = 0; i < table->ntuples; i++)
		if (table->counts[i] > tables->promise.limit)
			largest = Max(largest, table->counts[i]);
	return Max(largest - smallest, 0);
}
