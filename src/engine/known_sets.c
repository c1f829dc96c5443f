/*
 * known_sets.c
 *	  What every set of columns that may be known suppresses by itself: bounds
 *	  for searches.
 *
 * A set S of a few columns has a tiny lattice of its own.  At each of its
 * nodes, the rows in classes of S that break the promise are suppressed at
 * every node of all columns with these levels of S, and at those below.  So
 * they are counted once, for every S and each of its nodes: if they exceed the
 * limit, so do those of all nodes with such levels.  Otherwise they are listed.
 * A node of all columns is looked at without a table of its classes: it
 * suppresses at least the union of the lists of all S.
 *
 * That is nearly all that it suppresses.  What is missing are classes of S that
 * break the promise only because some of their rows are suppressed for another
 * S.  Those are mostly small, so classes of S with a few people more than
 * promised are listed, too, and taken when the union leaves too few of them.
 * For larger ones only measuring the node tells.
 *
 * A promise for m columns holds for fewer, since their classes are unions.  If
 * the nodes of all sets are too many, smaller sets give a weaker bound; so do
 * sets without lists, once memory is short.
 */
#include "engine/known_sets.h"

#include "base/budget.h"
#include "base/progress.h"
#include "engine/known_columns.h"
#include "engine/lattice.h"
#include "engine/node_classes.h"
#include "miscadmin.h"

/* The most tuples to visit for all sets of a promise, some ten seconds. */
#define MOST_EFFORT 2e9

/* Tuples of a set that look the same at the lowest levels: on average so many. */
#define TUPLES_A_CELL 4

/* Counting a node takes as long as visiting this many, at least. */
#define FEWEST_CELLS 1000

/* Classes are listed that have up to so many times as many people as promised. */
#define FRAGILE 4

typedef struct KnownNode
{
	int64		suppressed;		/* rows; more than the limit if it is out */
	Size		start;			/* of the list of its tuples */
	uint32		length;
	uint32		fragile;		/* length of the list behind it: a number of
								 * tuples, and these tuples, for each class */
} KnownNode;

typedef struct KnownSet
{
	const ColumnsKnown *known;
	int			size;
	int		   *attrs;
	int		   *strides;		/* between nodes, by attribute */
	Size		first;			/* of its nodes */
	Size		nnodes;
} KnownSet;

struct KnownSets
{
	const Population *population;
	MemoryContext context;
	int64		limit;
	const TupleTable *tuples;	/* at the lowest levels */
	Recodings	lowest;
	Size		nsets;
	KnownSet   *sets;
	Size		nnodes;
	KnownNode  *nodes;
	bool		lists;			/* there is memory for them */
	Size		nlisted;
	Size		capacity;
	uint32	   *listed;
	int64		looked_at;

	/* the last node looked at */
	const KnownNode **here;		/* by set */
	uint32	   *stamps;			/* by tuple: of the node where it was taken
								 * last */
	uint32		stamp;
	uint32	   *taken;			/* tuples that are suppressed */
	uint32		ntaken;
	int64		rows;			/* in these */

	/* while a set is counted */
	ClassCounter *cells_of;		/* counts its classes at the lowest levels */
	ClassCounter *classes_of;	/* and those of each node */
	uint32	   *cell_of;		/* by tuple */
	uint32	   *start;			/* of each cell's tuples */
	uint32	   *by_cell;		/* tuples, cell by cell */
	uint32	   *class_of;		/* by cell */
	uint32	   *class_start;	/* of each class's cells */
	uint32	   *by_class;		/* cells, class by class */
	uint32	   *slices;			/* by cell, if the promise needs histograms */
	uint32	   *together;
};

/* ------------------------------------------------------------------ creating */

/* The nodes of all sets of a size. */
static double
nodes_of_size(const KnownSets *s, int size)
{
	double		of_size[MAX_ATTRIBUTES + 1] = {1};

	/* by the first attributes: the sum over their sets of each size */
	for (int a = 0; a < s->population->nattrs; a++)
		for (int n = a + 1; n > 0; n--)
			of_size[n] += of_size[n - 1] * span_of(s->population, a);
	return of_size[size];
}

/* The size of the sets to count for a promise: its own, unless that takes too long or too much memory. */
static int
size_to_count(const KnownSets *s, const ColumnsKnown *known)
{
	int			size = known_columns_size(s->population, known);
	double		cells = Max(s->tuples->ntuples / TUPLES_A_CELL, FEWEST_CELLS);

	for (; size > 1; size--)
	{
		double		sets = known_columns_sets(s->population->nattrs, size);
		double		nodes = nodes_of_size(s, size);

		if (s->tuples->ntuples * sets + cells * nodes <= MOST_EFFORT &&
			(sizeof(KnownSet) + sizeof(int) * 4 * size) * sets + sizeof(KnownNode) * nodes <= budget_limit() / 4)
			break;
	}
	return size;
}

