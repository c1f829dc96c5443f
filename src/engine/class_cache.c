/*
 * class_cache.c
 *	  Classes of nodes visited in any order, each computed from those of an
 *	  earlier, finer node.
 *
 * A search that jumps around shares little with the previous node.  But it has
 * usually visited some finer node with few classes, from which the new node's
 * can be computed at the cost of their number.  So tables are kept as long as
 * memory lasts, and the smallest suitable one is used.  If that one was far
 * too large, a table slightly finer than the node is built as well, for nearby
 * nodes that the search is likely to visit next.
 */
#include "engine/node_classes.h"

#include "base/budget.h"
#include "engine/known_nodes.h"
#include "miscadmin.h"

/* A table is kept if it is this many times smaller than its source. */
#define WORTH_KEEPING 1.1

/*
 * A table is far too large if it has this many times the classes computed from
 * it.
 */
#define FAR_TOO_LARGE 8

/*
 * The most changing attributes for which keys are recoded one attribute at a
 * time.
 */
#define FEW_CHANGES 8

typedef struct Kept
{
	const int  *levels;
	const Recoding *const *node;
	const TupleTable *table;
} Kept;

/* An attribute that a node shows differently from the source of its classes. */
typedef struct Change
{
	int			shift;
	uint64		mask;
	const uint64 *codes;		/* of each code of the source, in place */
} Change;

struct ClassCache
{
	Population *population;
	MemoryContext context;
	MemoryContext scratch;		/* of the last node, unless it is kept */
	HistogramMark *marks;		/* before its histograms were built */
	bool		releasable;
	ClassCounter *class_counter;	/* if only people are counted */
	TupleTable *room;			/* for classes in keys of one word */
	uint32	   *slots;			/* a class's number plus one; all are free
								 * between two nodes */
	uint32	   *class_of;		/* each tuple's class, if values are counted
								 * too */
	bool		wants_finer;	/* a table near the last node */
	int			finer[MAX_ATTRIBUTES];	/* its levels */
	Kept		read;			/* the tuples as they were read */
	KnownNodes *nodes;			/* number of classes of each kept table */
	Size		nkept;
	Size		capacity;
	Kept	   *kept;
};

static KeyField *
key_fields(const Population *population)
{
	KeyField   *fields = MemoryContextAlloc(population->context, sizeof(KeyField) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
		fields[a] = population->attrs[a].field;
	return fields;
}

/*
 * Bits of a slot number for a number of tuples; less than half of the slots
 * are ever used.
 */
static int
slot_bits(uint32 ntuples)
{
	return Min(pg_leftmost_one_pos32(Max(ntuples, 1)) + 2, 32);
}

ClassCache *
class_cache_create(Population *population)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt class cache", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ClassCache *cache = palloc0(sizeof(ClassCache));
	int		   *bottom = palloc0(sizeof(int) * MAX_ATTRIBUTES);

	cache->population = population;
	cache->context = context;
	cache->scratch = AllocSetContextCreate(context, "anonopt class cache node", ALLOCSET_DEFAULT_SIZES);
	cache->marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	cache->nodes = known_nodes_create(population, context);
	cache->read.levels = bottom;
	cache->read.node = node_of_levels(population, bottom);
	cache->read.table = population->tuples;
	if (population->ncolumns == 0)
		cache->class_counter = class_counter_create(context, population->nattrs, key_fields(population), population->nwords,
													population->tuples->ntuples);
	if (population->nwords == 1)
	{
		cache->room = tuple_table_create(population, context, population->tuples->ntuples);
		cache->slots = budget_alloc_zero(sizeof(uint32), (Size) 1 << slot_bits(population->tuples->ntuples));
		if (population->ncolumns > 0)
			cache->class_of = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);
	}
	MemoryContextSwitchTo(old);
	return cache;
}

/* ---------------------------------------------------------- kept tables */

/* The smallest kept table of a node that is nowhere coarser. */
static const Kept *
find_source(const ClassCache *cache, const int *levels)
{
	int64		found = known_nodes_least_below(cache->nodes, levels);

	return found < 0 ? &cache->read : &cache->kept[found];
}

static TupleTable *
copy_table(const Population *population, const TupleTable *table, MemoryContext context)
{
	TupleTable *copy = tuple_table_create(population, context, table->ntuples);

	copy->ntuples = table->ntuples;
	memcpy(copy->keys, table->keys, sizeof(uint64) * population->nwords * table->ntuples);
	memcpy(copy->counts, table->counts, sizeof(int64) * table->ntuples);
	for (int column = 0; column < population->ncolumns; column++)
		memcpy(copy->slices[column], table->slices[column], sizeof(uint32) * table->ntuples);
	return copy;
}

