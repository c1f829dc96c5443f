/*
 * record_items.h
 *	  Records or entries, sorted by one attribute after another.
 */
#ifndef ANONOPT_RECORD_ITEMS_H
#define ANONOPT_RECORD_ITEMS_H

#include "record/record_run.h"

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
	const int64 *counts;		/* people of each, or NULL if they do not
								 * matter */
	SortedItems *sorted;		/* by depth of the search */
	uint32	   *starts;			/* work space, by leaf */
	uint64	   *pairs;			/* the same, for items that are few */
} ItemTable;

/* The bytes of tables of so many items, apart from their leaves. */
extern Size item_table_size(const Population *population, uint32 n);

/*
 * Prepares to sort items, given nattrs leaves of each, or another table of the
 * same items.
 */
extern ItemTable *item_table_create(const Population *population, uint32 n, const uint32 *leaves, const int64 *counts,
									const ItemTable *same);

/* Sorts some of the items by an attribute, for a depth. */
extern void item_table_sort(ItemTable *table, int depth, int attribute, const uint32 *items, uint32 n);

#endif
