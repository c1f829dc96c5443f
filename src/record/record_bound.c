/*
 * record_bound.c
 *	  Searches for any goal, class by class, using bounds.
 *
 * Levels are chosen one attribute after another, for all tuples together: the
 * levels chosen so far divide the entries of every dictionary and the tuples
 * into classes, and each class is divided further by itself.  A tuple leaves
 * its class as soon as no completion of these levels can beat the tuple's best
 * answer (record_reach.c), and a class without tuples is abandoned.  Most
 * classes of most prefixes are small, and small classes are risky: so most are
 * abandoned early, and a class is sorted once for all levels of an attribute.
 *
 * If a finer level divides a class no further, a coarser one shows less of it
 * to no fewer attackers: it need not be tried if its risk is no less.
 */
#include "record/record_parts.h"

#include "base/budget.h"
#include "base/progress.h"

/* Of the classes with so many attributes chosen, it is reported when they are left. */
#define REPORTED_DEPTH 2

/* The most nodes each of which is counted once: a bit for each, 8 MB. */
#define MOST_NODES_COUNTED (64 * 1024 * 1024)

/* Fewer items than this share of the leaves are sorted by comparison. */
#define LEAVES_PER_ITEM 4

/* ---------------- records or entries, sorted by one attribute after another */

/*
 * The leaves under a label are neighbours at every level.  So once a class is
 * sorted by an attribute's leaves, all classes into which any level of the
 * attribute divides it are runs of it.
 */

/* Items with the same leaf. */
typedef struct LeafBlock
{
	uint32		leaf;			/* nleaves for values without a leaf */
	uint32		start;			/* their place among the sorted items */
	int64		before;			/* people of the items before */
} LeafBlock;

/* Items sorted by an attribute's leaves. */
typedef struct SortedItems
{
	uint32		n;
	uint32	   *items;
	uint32		nblocks;
	LeafBlock  *blocks;			/* and one more, for the end */
	Size		capacity;		/* of items */
	Size		block_capacity;
} SortedItems;

typedef struct ItemTable
{
	const Population *population;
	uint32		n;
	uint32	  **leaves;			/* by attribute and item */
	const int64 *counts;		/* people of each, or NULL if irrelevant */
	SortedItems *sorted;		/* by depth of the search */
	uint32	   *starts;			/* work space, by leaf */
	uint64	   *pairs;			/* work space, for items that are few */
} ItemTable;

/* The most leaves of an attribute. */
static uint32
most_leaves(const Population *population)
{
	uint32		most = 0;

	for (int a = 0; a < population->nattrs; a++)
		most = Max(most, population->attrs[a].hierarchy->nleaves);
	return most;
}

/* The most items that are sorted by comparison. */
static uint32
most_pairs(const Population *population, uint32 n)
{
	return Min(n, most_leaves(population) / LEAVES_PER_ITEM);
}

/* The bytes of tables of so many items, apart from their leaves. */
static Size
item_table_size(const Population *population, uint32 n)
{
	Size		size = sizeof(uint64) * most_pairs(population, n) + sizeof(uint32) * most_leaves(population);

	for (int a = 0; a < population->nattrs; a++)
		size += sizeof(uint32) * (Size) n + sizeof(LeafBlock) * Min((Size) n, (Size) population->attrs[a].hierarchy->nleaves + 1);
	return size;
}

/*
 * Prepares to sort items, given their keys and the attributes whose values have
 * no leaf, or another table of the same items.
 */
static ItemTable *
item_table_create(const Population *population, uint32 n, const uint64 *keys, const uint64 *unknown, const int64 *counts,
				  const ItemTable *same)
{
	ItemTable  *table = palloc0(sizeof(ItemTable));

	table->population = population;
	table->n = n;
	table->counts = counts;
	table->leaves = same != NULL ? same->leaves : palloc(sizeof(uint32 *) * population->nattrs);
	for (int a = 0; a < population->nattrs && same == NULL; a++)
	{
		const Attribute *attr = &population->attrs[a];

		table->leaves[a] = population_alloc(population, sizeof(uint32), (Size) n + 1);
		for (uint32 i = 0; i < n; i++)
			table->leaves[a][i] = unknown != NULL && (unknown[i] >> a & 1) != 0 ? attr->hierarchy->nleaves :
				key_get(keys + (Size) i * population->nwords, &attr->field);
	}
	table->sorted = palloc0(sizeof(SortedItems) * (population->nattrs + 1));
	table->starts = population_alloc(population, sizeof(uint32), (Size) most_leaves(population) + 2);
	table->pairs = population_alloc(population, sizeof(uint64), (Size) most_pairs(population, n) + 1);
	return table;
}