static KnownSet *
add_set(KnownSets *s, const ColumnsKnown *known, const int *attrs, int size)
{
	KnownSet   *set = &s->sets[s->nsets++];

	set->known = known;
	set->size = size;
	set->attrs = memcpy(MemoryContextAlloc(s->context, sizeof(int) * 2 * size), attrs, sizeof(int) * size);
	set->strides = set->attrs + size;
	set->first = s->nnodes;
	set->nnodes = 1;
	for (int i = 0; i < size; i++)
	{
		set->strides[i] = (int) set->nnodes;
		set->nnodes *= span_of(s->population, attrs[i]);
	}
	s->nnodes += set->nnodes;
	return set;
}

/* Groups the tuples by a set at the lowest levels. */
static TupleTable
count_cells(KnownSets *s, const KnownSet *set)
{
	TupleTable	cells;

	class_counter_keep(s->cells_of, set->attrs, set->size);
	class_counter_count(s->cells_of, s->tuples, s->cell_of);
	cells = s->cells_of->classes;
	group_by_class(s->cell_of, s->tuples->ntuples, cells.ntuples, NULL, s->start, s->by_cell);
	return cells;
}

/* Merges the histograms of each cell for the column that a promise needs. */
static void
merge_cells(KnownSets *s, const TupleTable *cells, int column)
{
	for (uint32 cell = 0; cell < cells->ntuples; cell++)
	{
		uint32		n = 0;

		for (uint32 i = s->start[cell]; i < s->start[cell + 1]; i++)
			s->together[n++] = s->tuples->slices[column][s->by_cell[i]];
		s->slices[cell] = histograms_merge(s->population->columns[column], s->together, n);
	}
}

/* Whether a node above this one by a level is out, and so is this. */
static bool
is_below_out(const KnownSets *s, const KnownSet *set, Size node)
{
	for (int i = 0; i < set->size; i++)
	{
		Size		level = node / set->strides[i] % span_of(s->population, set->attrs[i]);

		if (level + 1 < span_of(s->population, set->attrs[i]) &&
			s->nodes[set->first + node + set->strides[i]].suppressed > s->limit)
			return true;
	}
	return false;
}

/* Lists the tuples of a class; stops listing for good when memory is short. */
static void
list_class(KnownSets *s, uint32 class, bool with_length)
{
	uint32		n = 0;

	for (uint32 i = s->class_start[class]; i < s->class_start[class + 1]; i++)
		n += s->start[s->by_class[i] + 1] - s->start[s->by_class[i]];
	while (s->lists && s->nlisted + n + 1 > s->capacity)
	{
		/* a part of the memory is for the search itself */
		s->lists = budget_allows(s->population->context, s->capacity * 2 * sizeof(uint32) + budget_limit() / 4);
		if (s->lists)
			s->listed = budget_grow(s->context, s->listed, sizeof(uint32), &s->capacity);
	}
	if (!s->lists)
		return;
	if (with_length)
		s->listed[s->nlisted++] = n;
	for (uint32 i = s->class_start[class]; i < s->class_start[class + 1]; i++)
		for (uint32 j = s->start[s->by_class[i]]; j < s->start[s->by_class[i] + 1]; j++)
			s->listed[s->nlisted++] = s->by_cell[j];
}

/* Groups a set's cells by the labels of a node. */
static void
count_classes(KnownSets *s, const KnownSet *set, Size node, const TupleTable *cells)
{
	const Recoding **shown = palloc(sizeof(Recoding *) * (s->population->nattrs + 1));

	memcpy(shown, s->lowest, sizeof(Recoding *) * s->population->nattrs);
	for (int i = 0; i < set->size; i++)
	{
		const Attribute *attr = &s->population->attrs[set->attrs[i]];
		Size		level = node / set->strides[i] % span_of(s->population, set->attrs[i]);

		shown[set->attrs[i]] = &attr->hierarchy->levels[attr->min_level + level];
	}
	class_counter_recode(s->classes_of, cells, s->lowest, shown, s->class_of);
	group_by_class(s->class_of, cells->ntuples, s->classes_of->classes.ntuples, NULL, s->class_start, s->by_class);
	pfree(shown);
}

/* Whether a class of a node breaks the promise. */
static bool
class_is_out(KnownSets *s, const KnownSet *set, uint32 class)
{
	const ColumnsKnown *known = set->known;
	int64		rows = s->classes_of->classes.counts[class];
	bool		needs_slices = known_columns_column(s->population, known) >= 0;
	uint32		n = 0;

	for (uint32 i = s->class_start[class]; i < s->class_start[class + 1] && needs_slices; i++)
		s->together[n++] = s->slices[s->by_class[i]];
	return known->threshold >
		known_columns_figure(s->population, known, s->together, n, rows, (int64) known->threshold);
}