/* Whether a table is worth its memory; two thirds of the total are left to others. */
static bool
is_worth_keeping(const ClassCache *cache, const TupleTable *source, const TupleTable *table)
{
	Size		size = (Size) table->ntuples * sizeof(uint64) * (cache->population->nwords + 2);

	return table->ntuples * WORTH_KEEPING <= source->ntuples &&
		budget_allows(cache->population->context, size + budget_limit() / 3 * 2);
}

/* Keeps a table, unless there is no memory for it; returns whether it did. */
static bool
keep(ClassCache *cache, const int *levels, Recodings node, const TupleTable *table)
{
	int			nattrs = cache->population->nattrs;
	const Recoding **own_node;
	int		   *own_levels;

	if (!known_nodes_add(cache->nodes, levels, table->ntuples))
		return false;
	own_node = MemoryContextAlloc(cache->context, sizeof(Recoding *) * nattrs);
	memcpy(own_node, node, sizeof(Recoding *) * nattrs);
	if (cache->nkept == cache->capacity)
		cache->kept = budget_grow(cache->context, cache->kept, sizeof(Kept), &cache->capacity);
	own_levels = MemoryContextAlloc(cache->context, sizeof(int) * nattrs);
	memcpy(own_levels, levels, sizeof(int) * nattrs);
	cache->kept[cache->nkept].levels = own_levels;
	cache->kept[cache->nkept].node = own_node;
	cache->kept[cache->nkept++].table = copy_table(cache->population, table, cache->context);
	return true;
}

/* -------------------------------------------------------------- counting */

/* Lists the attributes that a node shows differently; returns their number. */
static int
list_changes(const Population *population, Recodings from, Recodings to, Change *changes)
{
	int			n = 0;

	for (int a = 0; a < population->nattrs; a++)
	{
		const KeyField *field = &population->attrs[a].field;
		uint64	   *codes;

		if (from[a] == to[a])
			continue;
		codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * ((Size) from[a]->nlabels + 1));
		for (uint32 code = 0; code < from[a]->nlabels; code++)
			codes[code] = (uint64) to[a]->label_of[from[a]->first_leaf[code]] << field->shift;
		changes[n].shift = field->shift;
		changes[n].mask = field->mask;
		changes[n++].codes = codes;
	}
	return n;
}

/* Recodes a key of one word, starting with the fields that stay. */
static pg_attribute_always_inline uint64
show_key(uint64 key, uint64 stays, const Change *changes, int nchanges)
{
	uint64		shown = key & stays;

	for (int i = 0; i < nchanges; i++)
		shown |= changes[i].codes[(key >> changes[i].shift) & changes[i].mask];
	return shown;
}

/* Counts the people of recoded keys of one word. */
static pg_attribute_always_inline void
count_changed(const ClassCache *cache, const TupleTable *source, const Change *changes, int nchanges, TupleTable *classes)
{
	uint32	   *slots = cache->slots;
	uint32	   *class_of = cache->class_of;
	uint64	   *keys = classes->keys;
	int64	   *counts = classes->counts;
	int			bits = slot_bits(source->ntuples);
	uint32		mask = (uint32) ((UINT64CONST(1) << bits) - 1);
	uint64		stays = PG_UINT64_MAX;
	uint32		nclasses = 0;

	for (int i = 0; i < nchanges; i++)
		stays &= ~(changes[i].mask << changes[i].shift);
	for (uint32 i = 0; i < source->ntuples; i++)
	{
		uint64		key = show_key(source->keys[i], stays, changes, nchanges);
		uint32		at;

		at = (uint32) ((key * UINT64CONST(0x9e3779b97f4a7c15)) >> (64 - bits));
		while (slots[at] != 0 && keys[slots[at] - 1] != key)
			at = (at + 1) & mask;
		if (slots[at] == 0)
		{
			keys[nclasses] = key;
			counts[nclasses] = 0;
			slots[at] = ++nclasses;
		}
		counts[slots[at] - 1] += source->counts[i];
		if (class_of != NULL)
			class_of[i] = slots[at] - 1;
	}
	memset(slots, 0, sizeof(uint32) * ((Size) mask + 1));
	classes->ntuples = nclasses;
}

