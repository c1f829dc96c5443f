/*
 * node_walk.c
 *	  Classes of a sequence of nodes, each computed from what it shares with
 *	  the last.
 *
 * Each depth has one attribute and two tables.  In the first, the attributes
 * of earlier depths are at their levels and this depth's at its lowest; in the
 * second, this depth's is at its level as well.  In both, this depth's
 * attribute is the least significant one.  Raising its level only makes
 * neighbouring tuples equal, so it takes one linear pass.  To go one depth
 * further, tuples are distributed stably by this attribute's code, which makes
 * it the most significant one and the next depth's the least. Nothing is
 * sorted or hashed after the first table.
 *
 * If a person may have several rows, the last depth's tables hold how many
 * people each class has, not who they are, unless classes are united by what
 * is known of them.
 */
#include "engine/node_classes.h"

#include "base/budget.h"

/* --------------- the people of a table's classes at every level of one attribute */

/*
 * The last attribute of a walk changes fastest, and its tables are only
 * measured, which needs the number of people in a class but not who they are.
 * So no class's persons are listed there.  The classes of a level are runs of
 * the lowest level's classes, and runs of a level lie within those of the
 * next.  A single pass over the lowest level's persons, which remembers where
 * each was last seen, counts all levels: a person is new to the runs that
 * began after that, which are those of the levels below some level.
 */

typedef struct LevelPeople
{
	const Population *population;
	MemoryContext context;
	bool		counted;
	int			first;			/* of the counted levels */
	Size		room;			/* tuples that each array has room for */
	uint8	   *begun;			/* by tuple: number of counted levels whose
								 * run begins here */
	uint32	   *people[PERSON_LEVELS];	/* by level and class */
} LevelPeople;

static LevelPeople *
level_people_create(const Population *population, uint32 most_tuples, MemoryContext context)
{
	LevelPeople *people = MemoryContextAllocZero(context, sizeof(LevelPeople));

	people->population = population;
	people->context = context;
	people->room = Max(most_tuples, 1);
	budget_require(population->context, people->room);
	people->begun = MemoryContextAllocHuge(context, people->room);
	return people;
}

/* A code's labels at the counted levels. */
typedef struct CodeLabels
{
	uint32		at[PERSON_LEVELS];
} CodeLabels;

/*
 * Computes, for each tuple, how many levels' runs begin there.  Labels of
 * neighbours differ from the lowest level up to some level, so it is enough to
 * count the levels at which they differ.
 */
static void
find_runs(LevelPeople *people, const TupleTable *table, const Attribute *attr, int nlevels)
{
	int			nwords = people->population->nwords;
	KeyField	field = attr->field;
	const Recoding *lowest = &attr->hierarchy->levels[attr->min_level];
	Size		size = sizeof(CodeLabels) * ((Size) lowest->nlabels + 1);
	CodeLabels *labels;
	const uint64 *key = table->keys;

	budget_require(people->population->context, size);
	labels = MemoryContextAllocExtended(people->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 code = 0; code < lowest->nlabels; code++)
		for (int i = 0; i < nlevels; i++)
			labels[code].at[i] = attr->hierarchy->levels[people->first + i].label_of[lowest->first_leaf[code]];
	if (table->ntuples > 0)
		people->begun[0] = nlevels;
	for (uint32 i = 1; i < table->ntuples; i++)
	{
		const CodeLabels *before = &labels[key_get(key, &field)];
		bool		same = keys_agree_outside(key, key + nwords, nwords, field.word) &&
		key_without(key, &field) == key_without(key + nwords, &field);
		const CodeLabels *here = &labels[key_get(key += nwords, &field)];
		uint32		begun = 0;

		for (int level = 0; level < PERSON_LEVELS; level++)
			begun += here->at[level] != before->at[level];
		people->begun[i] = same ? begun : nlevels;
	}
	pfree(labels);
}

