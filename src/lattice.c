/*
 * lattice.c
 *	  All nodes of a lattice, each with its classes.
 *
 * A depth-first walk, one attribute a depth, that never sorts nor hashes.
 * At each depth the table is ordered such that this depth's attribute is
 * the least significant one.  Raising its level then makes equal only
 * tuples that are neighbours, so the next level's table is one linear pass
 * over this one's, in place.  Before the walk descends, the tuples are
 * distributed stably by this attribute's code, which makes it the most
 * significant one and the next depth's the least.
 *
 * The order of the attributes: those with most levels last, where a table
 * is prepared once for all of them.
 */
#include "lattice.h"

#include "budget.h"
#include "miscadmin.h"

typedef struct Walk
{
	Population *population;
	NodeVisitor visit;
	void	   *arg;
	int			order[MAX_ATTRIBUTES];	/* attribute of each depth */
	int			levels[MAX_ATTRIBUTES]; /* by attribute */
	const Recoding *node[MAX_ATTRIBUTES];	/* by attribute */
	TupleTable *tables[MAX_ATTRIBUTES]; /* by depth */
	uint32		room[MAX_ATTRIBUTES];	/* tuples a depth's table can hold */
	uint64	  **raise[MAX_ATTRIBUTES];	/* by attribute and level: code at the
										 * next one, in place */
	uint32	   *start;			/* of each code's tuples, when distributed */
	MemoryContext context;
} Walk;

static inline bool
key_equals(const uint64 *a, const uint64 *b, int nwords)
{
	for (int word = 0; word < nwords; word++)
		if (a[word] != b[word])
			return false;
	return true;
}

/* One level up for the least significant attribute, keys of one word, nothing but counts. */
static uint32
raise_narrow(TupleTable *table, const Attribute *attr, const uint64 *raise)
{
	uint64	   *keys = table->keys;
	int64	   *counts = table->counts;
	uint64		last;
	uint32		out = 0;

	keys[0] = last = key_without(&keys[0], &attr->field) | raise[key_get(&keys[0], &attr->field)];
	for (uint32 i = 1; i < table->ntuples; i++)
	{
		uint64		key = key_without(&keys[i], &attr->field) | raise[key_get(&keys[i], &attr->field)];

		/* without a branch: whether neighbours merge is as good as random */
		bool		fresh = key != last;
		int64		kept = fresh ? 0 : counts[out];

		out += fresh;
		counts[out] = kept + counts[i];
		keys[out] = last = key;
	}
	return out + 1;
}

/* Copies a tuple of one table to a place in another, or the same. */
static inline void
copy_tuple(const Population *population, TupleTable *to, uint32 at, const TupleTable *from, uint32 tuple)
{
	int			nwords = population->nwords;

	for (int word = 0; word < nwords; word++)
		to->keys[(Size) at * nwords + word] = from->keys[(Size) tuple * nwords + word];
	to->counts[at] = from->counts[tuple];
	for (int column = 0; column < population->ncolumns; column++)
		to->slices[column][at] = from->slices[column][tuple];
}

/* The same for keys of any width and with histograms. */
static uint32
raise_wide(const Population *population, TupleTable *table, const Attribute *attr, const uint64 *raise)
{
	int			nwords = population->nwords;
	uint32		out = 0;
	uint32		next;

	for (uint32 i = 0; i < table->ntuples; i++)
	{
		uint64	   *key = table->keys + (Size) i * nwords;

		key[attr->field.word] = key_without(key, &attr->field) | raise[key_get(key, &attr->field)];
	}
	for (uint32 i = 0; i < table->ntuples; i = next, out++)
	{
		const uint64 *key = table->keys + (Size) i * nwords;
		int64		count = table->counts[i];

		for (next = i + 1; next < table->ntuples; next++)
		{
			if (!key_equals(key, table->keys + (Size) next * nwords, nwords))
				break;
			count += table->counts[next];
		}
		for (int column = 0; column < population->ncolumns && next > i + 1; column++)
			table->slices[column][i] = histograms_merge(population->columns[column],
														&table->slices[column][i], next - i);
		copy_tuple(population, table, out, table, i);
		table->counts[out] = count;
	}
	return out;
}

/* Orders a table by one attribute first, otherwise as it was. */
static void
distribute(Walk *walk, const TupleTable *from, int a, TupleTable *to)
{
	const Population *population = walk->population;
	const Attribute *attr = &population->attrs[a];
	uint32		nlabels = walk->node[a]->nlabels;
	uint32	   *start = walk->start;
	const uint64 *key = from->keys;

	memset(start, 0, sizeof(uint32) * (nlabels + 1));
	for (uint32 i = 0; i < from->ntuples; i++, key += population->nwords)
		start[key_get(key, &attr->field) + 1]++;
	for (uint32 code = 0; code < nlabels; code++)
		start[code + 1] += start[code];
	key = from->keys;
	for (uint32 i = 0; i < from->ntuples; i++, key += population->nwords)
		copy_tuple(population, to, start[key_get(key, &attr->field)]++, from, i);
	to->ntuples = from->ntuples;
}

