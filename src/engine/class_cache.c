/*
 * class_cache.c
 *	  Classes of nodes in any order, each from those of a finer node before.
 *
 * A search that jumps about shares little of a walk with the node before.
 * But somewhere it has been at a finer node with few classes, and those make
 * the new one's at the cost of their number.  So tables are kept, the
 * smallest first, as long as memory lasts.
 */
#include "engine/class_cache.h"

#include "base/budget.h"
#include "engine/class_counter.h"
#include "miscadmin.h"

/* A table is kept if it is so many times smaller than the one it came from. */
#define WORTH_KEEPING 1.1

typedef struct Kept
{
	const int  *levels;
	const Recoding *const *node;
	const TupleTable *table;
} Kept;

struct ClassCache
{
	Population *population;
	MemoryContext context;
	MemoryContext scratch;		/* of the last node, unless it is kept */
	HistogramMark *marks;		/* before its histograms were made */
	bool		releasable;
	ClassCounter *class_counter;	/* where nothing but people is counted */
	int			nkept;
	Size		capacity;
	Kept	   *kept;			/* from the smallest table to the largest */
};

/* Puts a table in its place among the others; levels and node are copied. */
static void
keep(ClassCache *cache, const int *levels, Recodings node, const TupleTable *table)
{
	int			nattrs = cache->population->nattrs;
	int		   *own_levels = MemoryContextAlloc(cache->context, sizeof(int) * nattrs);
	const Recoding **own_node = MemoryContextAlloc(cache->context, sizeof(Recoding *) * nattrs);
	int			place;

	memcpy(own_levels, levels, sizeof(int) * nattrs);
	memcpy(own_node, node, sizeof(Recoding *) * nattrs);
	if (cache->nkept == cache->capacity)
		cache->kept = budget_grow(cache->context, cache->kept, sizeof(Kept), &cache->capacity);
	for (place = cache->nkept++; place > 0 && cache->kept[place - 1].table->ntuples > table->ntuples; place--)
		cache->kept[place] = cache->kept[place - 1];
	cache->kept[place].levels = own_levels;
	cache->kept[place].node = own_node;
	cache->kept[place].table = table;
}

static KeyField *
key_fields(const Population *population)
{
	KeyField   *fields = MemoryContextAlloc(population->context, sizeof(KeyField) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
		fields[a] = population->attrs[a].field;
	return fields;
}

ClassCache *
class_cache_create(Population *population)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt class cache", ALLOCSET_DEFAULT_SIZES);
	ClassCache *cache = MemoryContextAllocZero(context, sizeof(ClassCache));
	int			bottom[MAX_ATTRIBUTES] = {0};

	cache->population = population;
	cache->context = context;
	cache->scratch = AllocSetContextCreate(context, "anonopt class cache node", ALLOCSET_DEFAULT_SIZES);
	cache->marks = MemoryContextAlloc(context, sizeof(HistogramMark) * (population->ncolumns + 1));
	keep(cache, bottom, node_of_levels(population, bottom), population->tuples);
	if (population->ncolumns == 0)
		cache->class_counter = class_counter_create(context, population->nattrs, key_fields(population), population->nwords,
													population->tuples->ntuples);
	return cache;
}

static bool
is_finer(const int *a, const int *b, int nattrs)
{
	for (int i = 0; i < nattrs; i++)
		if (a[i] > b[i])
			return false;
	return true;
}

/* The smallest table of a node that is nowhere coarser. */
static const Kept *
find_source(const ClassCache *cache, const int *levels)
{
	for (int i = 0; i < cache->nkept; i++)
		if (is_finer(cache->kept[i].levels, levels, cache->population->nattrs))
			return &cache->kept[i];
	elog(ERROR, "no table to start from");
	return NULL;
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

/* Whether a table is worth its memory; a half of all is left to others. */
static bool
is_worth_keeping(const ClassCache *cache, const TupleTable *source, const TupleTable *table)
{
	Size		size = (Size) table->ntuples * sizeof(uint64) * (cache->population->nwords + 2);

	return table->ntuples * WORTH_KEEPING <= source->ntuples &&
		budget_allows(cache->population->context, size + budget_limit() / 2);
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

/* The classes of a node where nothing but people is counted. */
static TupleTable *
count_people(const ClassCache *cache, const Kept *source, Recodings node)
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
	population_mark(population, cache->marks);
	source = find_source(cache, levels);
	*node = node_of_levels(population, levels);
	classes = cache->class_counter != NULL ? count_people(cache, source, *node) :
		tuple_table_recode(population, source->table, source->node, *node, cache->scratch, NULL);
	cache->releasable = !is_worth_keeping(cache, source->table, classes);
	if (!cache->releasable)
		keep(cache, levels, *node, copy_table(population, classes, cache->context));
	MemoryContextSwitchTo(old);
	return classes;
}

void
class_cache_free(ClassCache *cache)
{
	MemoryContextDelete(cache->context);
}