#define ST_SORT sort_pairs
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

/* Replaces an array by one for at least n elements. */
static void *
make_room(const ItemTable *table, void *array, Size element, Size n, Size *capacity)
{
	if (n <= *capacity)
		return array;
	if (array != NULL)
		pfree(array);
	*capacity = n;
	return population_alloc(table->population, element, n);
}

/* Finds the blocks of sorted items. */
static void
find_blocks(const ItemTable *table, const uint32 *leaves, SortedItems *sorted)
{
	LeafBlock  *blocks = sorted->blocks;
	uint32		nblocks = 0;
	int64		before = 0;

	for (uint32 i = 0; i < sorted->n; i++)
	{
		uint32		leaf = leaves[sorted->items[i]];

		if (nblocks == 0 || blocks[nblocks - 1].leaf != leaf)
		{
			blocks[nblocks].leaf = leaf;
			blocks[nblocks].start = i;
			blocks[nblocks].before = before;
			nblocks++;
		}
		if (table->counts != NULL)
			before += table->counts[sorted->items[i]];
	}
	blocks[nblocks].leaf = PG_UINT32_MAX;
	blocks[nblocks].start = sorted->n;
	blocks[nblocks].before = before;
	sorted->nblocks = nblocks;
}

/* Sorts some of the items by an attribute, for a depth. */
static void
item_table_sort(ItemTable *table, int depth, int attribute, const uint32 *items, uint32 n)
{
	SortedItems *sorted = &table->sorted[depth];
	const uint32 *leaves = table->leaves[attribute];
	uint32	   *starts = table->starts;
	uint32		nleaves = table->population->attrs[attribute].hierarchy->nleaves;

	sorted->n = n;
	sorted->items = make_room(table, sorted->items, sizeof(uint32), (Size) n + 1, &sorted->capacity);
	sorted->blocks = make_room(table, sorted->blocks, sizeof(LeafBlock), Min((Size) n, (Size) nleaves + 1) + 1,
							   &sorted->block_capacity);
	if (nleaves / LEAVES_PER_ITEM <= n)
	{
		uint32		start = 0;

		memset(starts, 0, sizeof(uint32) * ((Size) nleaves + 1));
		for (uint32 i = 0; i < n; i++)
			starts[leaves[items[i]]]++;
		for (uint32 leaf = 0; leaf <= nleaves; leaf++)
		{
			uint32		here = starts[leaf];

			starts[leaf] = start;
			start += here;
		}
		for (uint32 i = 0; i < n; i++)
			sorted->items[starts[leaves[items[i]]]++] = items[i];
	}
	else
	{
		for (uint32 i = 0; i < n; i++)
			table->pairs[i] = ((uint64) leaves[items[i]] << 32) | items[i];
		sort_pairs(table->pairs, n);
		for (uint32 i = 0; i < n; i++)
			sorted->items[i] = (uint32) table->pairs[i];
	}
	find_blocks(table, leaves, sorted);
}

/* -------------------------------------------------------------------- classes */

/* Entries of a dictionary that match the labels chosen: some of those sorted for the depth before. */
typedef struct Fitting
{
	uint32		first_block;
	uint32		end_block;
	uint32		n;
	const uint32 *entries;
} Fitting;

/* A run of tuples with the same labels. */
typedef struct TupleRun
{
	uint32		first_leaf;
	uint32		last_leaf;
	uint32		n;
	const uint32 *tuples;
} TupleRun;

/* The levels chosen so far, for the tuples of a class. */
typedef struct Prefix
{
	int			depth;
	int64		node;			/* its number if the other levels are lowest */
	double		weight;			/* without owners */
	double		utility;
	double		share;			/* of the search */
} Prefix;