/*
 * The number of different people in each class after raising an attribute to a
 * level.  In the table, the attribute is at its lowest level and the least
 * significant one; a class is a run of tuples.  Valid until the next call.
 */
static uint32 *
level_people_of(LevelPeople *people, const TupleTable *table, int attr, int level)
{
	const Population *population = people->population;
	const Attribute *attribute = &population->attrs[attr];
	int			first = level - (level - attribute->min_level) % PERSON_LEVELS;

	if (!people->counted || people->first != first)
	{
		int			nlevels = Min(attribute->max_level - first + 1, PERSON_LEVELS);

		people->counted = false;
		for (int i = 0; i < nlevels; i++)
			if (people->people[i] == NULL)
			{
				budget_require(population->context, sizeof(uint32) * people->room);
				people->people[i] = MemoryContextAllocHuge(people->context, sizeof(uint32) * people->room);
			}
		people->first = first;
		find_runs(people, table, attribute, nlevels);
		persons_count_runs(population_persons(population), table->slices[population->ncolumns - 1], table->ntuples,
						   people->begun, nlevels, people->people);
		people->counted = true;
	}
	return people->people[level - first];
}

/* --------------------------------------------------------------- the walk */

/* A depth of the path. */
typedef struct Step
{
	const TupleTable *lowest;	/* this depth's attribute at its lowest level */
	TupleTable *ordered;		/* its memory, if it is not the table above */
	TupleTable *raised;			/* at a higher one */
	const TupleTable *present;	/* lowest or raised, depending on the path's
								 * levels */
	uint32		room;			/* tuples that raised has room for */
	uint32		room_ordered;
	HistogramMark *marks;		/* histograms before raised was built */
} Step;

struct NodeWalk
{
	Population *population;
	MemoryContext context;
	int			order[MAX_ATTRIBUTES];	/* attribute of each depth */
	int			levels[MAX_ATTRIBUTES]; /* by attribute */
	const Recoding *node[MAX_ATTRIBUTES];	/* by attribute */
	int			made;			/* depths whose raised table is valid */
	Step		steps[MAX_ATTRIBUTES];
	uint64	   *codes;			/* of each code at the level being raised to,
								 * in place */
	uint32	   *start;			/* of each code's tuples, while distributing */
	LevelPeople *people;		/* of the last depth, if a person may have
								 * several rows */
	TupleTable	measured;		/* its table, with them */
};

/* Copies a tuple of one table to a place in another or the same table. */
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

/*
 * Raises the least significant attribute of a table into another, or in place,
 * for keys of one word with only counts.
 */
static uint32
raise_narrow(const TupleTable *from, TupleTable *to, KeyField field, const uint64 *codes)
{
	const uint64 *keys = from->keys;
	const int64 *counts = from->counts;
	uint64	   *shown = to->keys;
	int64	   *sums = to->counts;
	uint64		others = ~(field.mask << field.shift);
	uint64		last = (keys[0] & others) | codes[key_get(&keys[0], &field)];
	int64		sum = 0;
	uint32		out = 0;

	for (uint32 i = 0; i < from->ntuples; i++)
	{
		uint64		key = (keys[i] & others) | codes[key_get(&keys[i], &field)];

		/* without a branch, because whether neighbours merge is unpredictable */
		bool		fresh = key != last;

		out += fresh;
		sum = counts[i] + (fresh ? 0 : sum);
		sums[out] = sum;
		shown[out] = last = key;
	}
	return out + 1;
}

