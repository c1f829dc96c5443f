/*
 * cuts.c
 *	  Partitions of ordered domains into runs, with one bit between neighbours.
 *
 * These are Iyengar's generalizations: an attribute's labels at its lowest
 * level are ordered, and a set bit separates a label from the next. Boundaries
 * between labels of the highest level are always set, so that the declared
 * levels are obeyed.
 *
 * If an attribute's cuts must follow the tree, every group is a label of some level.  The
 * boundaries directly below a label are set either all or not at all, and only
 * if those directly below the label above it are set.  The first boundary
 * below a label represents all of them, so that changing one bit adds or
 * removes a split.
 */
#include "engine/cuts.h"

#include "base/budget.h"

static const Recoding *
lowest_recoding(const Attribute *attr)
{
	return &attr->hierarchy->levels[attr->min_level];
}

/* The label at a level of a label at the lowest level. */
static uint32
label_above(const Attribute *attr, int level, uint32 label)
{
	return attr->hierarchy->levels[level].label_of[lowest_recoding(attr)->first_leaf[label]];
}

/* Finds the heights of an attribute's boundaries, and which are fixed. */
static void
find_heights(const CutSpace *space, int a)
{
	const Attribute *attr = &space->population->attrs[a];
	Boundary   *boundaries = space->boundaries + space->first_bit[a];
	uint32		nlabels = lowest_recoding(attr)->nlabels;

	for (uint32 i = 0; i + 1 < nlabels; i++)
	{
		int			level = attr->min_level + 1;

		while (level <= attr->max_level && label_above(attr, level, i) != label_above(attr, level, i + 1))
			level++;
		boundaries[i].height = level;
		boundaries[i].fixed = level > attr->max_level;
	}
}

/* The nearest boundary of a higher level next to a boundary's label, or -1. */
static int
boundary_above(const Attribute *attr, const Boundary *boundaries, uint32 i)
{
	uint32		nlabels = lowest_recoding(attr)->nlabels;
	int			height = boundaries[i].height;
	uint32		label = label_above(attr, height, i);
	int64		left = i;
	int64		right = i + 1;

	while (left >= 0 && label_above(attr, height, left) == label)
		left--;
	while (right < nlabels && label_above(attr, height, right) == label)
		right++;
	right--;
	if (left < 0)
		return right + 1 < nlabels ? right : -1;
	if (right + 1 >= nlabels)
		return left;
	return boundaries[left].height <= boundaries[right].height ? left : right;
}

/* Picks the boundary that represents each label's boundaries, for an attribute. */
static void
find_speakers(const CutSpace *space, int a)
{
	const Attribute *attr = &space->population->attrs[a];
	int			first_bit = space->first_bit[a];
	Boundary   *boundaries = space->boundaries + first_bit;
	uint32		nlabels = lowest_recoding(attr)->nlabels;
	int		  **speakers = palloc(sizeof(int *) * (attr->max_level + 1));

	for (int level = attr->min_level; level <= attr->max_level; level++)
	{
		uint32		n = attr->hierarchy->levels[level].nlabels;

		speakers[level] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int) * ((Size) n + 1));
		memset(speakers[level], 0xff, sizeof(int) * n);
	}
	for (uint32 i = 0; i + 1 < nlabels; i++)
	{
		int		   *speaker;

		boundaries[i].speaker = first_bit + i;
		boundaries[i].above = -1;
		if (boundaries[i].fixed)
			continue;
		speaker = &speakers[boundaries[i].height][label_above(attr, boundaries[i].height, i)];
		if (*speaker < 0)
		{
			*speaker = first_bit + i;
			boundaries[i].above = boundary_above(attr, boundaries, i);
		}
		boundaries[i].speaker = *speaker;
	}
	/* convert positions within the attribute to bits, and to representatives */
	for (uint32 i = 0; i + 1 < nlabels; i++)
		if (boundaries[i].above >= 0)
			boundaries[i].above = boundaries[boundaries[i].above].speaker;
	for (uint32 i = 0; i + 1 < nlabels; i++)
		boundaries[i].above = space->boundaries[boundaries[i].speaker].above;
}

/* Lets each of an attribute's boundaries decide for itself. */
static void
free_boundaries(const CutSpace *space, int a)
{
	for (int bit = space->first_bit[a]; bit < space->first_bit[a + 1]; bit++)
	{
		space->boundaries[bit].speaker = bit;
		space->boundaries[bit].above = -1;
	}
}