/* Counts and lists what a node of a set suppresses. */
static void
count_node(KnownSets *s, const KnownSet *set, Size node, const TupleTable *cells)
{
	KnownNode  *counted = &s->nodes[set->first + node];
	const int64 *rows = s->classes_of->classes.counts;

	memset(counted, 0, sizeof(KnownNode));
	counted->suppressed = s->limit + 1;
	if (is_below_out(s, set, node))
		return;
	count_classes(s, set, node, cells);
	counted->suppressed = 0;
	counted->start = s->nlisted;
	for (uint32 class = 0; class < s->classes_of->classes.ntuples && counted->suppressed <= s->limit; class++)
	{
		if (!class_is_out(s, set, class))
			continue;
		counted->suppressed += rows[class];
		list_class(s, class, false);
	}
	if (counted->suppressed > s->limit)
		s->nlisted = counted->start;
	counted->length = (uint32) (s->nlisted - counted->start);
	if (counted->suppressed > s->limit || known_columns_column(s->population, set->known) >= 0)
		return;
	for (uint32 class = 0; class < s->classes_of->classes.ntuples; class++)
		if (rows[class] >= set->known->threshold && rows[class] < FRAGILE * set->known->threshold)
			list_class(s, class, true);
	counted->fragile = (uint32) (s->nlisted - counted->start - counted->length);
}

/* Counts the nodes of a set, until there is no time left: of the others, nothing is known. */
static void
count_set(KnownSets *s, const KnownSet *set, int64 until, bool *in_time)
{
	TupleTable	cells = count_cells(s, set);
	int			column = known_columns_column(s->population, set->known);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (s->population->ncolumns + 1));

	population_mark(s->population, marks);
	if (column >= 0)
		merge_cells(s, &cells, column);
	/* nodes above come first */
	for (Size node = set->nnodes; node-- > 0;)
	{
		CHECK_FOR_INTERRUPTS();
		if (time_is_up(until, in_time))
			memset(&s->nodes[set->first + node], 0, sizeof(KnownNode));
		else
			count_node(s, set, node, &cells);
	}
	population_release(s->population, marks);
	pfree(marks);
}

/* Counts all sets of a promise, as far as there is time. */
static void
count_sets(KnownSets *s, const ColumnsKnown *known, int64 until)
{
	int			size = size_to_count(s, known);
	int			attrs[MAX_ATTRIBUTES];
	bool		in_time = true;

	known_columns_first(attrs, size);
	do
	{
		count_set(s, add_set(s, known, attrs, size), until, &in_time);
	} while (known_columns_next(attrs, size, s->population->nattrs) && !time_is_up(until, &in_time));
}

/* Makes room for all sets. */
static void
prepare_sets(KnownSets *s)
{
	const Population *population = s->population;
	int			bottom[MAX_ATTRIBUTES] = {0};
	const Recoding **leaves = node_of_levels(population, bottom);
	double		sets = 0;
	double		nodes = 0;
	Size		room;

	for (int a = 0; a < population->nattrs; a++)
		bottom[a] = population->attrs[a].min_level;
	s->lowest = node_of_levels(population, bottom);
	s->tuples = tuple_table_recode(population, population->tuples, leaves, s->lowest, s->context, NULL);
	for (int i = 0; i < population->nknown; i++)
	{
		int			size = size_to_count(s, &population->known[i]);

		sets += known_columns_sets(population->nattrs, size);
		nodes += nodes_of_size(s, size);
	}
	room = (Size) s->tuples->ntuples + 1;
	s->sets = population_alloc(population, sizeof(KnownSet), (Size) sets + 1);
	s->nodes = population_alloc(population, sizeof(KnownNode), (Size) nodes + 1);
	s->here = population_alloc(population, sizeof(KnownNode *), (Size) sets + 1);
	s->stamps = memset(population_alloc(population, sizeof(uint32), room), 0, sizeof(uint32) * room);
	s->taken = population_alloc(population, sizeof(uint32), room);
	s->cells_of = class_counter_create(s->context, population, s->tuples->ntuples);
	s->classes_of = class_counter_create(s->context, population, s->tuples->ntuples);
	s->cell_of = population_alloc(population, sizeof(uint32), room);
	s->start = population_alloc(population, sizeof(uint32), room);
	s->by_cell = population_alloc(population, sizeof(uint32), room);
	s->class_of = population_alloc(population, sizeof(uint32), room);
	s->class_start = population_alloc(population, sizeof(uint32), room);
	s->by_class = population_alloc(population, sizeof(uint32), room);
	s->slices = population_alloc(population, sizeof(uint32), room);
	s->together = population_alloc(population, sizeof(uint32), room);
}