/* Raises it for keys of any width and with histograms of the first columns. */
static uint32
raise_wide(const Population *population, int ncolumns, const TupleTable *from, TupleTable *to,
		   const KeyField *field, const uint64 *codes)
{
	int			nwords = population->nwords;
	uint32		out = 0;
	uint32		next;

	for (uint32 i = 0; i < from->ntuples; i = next, out++)
	{
		const uint64 *key = from->keys + (Size) i * nwords;
		const uint64 *neighbour = key;
		uint64		word = key_without(key, field) | codes[key_get(key, field)];
		int64		count = from->counts[i];

		for (next = i + 1; next < from->ntuples; next++)
		{
			neighbour += nwords;
			if ((key_without(neighbour, field) | codes[key_get(neighbour, field)]) != word ||
				!keys_agree_outside(key, neighbour, nwords, field->word))
				break;
			count += from->counts[next];
		}

		if (ncolumns == population->ncolumns && population->has_persons)
			for (uint32 ahead = i; ahead < next; ahead++)
				persons_look_ahead(population_persons(population), from->slices[ncolumns - 1], ahead, from->ntuples);

		/* works in place: the write position never passes the read position */
		for (int column = 0; column < ncolumns; column++)
			to->slices[column][out] = histograms_merge(population->columns[column],
													   &from->slices[column][i], next - i);
		if (nwords > 1)
			memmove(to->keys + (Size) out * nwords, key, sizeof(uint64) * nwords);
		to->keys[(Size) out * nwords + field->word] = word;
		to->counts[out] = count;
	}
	return out;
}

/* A table with room for a number of tuples; the old one if it is large enough. */
static TupleTable *
table_with_room(NodeWalk *node_walk, TupleTable *table, uint32 *room, uint32 wanted)
{
	if (table != NULL && *room >= wanted)
		return table;
	if (table != NULL)
		tuple_table_free(node_walk->population, table);
	*room = wanted;
	return tuple_table_create(node_walk->population, node_walk->context, wanted);
}

/* Resets a depth's attribute to its lowest level. */
static void
stay_lowest(NodeWalk *node_walk, int depth)
{
	int			a = node_walk->order[depth];
	const Attribute *attr = &node_walk->population->attrs[a];
	Step	   *step = &node_walk->steps[depth];

	population_mark(node_walk->population, step->marks);
	step->present = step->lowest;
	node_walk->levels[a] = attr->min_level;
	node_walk->node[a] = &attr->hierarchy->levels[attr->min_level];
}

/* Raises a depth's attribute from its current level to a higher one. */
static void
raise_to(NodeWalk *node_walk, int depth, int level)
{
	const Population *population = node_walk->population;
	Step	   *step = &node_walk->steps[depth];
	int			a = node_walk->order[depth];
	const Attribute *attr = &population->attrs[a];
	const Recoding *below = node_walk->node[a];
	const Recoding *above = &attr->hierarchy->levels[level];
	const TupleTable *from = step->present;
	bool		is_last = depth == population->nattrs - 1;
	int			ncolumns = population->ncolumns - (node_walk->people != NULL && is_last);

	for (uint32 code = 0; code < below->nlabels; code++)
		node_walk->codes[code] = (uint64) above->label_of[below->first_leaf[code]] << attr->field.shift;
	if (from != step->raised)
		step->raised = table_with_room(node_walk, step->raised, &step->room, from->ntuples);
	if (population->nwords == 1 && ncolumns == 0)
		step->raised->ntuples = raise_narrow(from, step->raised, attr->field, node_walk->codes);
	else
		step->raised->ntuples = raise_wide(population, ncolumns, from, step->raised, &attr->field, node_walk->codes);
	step->present = step->raised;
	node_walk->levels[a] = level;
	node_walk->node[a] = above;
}

/* Computes where each code's tuples begin, given the number of each. */
static void
add_up(uint32 *start, uint32 ncodes)
{
	uint32		before = 0;

	for (uint32 code = 0; code < ncodes; code++)
	{
		uint32		ntuples = start[code];

		start[code] = before;
		before += ntuples;
	}
}

