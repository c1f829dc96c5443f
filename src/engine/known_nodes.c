/*
 * known_nodes.c
 *	  A set of nodes with known values that finds those above or below a node.
 *
 * For every attribute and level there is a bit set of the stored nodes with at
 * least that level.  The nodes above a node are the intersection of one set
 * per attribute, computed for 64 nodes at once; those below it are in none of
 * the sets of the next level.  The words of all sets are interleaved, so that
 * a lookup reads memory in order.
 */
#include "engine/lattice.h"

#include "base/budget.h"

struct KnownNodes
{
	MemoryContext context;
	MemoryContext all;			/* unit of memory accounting */
	int			nattrs;
	int			nsets;
	int			first_set[MAX_ATTRIBUTES];	/* of the attribute's level 0 */
	int			height[MAX_ATTRIBUTES];
	Size		nnodes;
	Size		node_capacity;
	int64	   *values;			/* by node */
	Size		nwords;
	Size		word_capacity;
	uint64	   *bits;			/* by word and set */
};

KnownNodes *
known_nodes_create(const Population *population, MemoryContext context)
{
	KnownNodes *known = MemoryContextAllocZero(context, sizeof(KnownNodes));

	known->context = context;
	known->all = population->context;
	known->nattrs = population->nattrs;
	for (int a = 0; a < population->nattrs; a++)
	{
		known->first_set[a] = known->nsets;
		known->height[a] = population->attrs[a].hierarchy->height;
		known->nsets += known->height[a] + 1;
	}
	return known;
}

bool
known_nodes_add(KnownNodes *known, const int *levels, int64 value)
{
	Size		node = known->nnodes;
	Size		growth = 0;
	uint64	   *word;

	if (node == known->node_capacity)
		growth += Max(known->node_capacity * 2, 64) * sizeof(int64);
	if (node % 64 == 0 && known->nwords == known->word_capacity)
		growth += Max(known->word_capacity * 2, 64) * sizeof(uint64) * known->nsets;
	/* a quarter of the memory is reserved for the search itself */
	if (growth > 0 && !budget_allows(known->all, growth + budget_limit() / 4))
		return false;
	known->nnodes++;
	if (node == known->node_capacity)
		known->values = budget_grow(known->context, known->values, sizeof(int64), &known->node_capacity);
	known->values[node] = value;
	if (node % 64 == 0)
	{
		if (known->nwords == known->word_capacity)
			known->bits = budget_grow(known->context, known->bits, sizeof(uint64) * known->nsets, &known->word_capacity);
		memset(known->bits + known->nwords * known->nsets, 0, sizeof(uint64) * known->nsets);
		known->nwords++;
	}
	word = known->bits + (node / 64) * known->nsets;
	for (int a = 0; a < known->nattrs; a++)
		for (int level = 0; level <= levels[a]; level++)
			word[known->first_set[a] + level] |= UINT64CONST(1) << (node % 64);
	return true;
}

/* The sets whose intersection are the nodes above one. */
static void
sets_above(const KnownNodes *known, const int *levels, int *sets)
{
	for (int a = 0; a < known->nattrs; a++)
		sets[a] = known->first_set[a] + levels[a];
}

/* The nodes of a word that are in all of the given sets. */
static inline uint64
in_all(const uint64 *word, const int *sets, int nsets)
{
	uint64		nodes = word[sets[0]];

	for (int i = 1; i < nsets && nodes != 0; i++)
		nodes &= word[sets[i]];
	return nodes;
}

int64
known_nodes_least_above(const KnownNodes *known, const int *levels)
{
	int			sets[MAX_ATTRIBUTES];
	int64		least = PG_INT64_MAX;
	const uint64 *word = known->bits;

	sets_above(known, levels, sets);
	for (Size w = 0; w < known->nwords; w++, word += known->nsets)
		for (uint64 above = in_all(word, sets, known->nattrs); above != 0; above &= above - 1)
			least = Min(least, known->values[w * 64 + pg_rightmost_one_pos64(above)]);
	return least;
}

bool
known_nodes_any_as_low_above(const KnownNodes *known, const int *levels, int64 most)
{
	int			sets[MAX_ATTRIBUTES];

	sets_above(known, levels, sets);
	/* the nodes stored last are most often close */
	for (Size w = known->nwords; w-- > 0;)
		for (uint64 above = in_all(known->bits + w * known->nsets, sets, known->nattrs); above != 0; above &= above - 1)
			if (known->values[w * 64 + pg_rightmost_one_pos64(above)] <= most)
				return true;
	return false;
}

/* The sets that contain no node below the given one; returns their number. */
static int
sets_not_below(const KnownNodes *known, const int *levels, int *sets)
{
	int			nsets = 0;

	for (int a = 0; a < known->nattrs; a++)
		if (levels[a] < known->height[a])
			sets[nsets++] = known->first_set[a] + levels[a] + 1;
	return nsets;
}

/* The nodes of a word that are in none of the given sets. */
static inline uint64
in_none(const KnownNodes *known, Size w, const int *sets, int nsets)
{
	const uint64 *word = known->bits + w * known->nsets;
	uint64		nodes = PG_UINT64_MAX >> (64 - Min(known->nnodes - w * 64, 64));

	for (int i = 0; i < nsets && nodes != 0; i++)
		nodes &= ~word[sets[i]];
	return nodes;
}

bool
known_nodes_any_below(const KnownNodes *known, const int *levels)
{
	int			sets[MAX_ATTRIBUTES];
	int			nsets = sets_not_below(known, levels, sets);

	for (Size w = 0; w < known->nwords; w++)
		if (in_none(known, w, sets, nsets) != 0)
			return true;
	return false;
}

int64
known_nodes_least_below(const KnownNodes *known, const int *levels)
{
	int			sets[MAX_ATTRIBUTES];
	int			nsets = sets_not_below(known, levels, sets);
	int64		least = PG_INT64_MAX;
	int64		found = -1;

	for (Size w = 0; w < known->nwords; w++)
		for (uint64 below = in_none(known, w, sets, nsets); below != 0; below &= below - 1)
		{
			Size		node = w * 64 + pg_rightmost_one_pos64(below);

			if (known->values[node] >= least)
				continue;
			least = known->values[node];
			found = node;
		}
	return found;
}