/* The classes of a node with few changed attributes, for keys of one word. */
static TupleTable *
count_few_changes(const ClassCache *cache, const TupleTable *source, const Change *changes, int nchanges)
{
	TupleTable *classes = cache->room;

	/* separate calls, so that each is compiled for its number */
	switch (nchanges)
	{
		case 1:
			count_changed(cache, source, changes, 1, classes);
			break;
		case 2:
			count_changed(cache, source, changes, 2, classes);
			break;
		case 3:
			count_changed(cache, source, changes, 3, classes);
			break;
		default:
			count_changed(cache, source, changes, nchanges, classes);
			break;
	}
	return classes;
}

/* A coarser node's code of each of a finer one's. */
static uint32 *
translation(const Recoding *finer, const Recoding *coarser)
{
	uint32	   *codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) finer->nlabels + 1));

	for (uint32 code = 0; code < finer->nlabels; code++)
		codes[code] = finer == coarser ? code : coarser->label_of[finer->first_leaf[code]];
	return codes;
}

/* The same for many changes, or keys of any width. */
static TupleTable *
count_many_changes(const ClassCache *cache, const Kept *source, Recodings node)
{
	const Population *population = cache->population;
	ClassCounter *class_counter = cache->class_counter;
	Keys		keys = {source->table->ntuples, source->table->keys, source->table->counts};
	uint32	   *codes[MAX_ATTRIBUTES];
	uint32		ncodes[MAX_ATTRIBUTES];
	TupleTable *classes;

	for (int a = 0; a < population->nattrs; a++)
	{
		codes[a] = translation(source->node[a], node[a]);
		ncodes[a] = source->node[a]->nlabels;
	}
	class_counter_show(class_counter, (const uint32 *const *) codes, ncodes);
	class_counter_count(class_counter, &keys, NULL);
	classes = tuple_table_create(population, cache->scratch, class_counter->nused);
	classes->ntuples = class_counter->nused;
	for (uint32 i = 0; i < class_counter->nused; i++)
	{
		uint32		slot = class_counter->used[i];

		memcpy(classes->keys + (Size) i * population->nwords, class_counter_key(class_counter, slot), sizeof(uint64) * population->nwords);
		classes->counts[i] = class_counter->slots[slot].count;
	}
	class_counter_clear(class_counter);
	return classes;
}

/* Counts the classes of a node. */
static const TupleTable *
count(const ClassCache *cache, const Kept *source, Recodings node)
{
	Change		changes[MAX_ATTRIBUTES];
	int			nchanges = cache->slots == NULL ? 0 : list_changes(cache->population, source->node, node, changes);
	const TupleTable *counted;
	TupleTable *classes;

	if (cache->slots == NULL || nchanges > FEW_CHANGES)
		return cache->class_counter != NULL ? count_many_changes(cache, source, node) :
			tuple_table_recode(cache->population, source->table, source->node, node, cache->scratch, NULL);
	counted = count_few_changes(cache, source->table, changes, nchanges);
	if (cache->class_of == NULL)
		return counted;
	classes = tuple_table_group(cache->population, source->table, cache->class_of, counted->ntuples, cache->scratch);
	classes->keys = counted->keys;
	return classes;
}

/*
 * Builds a table one level finer in each attribute than the last node's, if it
 * is worth keeping.
 */
static void
make_finer(ClassCache *cache)
{
	const Kept *source = find_source(cache, cache->finer);
	Recodings	node = node_of_levels(cache->population, cache->finer);
	const TupleTable *classes;

	cache->wants_finer = false;
	population_mark(cache->population, cache->marks);
	classes = count(cache, source, node);
	if (!is_worth_keeping(cache, source->table, classes) || !keep(cache, cache->finer, node, classes))
		population_release(cache->population, cache->marks);
}

const TupleTable *
class_cache_classes(ClassCache *cache, const int *levels, Recodings *node)
{
	const Population *population = cache->population;
	MemoryContext old;
	const Kept *source;
	const TupleTable *classes;

	if (cache->releasable)
		population_release(population, cache->marks);
	MemoryContextReset(cache->scratch);
	old = MemoryContextSwitchTo(cache->scratch);
	if (cache->wants_finer)
		make_finer(cache);
	population_mark(population, cache->marks);
	source = find_source(cache, levels);
	*node = node_of_levels(population, levels);
	classes = count(cache, source, *node);
	cache->wants_finer = source->table->ntuples > FAR_TOO_LARGE * (Size) classes->ntuples;
	for (int a = 0; a < population->nattrs; a++)
		cache->finer[a] = Max(levels[a] - 1, source->levels[a]);
	cache->releasable = !is_worth_keeping(cache, source->table, classes) || !keep(cache, levels, *node, classes);
	MemoryContextSwitchTo(old);
	return classes;
}

void
class_cache_free(ClassCache *cache)
{
	MemoryContextDelete(cache->context);
}