typedef struct Bounding
{
	RecordRun  *run;
	const Reach *reach;
	int			nattrs;
	int			levels[MAX_ATTRIBUTES];
	ItemTable  *tuples;
	uint32	   *hopeful;		/* of a class, until they are sorted or have
								 * visited its node */
	ItemTable **entries;		/* by dictionary */
	Fitting    *fitting[MAX_ATTRIBUTES + 1];	/* by depth and dictionary */
	int64	   *people[MAX_ATTRIBUTES + 1]; /* by both: those that match */
	uint32	   *together;		/* work space to count persons, or NULL */
	int64		steps;
	double		done;			/* share of the search */
} Bounding;

static void divide_class(Bounding *b, const Prefix *prefix, const uint32 *tuples, uint32 n);

/* Keeps a class's tuples that may still find a better answer; returns their number. */
static uint32
keep_hopeful(Bounding *b, const Prefix *prefix, const TupleRun *tuples)
{
	int			depth = prefix->depth;
	double		one = mean_risk(b->run, 1, b->people[depth]);
	bool		has_owners = b->run->model->owners != NULL;
	Prospect	prospect = prospect_of(b->reach, depth, prefix->weight, prefix->utility, one);
	uint32		kept = 0;

	if (!prospect.possible && !has_owners)
		return 0;
	for (uint32 i = 0; i < tuples->n; i++)
	{
		uint32		tuple = tuples->tuples[i];

		if (has_owners)
			prospect = prospect_of(b->reach, depth, chosen_weight(b->reach, depth, tuple, b->levels), prefix->utility, one);
		if (prospect.possible && !is_hopeless(b->reach, &prospect, tuple))
			b->hopeful[kept++] = tuple;
	}
	return kept;
}

/* Offers a complete node to tuples with the same labels. */
static void
visit_class(Bounding *b, const Prefix *prefix, const uint32 *tuples, uint32 n)
{
	const Population *population = b->run->population;
	double		utility = record_utility(b->run->model, leaves_of(b->run, tuples[0]), b->levels);
	double		risk = 0;

	count_node(b->run, prefix->node);
	/* count different people, if a person may have several tuples */
	for (int i = 0; i < b->run->nmatches && b->together != NULL; i++)
	{
		const Fitting *fitting = &b->fitting[b->nattrs][i];

		if (!counts_persons(population, b->run->dictionaries[i].entries))
			continue;
		for (uint32 j = 0; j < fitting->n; j++)
			b->together[j] = population->tuples->slices[population->ncolumns - 1][fitting->entries[j]];
		b->people[b->nattrs][i] = persons_together(population_persons(population), b->together, fitting->n, PG_INT64_MAX);
	}
	for (uint32 i = 0; i < n; i++)
	{
		/* their risks differ only by owners */
		if (i == 0 || b->run->model->owners != NULL)
			risk = mean_risk(b->run, record_weight(b->run->model, tuples[i], leaves_of(b->run, tuples[i]), b->levels),
							 b->people[b->nattrs]);
		visit_node(b->run, tuples[i], b->levels, risk, utility);
	}
}

/* Finds the entries that show a label, given those that show the label before. */
static void
fit_label(Bounding *b, int depth, const Recoding *recoding, uint32 label)
{
	uint32		first = recoding->first_leaf[label];
	uint32		end = recoding->nlabels == 1 ? PG_UINT32_MAX : first + recoding->leaves[label];

	for (int i = 0; i < b->run->nmatches; i++)
	{
		const SortedItems *sorted = &b->entries[i]->sorted[depth];
		const LeafBlock *blocks = sorted->blocks;
		Fitting    *fitting = &b->fitting[depth + 1][i];
		uint32		block = fitting->end_block;

		while (blocks[block].leaf < first)
			block++;
		fitting->first_block = block;
		while (blocks[block].leaf < end)
			block++;
		fitting->end_block = block;
		fitting->entries = sorted->items + blocks[fitting->first_block].start;
		fitting->n = blocks[block].start - blocks[fitting->first_block].start;
		b->people[depth + 1][i] = blocks[block].before - blocks[fitting->first_block].before;
	}
}

