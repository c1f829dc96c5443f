/*
 * ancestors.c
 *	  Measured nodes, and what is least among those above a node.
 *
 * For every attribute and level there is a set of bits: the remembered nodes
 * whose level is at least that.  The nodes above one are the intersection of
 * a set an attribute, 64 nodes an instruction.  The sets' words are kept
 * side by side, so that a look-up reads memory in order.
 */
#include "search/ancestors.h"

#include "base/budget.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

struct Ancestors
{
	MemoryContext context;
	int			nattrs;
	int			nsets;
	int			first_set[MAX_ATTRIBUTES];	/* of the attribute's lowest level */
	int			min_level[MAX_ATTRIBUTES];
	Size		nnodes;
	Size		node_capacity;
	int64	   *values;			/* by node */
	Size		nwords;
	Size		word_capacity;
	uint64	   *bits;			/* by word and set */
};

Ancestors *
ancestors_create(const Population *population)
{
	Ancestors  *ancestors = MemoryContextAllocZero(population->context, sizeof(Ancestors));

	ancestors->context = population->context;
	ancestors->nattrs = population->nattrs;
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		ancestors->first_set[a] = ancestors->nsets;
		ancestors->min_level[a] = attr->min_level;
		ancestors->nsets += attr->max_level - attr->min_level + 1;
	}
	return ancestors;
}

/* Whether there is room for one node more, or memory to make it. */
static bool
has_room(const Ancestors *ancestors)
{
	Size		growth = 0;

	if (ancestors->nnodes == ancestors->node_capacity)
		growth += Max(ancestors->node_capacity * 2, 64) * sizeof(int64);
	if (ancestors->nnodes % 64 == 0 && ancestors->nwords == ancestors->word_capacity)
		growth += Max(ancestors->word_capacity * 2, 64) * sizeof(uint64) * ancestors->nsets;
	/* a quarter of all memory is the search's own */
	return growth == 0 || budget_allows(ancestors->context, growth + (Size) maintenance_work_mem * 1024 / 4);
}

void
ancestors_add(Ancestors *ancestors, const int *levels, int64 value)
{
	Size		node = ancestors->nnodes;
	uint64	   *word;

	if (!has_room(ancestors))
		return;
	ancestors->nnodes++;
	if (node == ancestors->node_capacity)
		ancestors->values = budget_grow(ancestors->context, ancestors->values,
										sizeof(int64), &ancestors->node_capacity);
	ancestors->values[node] = value;
	if (node % 64 == 0)
	{
		if (ancestors->nwords == ancestors->word_capacity)
			ancestors->bits = budget_grow(ancestors->context, ancestors->bits,
										  sizeof(uint64) * ancestors->nsets, &ancestors->word_capacity);
		memset(ancestors->bits + ancestors->nwords * ancestors->nsets, 0, sizeof(uint64) * ancestors->nsets);
		ancestors->nwords++;
	}
	word = ancestors->bits + (node / 64) * ancestors->nsets;
	for (int a = 0; a < ancestors->nattrs; a++)
		for (int level = ancestors->min_level[a]; level <= levels[a]; level++)
			word[ancestors->first_set[a] + level - ancestors->min_level[a]] |= UINT64CONST(1) << (node % 64);
}

int64
ancestors_least(const Ancestors *ancestors, const int *levels)
{
	int			sets[MAX_ATTRIBUTES];
	int64		least = PG_INT64_MAX;
	const uint64 *word = ancestors->bits;

	for (int a = 0; a < ancestors->nattrs; a++)
		sets[a] = ancestors->first_set[a] + levels[a] - ancestors->min_level[a];
	for (Size w = 0; w < ancestors->nwords; w++, word += ancestors->nsets)
	{
		uint64		above = word[sets[0]];

		for (int a = 1; a < ancestors->nattrs && above != 0; a++)
			above &= word[sets[a]];
		for (; above != 0; above &= above - 1)
			least = Min(least, ancestors->values[w * 64 + pg_rightmost_one_pos64(above)]);
	}
	return least;
}