KnownSets *
known_sets_create(const Population *population, int64 limit, int64 deadline)
{
	MemoryContext context;
	MemoryContext old;
	KnownSets  *s;
	TimestampTz now = GetCurrentTimestamp();

	if (population->nknown == 0 || population->nattrs == 0)
		return NULL;
	(void) known_columns_count(population);
	context = AllocSetContextCreate(population->context, "anonopt known sets", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	s = palloc0(sizeof(KnownSets));
	s->population = population;
	s->context = context;
	s->limit = limit;
	s->lists = true;
	prepare_sets(s);
	/* whoever knows all columns knows the class */
	for (int i = 0; i < population->nknown; i++)
		if (population->known[i].column >= 0 || population->known[i].columns < population->nattrs)
			count_sets(s, &population->known[i], deadline == 0 ? 0 : now + (deadline - now) / 2);
	MemoryContextSwitchTo(old);
	return s;
}

/* ------------------------------------------------------------------- looking */

static inline void
take(KnownSets *s, uint32 tuple)
{
	if (s->stamps[tuple] == s->stamp)
		return;
	s->stamps[tuple] = s->stamp;
	s->taken[s->ntaken++] = tuple;
	s->rows += s->tuples->counts[tuple];
}

/* Takes the small classes of which too few are left; returns whether there were any. */
static bool
take_fragile(KnownSets *s, const KnownSet *set, const KnownNode *node)
{
	const uint32 *class = s->listed + node->start + node->length;
	const uint32 *end = class + node->fragile;
	uint32		before = s->ntaken;

	for (; class < end; class += 1 + *class)
	{
		int64		left = 0;

		for (uint32 i = 1; i <= *class; i++)
			left += s->stamps[class[i]] == s->stamp ? 0 : s->tuples->counts[class[i]];
		if (left == 0 || left >= set->known->threshold)
			continue;
		for (uint32 i = 1; i <= *class; i++)
			take(s, class[i]);
	}
	s->looked_at += node->fragile;
	return s->ntaken > before;
}

bool
known_sets_out(KnownSets *s, const int *levels, int64 limit)
{
	bool		any = true;

	CHECK_FOR_INTERRUPTS();
	if (++s->stamp == 0)
	{
		memset(s->stamps, 0, sizeof(uint32) * s->tuples->ntuples);
		s->stamp = 1;
	}
	s->ntaken = 0;
	s->rows = 0;
	s->looked_at += s->nsets;
	for (Size i = 0; i < s->nsets; i++)
	{
		const KnownSet *set = &s->sets[i];
		Size		node = set->first;

		for (int j = 0; j < set->size; j++)
			node += (Size) set->strides[j] * (levels[set->attrs[j]] - s->population->attrs[set->attrs[j]].min_level);
		if (s->nodes[node].suppressed > limit)
			return true;
		s->here[i] = &s->nodes[node];
	}
	for (Size i = 0; i < s->nsets && s->rows <= limit; i++)
	{
		const KnownNode *node = s->here[i];

		for (uint32 j = 0; j < node->length; j++)
			take(s, s->listed[node->start + j]);
		s->looked_at += node->length;
	}
	while (any && s->rows <= limit)
	{
		any = false;
		for (Size i = 0; i < s->nsets && s->rows <= limit; i++)
			any = take_fragile(s, &s->sets[i], s->here[i]) || any;
	}
	return s->rows > limit;
}

void
known_sets_lost(const KnownSets *s, const int *lowest, const int *highest, int128 *more)
{
	for (int a = 0; a < s->population->nattrs; a++)
	{
		const Attribute *attr = &s->population->attrs[a];
		const Recoding *below = s->lowest[a];
		uint32		whole = whole_lost(attr->hierarchy);

		for (int level = lowest[a]; level <= highest[a]; level++)
		{
			const Recoding *above = &attr->hierarchy->levels[level];
			int128		lost = 0;

			for (uint32 i = 0; i < s->ntaken; i++)
			{
				uint32		tuple = s->taken[i];
				uint32		code = key_get(s->tuples->keys + (Size) tuple * s->population->nwords, &attr->field);

				lost += (int128) s->tuples->counts[tuple] *
					(whole - label_lost(attr->hierarchy, above, above->label_of[below->first_leaf[code]]));
			}
			more[level] = lost;
		}
		more += attr->hierarchy->height + 1;
	}
}

int64
known_sets_effort(const KnownSets *sets)
{
	return sets->looked_at;
}

int64
known_sets_measuring(const KnownSets *sets)
{
	return (int64) sets->nsets * sets->tuples->ntuples;
}