/* The table of a depth, with room for so many tuples. */
static TupleTable *
table_at(Walk *walk, int depth, uint32 room)
{
	/*
	 * the first table of a depth is its largest: all levels above are lowest
	 * then
	 */
	if (walk->tables[depth] == NULL)
	{
		walk->tables[depth] = tuple_table_create(walk->population, walk->context, room);
		walk->room[depth] = room;
	}
	Assert(room <= walk->room[depth]);
	return walk->tables[depth];
}

static void
raise_level(Walk *walk, TupleTable *table, int a)
{
	const Population *population = walk->population;
	const Attribute *attr = &population->attrs[a];
	const uint64 *raise = walk->raise[a][walk->levels[a]];

	if (population->nwords == 1 && population->ncolumns == 0)
		table->ntuples = raise_narrow(table, attr, raise);
	else
		table->ntuples = raise_wide(population, table, attr, raise);
	walk->levels[a]++;
	walk->node[a] = &attr->hierarchy->levels[walk->levels[a]];
}

/* Visits every node that has the levels of the depths above. */
static void
walk_depth(Walk *walk, int depth)
{
	const Population *population = walk->population;
	TupleTable *table = walk->tables[depth];
	int			a = walk->order[depth];
	const Attribute *attr = &population->attrs[a];
	HistogramMark *marks = population_mark(population);

	walk->levels[a] = attr->min_level;
	walk->node[a] = &attr->hierarchy->levels[attr->min_level];
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (depth == population->nattrs - 1)
			walk->visit(walk->arg, walk->levels, walk->node, table);
		else
		{
			distribute(walk, table, a, table_at(walk, depth + 1, table->ntuples));
			walk_depth(walk, depth + 1);
		}
		if (walk->levels[a] == attr->max_level)
			break;
		raise_level(walk, table, a);
	}
	population_release(walk->population, marks);
}

/* The codes one level up, for every attribute, level and code. */
static uint64 **
raise_tables(const Attribute *attr)
{
	const Hierarchy *hierarchy = attr->hierarchy;
	uint64	  **raise = palloc(sizeof(uint64 *) * (hierarchy->height + 1));

	for (int level = attr->min_level; level < attr->max_level; level++)
	{
		const Recoding *below = &hierarchy->levels[level];
		const Recoding *above = &hierarchy->levels[level + 1];

		raise[level] = palloc(sizeof(uint64) * below->nlabels);
		for (uint32 code = 0; code < below->nlabels; code++)
			raise[level][code] = (uint64) above->label_of[below->first_leaf[code]] << attr->field.shift;
	}
	return raise;
}

/* Attributes by their number of levels, most last. */
static void
order_attributes(Walk *walk)
{
	const Attribute *attrs = walk->population->attrs;

	for (int a = 0; a < walk->population->nattrs; a++)
	{
		int			span = attrs[a].max_level - attrs[a].min_level;
		int			place = a;

		for (; place > 0; place--)
		{
			const Attribute *before = &attrs[walk->order[place - 1]];

			if (before->max_level - before->min_level <= span)
				break;
			walk->order[place] = walk->order[place - 1];
		}
		walk->order[place] = a;
	}
}

/* The table of the lattice's bottom, the first depth's attribute least significant. */
static void
prepare_root(Walk *walk)
{
	Population *population = walk->population;
	int			bottom[MAX_ATTRIBUTES] = {0};
	const Recoding **leaves = node_of_levels(population, bottom);
	const Recoding **root;
	TupleTable *table;
	TupleTable *ordered;

	for (int a = 0; a < population->nattrs; a++)
		bottom[a] = population->attrs[a].min_level;
	root = node_of_levels(population, bottom);
	memcpy(walk->node, root, sizeof(Recoding *) * population->nattrs);
	table = tuple_table_recode(population, population->tuples, leaves, root, walk->context);
	ordered = tuple_table_create(population, walk->context, table->ntuples);
	for (int depth = 0; depth < population->nattrs; depth++)
	{
		TupleTable *swap = table;

		distribute(walk, table, walk->order[depth], ordered);
		table = ordered;
		ordered = swap;
	}
	walk->tables[0] = table;
	walk->room[0] = table->ntuples;
}

void
lattice_walk(Population *population, NodeVisitor visit, void *arg)
{
	Walk	   *walk = palloc0(sizeof(Walk));
	uint32		most_leaves = 0;

	walk->population = population;
	walk->visit = visit;
	walk->arg = arg;
	walk->context = AllocSetContextCreate(population->context, "anonopt lattice", ALLOCSET_DEFAULT_SIZES);
	for (int a = 0; a < population->nattrs; a++)
	{
		walk->raise[a] = raise_tables(&population->attrs[a]);
		most_leaves = Max(most_leaves, population->attrs[a].hierarchy->nleaves);
	}
	walk->start = MemoryContextAllocHuge(walk->context, sizeof(uint32) * ((Size) most_leaves + 1));
	order_attributes(walk);
	prepare_root(walk);
	walk_depth(walk, 0);
	MemoryContextDelete(walk->context);
	pfree(walk);
}
