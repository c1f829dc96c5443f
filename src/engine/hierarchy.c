/*
 * hierarchy.c
 *	  Generalization hierarchies: leaves in preorder and a label for each
 *	  leaf at each level.
 *
 * Leaves are numbered by a preorder walk, with siblings ordered by their
 * smallest leaf.  Then the leaves under any label are neighbours, and labels'
 * numbers never decrease as leaves' numbers increase.  This makes a sorted
 * table of packed keys cheap to generalize; see lattice.c.
 */
#include "engine/hierarchy.h"

#include "base/budget.h"

uint32
hierarchy_nest_faults(const LeafTable *table, NestFault **faults)
{
	uint32		nfaults = 0;
	Size		capacity = 0;

	*faults = NULL;
	for (int level = 1; level < table->height; level++)
	{
		uint32		ngroups = table->ngroups[level];
		uint32	   *above = budget_alloc(sizeof(uint32), (Size) ngroups + 1);
		bool	   *faulty = budget_alloc_zero(sizeof(bool), (Size) ngroups + 1);

		memset(above, 0xff, sizeof(uint32) * (Size) ngroups);
		for (uint32 leaf = 0; leaf < table->nleaves; leaf++)
		{
			uint32		group = table->group[level][leaf];
			uint32		parent = table->group[level + 1][leaf];
			NestFault  *fault;

			if (above[group] == NO_LEAF)
				above[group] = parent;
			if (above[group] == parent || faulty[group])
				continue;
			faulty[group] = true;
			if (nfaults == capacity)
				*faults = budget_grow(CurrentMemoryContext, *faults, sizeof(NestFault), &capacity);
			fault = &(*faults)[nfaults++];
			fault->level = level;
			fault->group = group;
			fault->above = above[group];
			fault->other = parent;
		}
		pfree(above);
		pfree(faulty);
	}
	return nfaults;
}

/* Leaves in preorder: stable counting sorts by group, from the lowest level up. */
static uint32 *
preorder(const LeafTable *table)
{
	uint32	   *order = budget_alloc(sizeof(uint32), (Size) table->nleaves + 1);
	uint32	   *sorted = budget_alloc(sizeof(uint32), (Size) table->nleaves + 1);

	for (uint32 i = 0; i < table->nleaves; i++)
		order[i] = i;
	for (int level = 1; level <= table->height; level++)
	{
		const uint32 *group = table->group[level];
		uint32	   *start = budget_alloc_zero(sizeof(uint32), (Size) table->ngroups[level] + 1);
		uint32	   *swap;

		for (uint32 i = 0; i < table->nleaves; i++)
			start[group[i] + 1]++;
		for (uint32 g = 0; g < table->ngroups[level]; g++)
			start[g + 1] += start[g];
		for (uint32 i = 0; i < table->nleaves; i++)
			sorted[start[group[order[i]]]++] = order[i];
		pfree(start);
		swap = order;
		order = sorted;
		sorted = swap;
	}
	pfree(sorted);
	return order;
}

/*
 * Allocates a recoding with room for two additional leaves: that of values
 * without a leaf, and that of NULL.
 */
static void
recoding_allocate(Recoding *recoding, uint32 nleaves)
{
	Size		size = sizeof(uint32) * ((Size) nleaves + 2);

	recoding->nlabels = 0;
	recoding->label_of = MemoryContextAllocHuge(CurrentMemoryContext, size);
	recoding->first_leaf = MemoryContextAllocHuge(CurrentMemoryContext, size);
	recoding->leaves = MemoryContextAllocHuge(CurrentMemoryContext, size);
	recoding->loss = 0;
}

/* Assigns the next leaf to the last label, or to a new one. */
static void
recoding_append(Recoding *recoding, uint32 leaf, bool starts_label)
{
	if (starts_label)
	{
		recoding->first_leaf[recoding->nlabels] = leaf;
		recoding->leaves[recoding->nlabels] = 0;
		recoding->nlabels++;
	}
	recoding->label_of[leaf] = recoding->nlabels - 1;
	recoding->leaves[recoding->nlabels - 1]++;
}

static Hierarchy *
hierarchy_allocate(int height, uint32 nleaves)
{
	Hierarchy  *hierarchy = palloc0(sizeof(Hierarchy));

	hierarchy->height = height;
	hierarchy->nleaves = nleaves;
	hierarchy->null_leaf = NO_LEAF;
	hierarchy->in_order = true;
	hierarchy->own_size = 1;
	hierarchy->levels = palloc(sizeof(Recoding) * (height + 1));
	hierarchy->labels = palloc0(sizeof(char **) * (height + 1));

	/*
	 * cuts are created in great numbers, so their leaves are not counted one
	 * by one
	 */
	budget_require(CurrentMemoryContext, 3 * sizeof(uint32) * ((Size) nleaves + 1) * (height + 1));
	for (int level = 0; level <= height; level++)
		recoding_allocate(&hierarchy->levels[level], nleaves);
	return hierarchy;
}

