/*
 * shelf.c
 *	  Classes of nodes in any order, each from those of a finer node before.
 *
 * A search that jumps about shares little of a path with the node before.
 * But somewhere it has been at a finer node with few classes, and those make
 * the new one's at the cost of their number.  So tables are kept, the
 * smallest first, as long as memory lasts.
 */
#include "shelf.h"

#include "budget.h"
#include "miscadmin.h"
#include "regroup.h"

/* A table is kept if it is so many times smaller than the one it came from. */
#define WORTH_KEEPING 1.1

typedef struct Kept
{
	const int  *levels;
	const Recoding *const *node;
	const TupleTable *table;
} Kept;

struct Shelf
{
	Population *population;
	MemoryContext context;
	MemoryContext scratch;		/* of the last node, unless it is kept */
	HistogramMark *marks;		/* before its histograms were made */
	bool		releasable;
	Regroup    *regroup;		/* where nothing but people is counted */
	int			nkept;
	Size		capacity;
	Kept	   *kept;			/* from the smallest table to the largest */
};

/* Puts a table in its place among the others; levels and node are copied. */
static void
keep(Shelf *shelf, const int *levels, Recodings node, const TupleTable *table)
{
	int			nattrs = shelf->population->nattrs;
	int		   *own_levels = MemoryContextAlloc(shelf->context, sizeof(int) * nattrs);
	const Recoding **own_node = MemoryContextAlloc(shelf->context, sizeof(Recoding *) * nattrs);
	int			place;

	memcpy(own_levels, levels, sizeof(int) * nattrs);
	memcpy(own_node, node, sizeof(Recoding *) * nattrs);
	if (shelf->nkept == shelf->capacity)
		shelf->kept = budget_grow(shelf->context, shelf->kept, sizeof(Kept), &shelf->capacity);
	for (place = shelf->nkept++; place > 0 && shelf->kept[place - 1].table->ntuples > table->ntuples; place--)
		shelf->kept[place] = shelf->kept[place - 1];
	shelf->kept[place].levels = own_levels;
	shelf->kept[place].node = own_node;
	shelf->kept[place].table = table;
}

static KeyField *
key_fields(const Population *population)
{
	KeyField   *fields = MemoryContextAlloc(population->context, sizeof(KeyField) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
		fields[a] = population->attrs[a].field;
	return fields;
}

Shelf *
shelf_create(Population *population)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt shelf", ALLOCSET_DEFAULT_SIZES);
	Shelf	   *shelf = MemoryContextAllocZero(context, sizeof(Shelf));
	int			bottom[MAX_ATTRIBUTES] = {0};

	shelf->population = population;
	shelf->context = context;
	shelf->scratch = AllocSetContextCreate(context, "anonopt shelf node", ALLOCSET_DEFAULT_SIZES);
	shelf->marks = MemoryContextAlloc(context, sizeof(HistogramMark) * (population->ncolumns + 1));
	keep(shelf, bottom, node_of_levels(population, bottom), population->tuples);
	if (population->ncolumns == 0)
		shelf->regroup = regroup_create(context, population->nattrs, key_fields(population), population->nwords,
										population->tuples->ntuples);
	return shelf;
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
find_source(const Shelf *shelf, const int *levels)
{
	for (int i = 0; i < shelf->nkept; i++)
		if (is_finer(shelf->kept[i].levels, levels, shelf->population->nattrs))
			return &shelf->kept[i];
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
is_worth_keeping(const Shelf *shelf, const TupleTable *source, const TupleTable *table)
{
	Size		size = (Size) table->ntuples * sizeof(uint64) * (shelf->population->nwords + 2);

	return table->ntuples * WORTH_KEEPING <= source->ntuples &&
		budget_allows(shelf->population->context, size + (Size) maintenance_work_mem * 1024 / 2);
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
count_people(const Shelf *shelf, const Kept *source, Recodings node)
{
	const Population *population = shelf->population;
	Regroup    *regroup = shelf->regroup;
	Keys		keys = {source->table->ntuples, source->table->keys, source->table->counts};
	uint32	   *codes[MAX_ATTRIBUTES];
	uint32		ncodes[MAX_ATTRIBUTES];
	TupleTable *classes;

	for (int a = 0; a < population->nattrs; a++)
	{
		codes[a] = translation(source->node[a], node[a]);
		ncodes[a] = source->node[a]->nlabels;
	}
	regroup_show(regroup, (const uint32 *const *) codes, ncodes);
	regroup_count(regroup, &keys, NULL);
	classes = tuple_table_create(population, shelf->scratch, regroup->nused);
	classes->ntuples = regroup->nused;
	for (uint32 i = 0; i < regroup->nused; i++)
	{
		uint32		slot = regroup->used[i];

		memcpy(classes->keys + (Size) i * population->nwords, regroup_key(regroup, slot), sizeof(uint64) * population->nwords);
		classes->counts[i] = regroup->slots[slot].count;
	}
	regroup_clear(regroup);
	return classes;
}

const TupleTable *
shelf_classes(Shelf *shelf, const int *levels, Recodings *node)
{
	const Population *population = shelf->population;
	MemoryContext old;
	const Kept *source;
	const TupleTable *classes;

	if (shelf->releasable)
		population_release(population, shelf->marks);
	MemoryContextReset(shelf->scratch);
	old = MemoryContextSwitchTo(shelf->scratch);
	population_mark(population, shelf->marks);
	source = find_source(shelf, levels);
	*node = node_of_levels(population, levels);
	classes = shelf->regroup != NULL ? count_people(shelf, source, *node) :
		tuple_table_recode(population, source->table, source->node, *node, shelf->scratch, NULL);
	shelf->releasable = !is_worth_keeping(shelf, source->table, classes);
	if (!shelf->releasable)
		keep(shelf, levels, *node, copy_table(population, classes, shelf->context));
	MemoryContextSwitchTo(old);
	return classes;
}