/* Whether all entries that show a label, and the tuples, show the same finer label. */
static bool
is_divided_no_further(const Bounding *b, int depth, const Recoding *finer, const TupleRun *tuples)
{
	uint32		label = finer->label_of[tuples->first_leaf];
	uint32		first = finer->first_leaf[label];
	uint32		last = finer->nlabels == 1 ? PG_UINT32_MAX : first + finer->leaves[label] - 1;

	if (tuples->last_leaf > last)
		return false;
	for (int i = 0; i < b->run->nmatches; i++)
	{
		const LeafBlock *blocks = b->entries[i]->sorted[depth].blocks;
		const Fitting *fitting = &b->fitting[depth + 1][i];

		if (fitting->n > 0 && (blocks[fitting->first_block].leaf < first || blocks[fitting->end_block - 1].leaf > last))
			return false;
	}
	return true;
}

/*
 * Whether the next finer level is as good in every completion: the same entries
 * match, and it shows no more weight, or weight is no risk.
 */
static bool
is_dominated(const Bounding *b, int depth, int level, const TupleRun *tuples)
{
	const RecordModel *model = b->run->model;
	int			a = b->reach->order[depth];
	const Attribute *attr = &b->run->population->attrs[a];

	if (level == attr->min_level)
		return false;
	if (model->risk == RISK_SENSITIVITY &&
		model->weight[a][level][tuples->first_leaf] != model->weight[a][level - 1][tuples->first_leaf])
		return false;
	return is_divided_no_further(b, depth, &attr->hierarchy->levels[level - 1], tuples);
}

/* Reports how far the search is when it leaves one of its first classes. */
static void
leave_class(Bounding *b, const Prefix *prefix, bool is_divided)
{
	if (prefix->depth > REPORTED_DEPTH || (is_divided && prefix->depth < REPORTED_DEPTH))
		return;
	b->done += prefix->share;
	if (b->run->nnodes < PG_INT64_MAX)
		progress_update((int64) (b->done * b->run->nnodes), 0);
}

/* Chooses a level for tuples that show the same label there. */
static void
choose_level(Bounding *b, Prefix *next, int level, const TupleRun *tuples)
{
	const RecordModel *model = b->run->model;
	int			a = b->reach->order[next->depth - 1];
	bool		is_complete = next->depth == b->nattrs;
	uint32		n = 0;

	if (b->run->counted != NULL)
		next->node += b->run->stride[a] * (level - b->run->population->attrs[a].min_level);
	next->weight += model->weight[a][level][tuples->first_leaf];
	next->utility += model->gain[a][level][tuples->first_leaf];
	if (is_complete && b->together == NULL && model->owners == NULL)
		visit_class(b, next, tuples->tuples, tuples->n);
	else if ((n = keep_hopeful(b, next, tuples)) > 0)
	{
		if (is_complete)
			visit_class(b, next, b->hopeful, n);
		else
			divide_class(b, next, b->hopeful, n);
	}
	leave_class(b, next, n > 0 && !is_complete);
}

/* Divides sorted tuples by the labels of a level. */
static void
divide_by_level(Bounding *b, const Prefix *prefix, int level)
{
	int			depth = prefix->depth;
	int			a = b->reach->order[depth];
	const Recoding *recoding = &b->run->population->attrs[a].hierarchy->levels[level];
	const SortedItems *sorted = &b->tuples->sorted[depth];
	int			nlevels = b->run->population->attrs[a].max_level - b->run->population->attrs[a].min_level + 1;
	uint32		end;

	b->levels[a] = level;
	for (int i = 0; i < b->run->nmatches; i++)
		b->fitting[depth + 1][i].end_block = 0;
	for (uint32 first = 0; first < sorted->nblocks; first = end)
	{
		Prefix		next = *prefix;
		TupleRun	tuples = {.first_leaf = sorted->blocks[first].leaf};
		uint32		label = recoding->label_of[tuples.first_leaf];

		/* look at the clock now and then */
		if (++b->steps % 256 == 0 ? out_of_time(b->run) : !b->run->search->in_time)
			return;
		for (end = first + 1; end < sorted->nblocks && recoding->label_of[sorted->blocks[end].leaf] == label; end++)
			;
		tuples.last_leaf = sorted->blocks[end - 1].leaf;
		tuples.tuples = sorted->items + sorted->blocks[first].start;
		tuples.n = sorted->blocks[end].start - sorted->blocks[first].start;
		fit_label(b, depth, recoding, label);
		next.depth++;
		next.share *= (double) tuples.n / sorted->n / nlevels;
		if (!is_dominated(b, depth, level, &tuples))
			choose_level(b, &next, level, &tuples);
		else
			leave_class(b, &next, false);
	}
}