Hierarchy *
hierarchy_build(const LeafTable *table, uint32 **code_of)
{
	Hierarchy  *hierarchy = hierarchy_allocate(table->height, table->nleaves);
	uint32	   *order = preorder(table);

	for (int level = 0; level <= table->height; level++)
	{
		Recoding   *recoding = &hierarchy->levels[level];
		const uint32 *group = level > 0 ? table->group[level] : NULL;

		hierarchy->labels[level] = budget_alloc(sizeof(char *), (Size) table->nleaves + 2);
		for (uint32 code = 0; code < table->nleaves; code++)
		{
			uint32		leaf = order[code];
			bool		starts = code == 0 || level == 0 || group[leaf] != group[order[code - 1]];

			if (starts)
				hierarchy->labels[level][recoding->nlabels] =
					table->label[level][level > 0 ? group[leaf] : leaf];
			recoding_append(recoding, code, starts);
		}
	}

	*code_of = budget_alloc(sizeof(uint32), (Size) table->nleaves + 1);
	for (uint32 code = 0; code < table->nleaves; code++)
	{
		(*code_of)[order[code]] = code;
		hierarchy->in_order = hierarchy->in_order && order[code] == code;
	}
	if (table->has_null)
		hierarchy->null_leaf = (*code_of)[table->nleaves - 1];
	pfree(order);
	return hierarchy;
}

Hierarchy *
hierarchy_flat(uint32 nvalues)
{
	Hierarchy  *hierarchy = hierarchy_allocate(0, nvalues);

	for (uint32 code = 0; code < nvalues; code++)
		recoding_append(&hierarchy->levels[0], code, true);
	return hierarchy;
}

/*
 * Adds a leaf after all others.  It has its own label below the last level, and
 * joins the last level's label if there is only one.  Level 0 is the value
 * itself, so nothing joins there.
 */
static uint32
add_leaf(Hierarchy *hierarchy, const char *label)
{
	uint32		code = hierarchy->nleaves++;

	for (int level = 0; level <= hierarchy->height; level++)
	{
		Recoding   *recoding = &hierarchy->levels[level];
		bool		joins = level > 0 && level == hierarchy->height && recoding->nlabels == 1;

		if (!joins && hierarchy->labels[level] != NULL)
			hierarchy->labels[level][recoding->nlabels] = label;
		recoding_append(recoding, code, !joins);
	}
	return code;
}

void
hierarchy_add_null(Hierarchy *hierarchy)
{
	hierarchy->null_leaf = add_leaf(hierarchy, NULL);
}

uint32
hierarchy_add_unknown(Hierarchy *hierarchy)
{
	return add_leaf(hierarchy, hierarchy->labels[hierarchy->height][0]);
}

Hierarchy *
hierarchy_above(const Hierarchy *hierarchy, int level)
{
	const Recoding *bottom = &hierarchy->levels[level];
	Hierarchy  *above = hierarchy_allocate(hierarchy->height - level, bottom->nlabels);

	for (int i = 0; i <= above->height; i++)
	{
		const Recoding *recoding = &hierarchy->levels[level + i];

		/* with room for two additional leaves, too */
		above->labels[i] = budget_alloc(sizeof(char *), (Size) bottom->nlabels + 2);
		memcpy(above->labels[i], hierarchy->labels[level + i], sizeof(char *) * recoding->nlabels);
		for (uint32 leaf = 0; leaf < bottom->nlabels; leaf++)
			recoding_append(&above->levels[i], leaf, recoding->first_leaf[recoding->label_of[bottom->first_leaf[leaf]]] == bottom->first_leaf[leaf]);
	}
	above->in_order = hierarchy->in_order;
	if (hierarchy->null_leaf != NO_LEAF)
		above->null_leaf = bottom->label_of[hierarchy->null_leaf];
	else if (level > 0 && level == hierarchy->height && bottom->nlabels == 1)
		above->null_leaf = 0;
	return above;
}

Recoding *
recoding_cut(const Hierarchy *hierarchy, const Recoding *finer, const bool *keep)
{
	Recoding   *cut = palloc(sizeof(Recoding));

	recoding_allocate(cut, hierarchy->nleaves);
	for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
	{
		uint32		label = finer->label_of[leaf];
		bool		starts = leaf == 0 ||
		(label != finer->label_of[leaf - 1] && keep[label - 1]);

		recoding_append(cut, leaf, starts);
	}
	return cut;
}