/* Sorts a table stably by one attribute, for keys of one word and at most one column. */
static pg_attribute_always_inline void
distribute_narrow(const TupleTable *from, KeyField field, uint32 *start, uint32 ncodes, bool has_column, TupleTable *to)
{
	const uint64 *keys = from->keys;
	const int64 *counts = from->counts;
	uint64	   *ordered = to->keys;
	int64	   *ordered_counts = to->counts;
	const uint32 *slices = has_column ? from->slices[0] : NULL;
	uint32	   *ordered_slices = has_column ? to->slices[0] : NULL;

	for (uint32 i = 0; i < from->ntuples; i++)
		start[key_get(&keys[i], &field)]++;
	add_up(start, ncodes);
	for (uint32 i = 0; i < from->ntuples; i++)
	{
		uint32		at = start[key_get(&keys[i], &field)]++;

		ordered[at] = keys[i];
		ordered_counts[at] = counts[i];
		if (has_column)
			ordered_slices[at] = slices[i];
	}
}

/* Sorts a table stably by one attribute, for keys of any width and with histograms. */
static void
distribute_wide(const Population *population, const TupleTable *from, const KeyField *field, uint32 *start,
				uint32 ncodes, TupleTable *to)
{
	const uint64 *key = from->keys;

	for (uint32 i = 0; i < from->ntuples; i++, key += population->nwords)
		start[key_get(key, field)]++;
	add_up(start, ncodes);
	key = from->keys;
	for (uint32 i = 0; i < from->ntuples; i++, key += population->nwords)
		copy_tuple(population, to, start[key_get(key, field)]++, from, i);
}

/* Sorts a table stably by one attribute. */
static void
distribute(NodeWalk *node_walk, const TupleTable *from, int a, const Recoding *shown, TupleTable *to)
{
	const Population *population = node_walk->population;
	const KeyField *field = &population->attrs[a].field;
	uint32	   *start = node_walk->start;

	memset(start, 0, sizeof(uint32) * shown->nlabels);
	if (population->nwords == 1 && population->ncolumns == 0)
		distribute_narrow(from, *field, start, shown->nlabels, false, to);
	else if (population->nwords == 1 && population->ncolumns == 1)
		distribute_narrow(from, *field, start, shown->nlabels, true, to);
	else
		distribute_wide(population, from, field, start, shown->nlabels, to);
	to->ntuples = from->ntuples;
}

/*
 * Builds the lowest table of the next depth; an attribute with one label needs
 * no sort.
 */
static void
descend(NodeWalk *node_walk, int depth)
{
	const TupleTable *from = node_walk->steps[depth].present;
	Step	   *next = &node_walk->steps[depth + 1];
	int			a = node_walk->order[depth];

	next->lowest = from;
	if (node_walk->node[a]->nlabels == 1)
		return;
	next->ordered = table_with_room(node_walk, next->ordered, &next->room_ordered, from->ntuples);
	distribute(node_walk, from, a, node_walk->node[a], next->ordered);
	next->lowest = next->ordered;
}

/* Builds the tables of the depths that differ from the previous node. */
static void
walk_to(NodeWalk *node_walk, const int *levels)
{
	int			last = node_walk->population->nattrs - 1;
	int			depth = 0;
	int			first;
	bool		goes_up;

	while (depth < node_walk->made && node_walk->levels[node_walk->order[depth]] == levels[node_walk->order[depth]])
		depth++;
	if (depth > last)
		return;
	if (depth < last && node_walk->people != NULL)
		node_walk->people->counted = false;

	/* the first depth that differs may be raised from its current level */
	goes_up = depth < node_walk->made && levels[node_walk->order[depth]] > node_walk->levels[node_walk->order[depth]];
	first = goes_up ? depth + 1 : depth;
	/* drop the tables from there on, and their histograms */
	if (first < node_walk->made)
	{
		population_release(node_walk->population, node_walk->steps[first].marks);
		node_walk->made = first;
	}
	for (; depth <= last; depth++)
	{
		int			a = node_walk->order[depth];

		if (depth >= node_walk->made)
			stay_lowest(node_walk, depth);
		node_walk->made = depth + 1;
		if (levels[a] > node_walk->levels[a])
			raise_to(node_walk, depth, levels[a]);
		if (depth < last)
			descend(node_walk, depth);
	}
}

