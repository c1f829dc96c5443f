/*
 * record_items.c
 *	  Records or entries, sorted by one attribute after another.
 *
 * The leaves under a label are neighbours at every level.  So once a class is
 * sorted by an attribute's leaves, all classes into which any level of the
 * attribute divides it are runs of it.
 */
#include "record/record_parts.h"

/* Fewer items than this share of the leaves are sorted by comparison. */
#define LEAVES_PER_ITEM 4

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

Size
item_table_size(const Population *population, uint32 n)
{
	Size		size = sizeof(uint64) * most_pairs(population, n) + sizeof(uint32) * most_leaves(population);

	for (int a = 0; a < population->nattrs; a++)
		size += sizeof(uint32) * (Size) n + sizeof(LeafBlock) * Min((Size) n, (Size) population->attrs[a].hierarchy->nleaves + 1);
	return size;
}

ItemTable *
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

static void
sort_by_counting(const ItemTable *table, const uint32 *leaves, uint32 nleaves, const uint32 *items, uint32 n, uint32 *sorted)
{
	uint32	   *starts = table->starts;
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
		sorted[starts[leaves[items[i]]]++] = items[i];
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

void
item_table_sort(ItemTable *table, int depth, int attribute, const uint32 *items, uint32 n)
{
	SortedItems *sorted = &table->sorted[depth];
	const uint32 *leaves = table->leaves[attribute];
	uint32		nleaves = table->population->attrs[attribute].hierarchy->nleaves;

	sorted->n = n;
	sorted->items = make_room(table, sorted->items, sizeof(uint32), (Size) n + 1, &sorted->capacity);
	sorted->blocks = make_room(table, sorted->blocks, sizeof(LeafBlock), Min((Size) n, (Size) nleaves + 1) + 1,
							   &sorted->block_capacity);
	if (nleaves / LEAVES_PER_ITEM <= n)
		sort_by_counting(table, leaves, nleaves, items, n, sorted->items);
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