/* Divides a class by the next attribute's levels, most general first. */
static void
divide_class(Bounding *b, const Prefix *prefix, const uint32 *tuples, uint32 n)
{
	int			depth = prefix->depth;
	int			a = b->reach->order[depth];
	const Attribute *attr = &b->run->population->attrs[a];

	item_table_sort(b->tuples, depth, a, tuples, n);
	for (int i = 0; i < b->run->nmatches; i++)
		item_table_sort(b->entries[i], depth, a, b->fitting[depth][i].entries, b->fitting[depth][i].n);
	for (int level = attr->max_level; level >= attr->min_level; level--)
		divide_by_level(b, prefix, level);
}

static uint32 *
all_items(const Population *population, uint32 n)
{
	uint32	   *items = population_alloc(population, sizeof(uint32), (Size) n + 1);

	for (uint32 i = 0; i < n; i++)
		items[i] = i;
	return items;
}

static void
prepare_entries(Bounding *b)
{
	const RecordRun *run = b->run;

	b->entries = palloc(sizeof(ItemTable *) * run->nmatches);
	for (int depth = 0; depth <= b->nattrs; depth++)
	{
		b->fitting[depth] = palloc0(sizeof(Fitting) * run->nmatches);
		b->people[depth] = palloc0(sizeof(int64) * run->nmatches);
	}
	for (int i = 0; i < run->nmatches; i++)
	{
		const Outsiders *entries = run->dictionaries[i].entries;
		const TupleTable *tuples = run->population->tuples;

		b->entries[i] = entries != NULL ?
			item_table_create(run->population, entries->ntuples, entries->keys, entries->unknown, entries->counts, NULL) :
			item_table_create(run->population, tuples->ntuples, tuples->keys, NULL, tuples->counts, b->tuples);
		b->fitting[0][i].n = b->entries[i]->n;
		b->fitting[0][i].entries = all_items(run->population, b->entries[i]->n);
	}
}

/* What the search will need, for the hint if that is too much. */
static void
expect_search(const RecordRun *run)
{
	const Population *population = run->population;
	Size		ntuples = population->tuples->ntuples;
	Size		leaves = sizeof(uint32) * population->nattrs;
	Size		bytes = ntuples * (leaves + 3 * sizeof(uint32)) + item_table_size(population, ntuples);

	for (int i = 0; i < run->nmatches; i++)
	{
		const Outsiders *entries = run->dictionaries[i].entries;
		Size		n = entries != NULL ? entries->ntuples : ntuples;

		bytes += item_table_size(population, n) + n * (sizeof(uint32) + (entries != NULL ? leaves : 0));
	}
	budget_expect_further(population->context, bytes + bytes / 8);
}

void
search_by_bounds(RecordRun *run)
{
	Bounding   *b = palloc0(sizeof(Bounding));
	Prefix		nothing = {.utility = run->model->base,.share = 1};
	uint32		ntuples = run->population->tuples->ntuples;

	if (run->nnodes <= MOST_NODES_COUNTED)
		run->counted = budget_alloc_zero(sizeof(uint64), run->nnodes / 64 + 1);
	/* every tuple has seen the lowest and the highest node */
	if (run->nnodes < PG_INT64_MAX)
	{
		count_node(run, 0);
		count_node(run, run->nnodes - 1);
	}
	offer_samples(run);
	expect_search(run);
	b->run = run;
	b->reach = reach_create(run);
	b->nattrs = run->population->nattrs;
	b->tuples = item_table_create(run->population, ntuples, run->population->tuples->keys, NULL, NULL, NULL);
	b->hopeful = all_items(run->population, ntuples);
	prepare_entries(b);
	for (int i = 0; i < run->nmatches; i++)
		if (b->together == NULL && counts_persons(run->population, run->dictionaries[i].entries))
			b->together = population_alloc(run->population, sizeof(uint32), (Size) ntuples + 1);
	if (ntuples > 0)
		divide_class(b, &nothing, b->hopeful, ntuples);
	count_visits(run);
}