const TupleTable *
node_walk_classes(NodeWalk *node_walk, const int *levels, Recodings *node)
{
	int			last = node_walk->population->nattrs - 1;
	const Step *step = &node_walk->steps[last];
	int			a = node_walk->order[last];

	walk_to(node_walk, levels);
	*node = node_walk->node;
	if (node_walk->people == NULL)
		return step->present;
	node_walk->measured = *step->present;
	node_walk->measured.people = level_people_of(node_walk->people, step->lowest, a, levels[a]);
	return &node_walk->measured;
}

const int  *
node_walk_order(const NodeWalk *node_walk)
{
	return node_walk->order;
}

/* Attributes by their number of levels. */
static void
order_attributes(NodeWalk *node_walk, WalkOrder order)
{
	const Attribute *attrs = node_walk->population->attrs;
	int			sign = order == MOST_LEVELS_LAST ? 1 : -1;

	for (int a = 0; a < node_walk->population->nattrs; a++)
	{
		int			span = sign * (attrs[a].max_level - attrs[a].min_level);
		int			place = a;

		for (; place > 0; place--)
		{
			const Attribute *before = &attrs[node_walk->order[place - 1]];

			if (sign * (before->max_level - before->min_level) <= span)
				break;
			node_walk->order[place] = node_walk->order[place - 1];
		}
		node_walk->order[place] = a;
	}
}

/*
 * The table of the lattice's bottom, with the first depth's attribute least
 * significant.
 */
static void
prepare_root(NodeWalk *node_walk)
{
	Population *population = node_walk->population;
	int			bottom[MAX_ATTRIBUTES] = {0};
	const Recoding **leaves = node_of_levels(population, bottom);
	const Recoding **root;
	TupleTable *table;
	TupleTable *ordered;

	for (int a = 0; a < population->nattrs; a++)
		bottom[a] = population->attrs[a].min_level;
	root = node_of_levels(population, bottom);
	table = tuple_table_recode(population, population->tuples, leaves, root, node_walk->context, NULL);
	ordered = tuple_table_create(population, node_walk->context, table->ntuples);
	for (int depth = 0; depth < population->nattrs; depth++)
	{
		TupleTable *swap = table;
		int			a = node_walk->order[depth];

		distribute(node_walk, table, a, root[a], ordered);
		table = ordered;
		ordered = swap;
	}
	tuple_table_free(population, ordered);
	node_walk->steps[0].lowest = node_walk->steps[0].ordered = table;
	node_walk->steps[0].room_ordered = table->ntuples;
}

NodeWalk *
node_walk_create(Population *population, WalkOrder order)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt node walk", ALLOCSET_DEFAULT_SIZES);
	NodeWalk   *node_walk = MemoryContextAllocZero(context, sizeof(NodeWalk));
	MemoryContext old = MemoryContextSwitchTo(context);
	Size		most_leaves = 0;

	node_walk->population = population;
	node_walk->context = context;
	for (int a = 0; a < population->nattrs; a++)
		most_leaves = Max(most_leaves, population->attrs[a].hierarchy->nleaves);
	node_walk->codes = MemoryContextAllocHuge(context, sizeof(uint64) * (most_leaves + 1));
	node_walk->start = MemoryContextAllocHuge(context, sizeof(uint32) * (most_leaves + 1));
	for (int depth = 0; depth < population->nattrs; depth++)
		node_walk->steps[depth].marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	order_attributes(node_walk, order);
	prepare_root(node_walk);
	if (population->has_persons && population->nknown == 0)
		node_walk->people = level_people_create(population, node_walk->steps[0].lowest->ntuples, context);
	MemoryContextSwitchTo(old);
	return node_walk;
}

void
node_walk_free(NodeWalk *node_walk)
{
	MemoryContextDelete(node_walk->context);
}
