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
#include "engine/lattice.h"

/* A table is kept if it is this many times smaller than its source. */
#define WORTH_KEEPING 1.1

/*
 * A table is far too large if it has this many times the classes computed from
 * it.
 */
#define FAR_TOO_LARGE 8

typedef struct Kept
{
	const int  *levels;
	const TupleTable *table;
} Kept;

struct ClassCache
{
	Population *population;
	MemoryContext context;
	MemoryContext scratch;		/* of the last node, unless it is kept */
	HistogramMark *marks;		/* before its histograms were built */
	bool		releasable;
	ClassCounter *counter;
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
	cache->read.table = population->tuples;
	cache->counter = class_counter_create(context, population, population->tuples->ntuples);
	if (population->ncolumns > 0)
		cache->class_of = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);
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

/*
 * Keeps a table if it is worth its memory and there is enough; two thirds of
 * the total are left to others.  Returns whether it did.
 */
static bool
keep(ClassCache *cache, const Kept *source, const int *levels, const TupleTable *table)
{
	const Population *population = cache->population;
	Size		size = (Size) table->ntuples * sizeof(uint64) * (population->nwords + 2);
	int		   *own_levels;
	TupleTable *copy;

	if (table->ntuples * WORTH_KEEPING > source->table->ntuples ||
		!budget_allows(population->context, size + budget_limit() / 3 * 2) ||
		!known_nodes_add(cache->nodes, levels, table->ntuples))
		return false;
	if (cache->nkept == cache->capacity)
		cache->kept = budget_grow(cache->context, cache->kept, sizeof(Kept), &cache->capacity);
	own_levels = MemoryContextAlloc(cache->context, sizeof(int) * population->nattrs);
	memcpy(own_levels, levels, sizeof(int) * population->nattrs);
	copy = tuple_table_create(population, cache->context, table->ntuples);
	copy->ntuples = table->ntuples;
	memcpy(copy->keys, table->keys, sizeof(uint64) * population->nwords * table->ntuples);
	memcpy(copy->counts, table->counts, sizeof(int64) * table->ntuples);
	for (int column = 0; column < population->ncolumns; column++)
		memcpy(copy->slices[column], table->slices[column], sizeof(uint32) * table->ntuples);
	cache->kept[cache->nkept++] = (Kept)
	{
		own_levels, copy
	};
	return true;
}

/* Computes a node's classes from those of a finer one. */
static const TupleTable *
count(ClassCache *cache, const Kept *source, Recodings node)
{
	const TupleTable *counted = &cache->counter->classes;
	TupleTable *classes;

	class_counter_recode(cache->counter, source->table, node_of_levels(cache->population, source->levels), node, cache->class_of);
	if (cache->class_of == NULL)
		return counted;
	classes = tuple_table_group(cache->population, source->table, cache->class_of, counted->ntuples, cache->scratch);
	classes->keys = counted->keys;
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

	/*
	 * a table one level finer in each attribute than the last node's, if it
	 * is worth keeping
	 */
	if (cache->wants_finer)
	{
		population_mark(population, cache->marks);
		source = find_source(cache, cache->finer);
		if (!keep(cache, source, cache->finer, count(cache, source, node_of_levels(population, cache->finer))))
			population_release(population, cache->marks);
	}
	population_mark(population, cache->marks);
	source = find_source(cache, levels);
	*node = node_of_levels(population, levels);
	classes = count(cache, source, *node);
	cache->wants_finer = source->table->ntuples > FAR_TOO_LARGE * (Size) classes->ntuples;
	for (int a = 0; a < population->nattrs; a++)
		cache->finer[a] = Max(levels[a] - 1, source->levels[a]);
	cache->releasable = !keep(cache, source, levels, classes);
	MemoryContextSwitchTo(old);
	return classes;
}

void
class_cache_free(ClassCache *cache)
{
	MemoryContextDelete(cache->context);
}