static int
compare_heights(const void *a, const void *b, void *arg)
{
	const Boundary *boundaries = arg;
	int			x = *(const int *) a;
	int			y = *(const int *) b;

	if (boundaries[x].height != boundaries[y].height)
		return boundaries[x].height > boundaries[y].height ? -1 : 1;
	return x < y ? -1 : 1;
}

CutSpace *
cut_space_create(Population *population, const bool *along_tree)
{
	CutSpace   *space = MemoryContextAllocZero(population->context, sizeof(CutSpace));
	MemoryContext old = MemoryContextSwitchTo(population->context);

	space->population = population;
	for (int a = 0; a < population->nattrs; a++)
	{
		space->first_bit[a] = space->nbits;
		space->nbits += lowest_recoding(&population->attrs[a])->nlabels - 1;
	}
	space->first_bit[population->nattrs] = space->nbits;
	space->nwords = Max((space->nbits + 63) / 64, 1);
	budget_require(population->context, (sizeof(Boundary) + sizeof(int)) * (Size) space->nbits);
	space->boundaries = MemoryContextAllocExtended(population->context, sizeof(Boundary) * ((Size) space->nbits + 1),
												   MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	space->from_top = MemoryContextAllocHuge(population->context, sizeof(int) * ((Size) space->nbits + 1));
	space->people_before = palloc(sizeof(int64 *) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const Recoding *lowest = lowest_recoding(attr);
		const uint64 *key = population->tuples->keys;
		int64	   *before = MemoryContextAllocExtended(population->context, sizeof(int64) * ((Size) lowest->nlabels + 1),
														MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);

		find_heights(space, a);
		if (along_tree != NULL && along_tree[a])
			find_speakers(space, a);
		else
			free_boundaries(space, a);
		for (uint32 i = 0; i < population->tuples->ntuples; i++, key += population->nwords)
			before[lowest->label_of[key_get(key, &attr->field)] + 1] += population->tuples->counts[i];
		for (uint32 label = 0; label < lowest->nlabels; label++)
			before[label + 1] += before[label];
		space->people_before[a] = before;
	}
	for (int bit = 0; bit < space->nbits; bit++)
		space->from_top[bit] = bit;
	if (along_tree != NULL)
		qsort_arg(space->from_top, space->nbits, sizeof(int), compare_heights, space->boundaries);
	MemoryContextSwitchTo(old);
	return space;
}

void
cut_of_levels(const CutSpace *space, const int *levels, uint64 *cut)
{
	memset(cut, 0, sizeof(uint64) * space->nwords);
	for (int a = 0; a < space->population->nattrs; a++)
		for (int bit = space->first_bit[a]; bit < space->first_bit[a + 1]; bit++)
			if (space->boundaries[bit].height > levels[a])
				cut_set(cut, bit);
}

void
cut_repair(const CutSpace *space, uint64 *cut)
{
	uint64	   *repaired = palloc0(sizeof(uint64) * space->nwords);

	for (int i = 0; i < space->nbits; i++)
	{
		int			bit = space->from_top[i];
		const Boundary *boundary = &space->boundaries[bit];

		if (boundary->fixed ||
			(cut_has(cut, boundary->speaker) && (boundary->above < 0 || cut_has(repaired, boundary->above))))
			cut_set(repaired, bit);
	}
	memcpy(cut, repaired, sizeof(uint64) * space->nwords);
	pfree(repaired);
}

int
cut_groups(const CutSpace *space, const uint64 *cut, int a)
{
	int			groups = 1;

	for (int bit = space->first_bit[a]; bit < space->first_bit[a + 1]; bit++)
		groups += cut_has(cut, bit);
	return groups;
}

double
cut_nwp(const CutSpace *space, const uint64 *cut, const int128 *lost)
{
	int128		sums[MAX_ATTRIBUTES];

	for (int a = 0; a < space->population->nattrs; a++)
	{
		const Attribute *attr = &space->population->attrs[a];
		const Recoding *lowest = lowest_recoding(attr);
		const int64 *before = space->people_before[a];
		uint32		start = 0;

		sums[a] = lost != NULL ? lost[a] : 0;
		for (uint32 label = 0; label < lowest->nlabels; label++)
		{
			uint32		leaves;

			if (label + 1 < lowest->nlabels && !cut_has(cut, space->first_bit[a] + label))
				continue;
			leaves = lowest->first_leaf[label] + lowest->leaves[label] - lowest->first_leaf[start];
			sums[a] += (int128) (before[label + 1] - before[start]) * leaves_lost(attr->hierarchy, lowest->first_leaf[start], leaves);
			start = label + 1;
		}
	}
	return weighted_penalty(space->population, sums);
}
