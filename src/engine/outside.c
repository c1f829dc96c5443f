/*
 * outside.c
 *	  The number of people of another relation with the labels of a class.
 *
 * The other relation was read with the same leaves.  For a node, its tuples
 * are generalized like the data and counted, including those whose leaves do
 * not occur in the data, so that everybody covered by a wider label counts.  A
 * value without a leaf matches only a label that covers every leaf.
 */
#include "engine/outside.h"

#include "base/budget.h"
#include "engine/classes.h"
#include "engine/kd_tree.h"
#include "miscadmin.h"

struct OutsideCounter
{
	const Population *population;
	const Outsiders *outsiders;
	ClassCounter *counter;
	Recodings	leaves;
	TupleTable	all;			/* their tuples */
	TupleTable	known;			/* scratch: those with all leaves known, as
								 * far as a node distinguishes them */
};

OutsideCounter *
outside_counter_create(const Population *population, const Outsiders *outsiders, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	OutsideCounter *counter = palloc0(sizeof(OutsideCounter));
	int			bottom[MAX_ATTRIBUTES] = {0};

	counter->population = population;
	counter->outsiders = outsiders;
	counter->counter = class_counter_create(context, population, outsiders->ntuples);
	counter->leaves = node_of_levels(population, bottom);
	counter->all.ntuples = outsiders->ntuples;
	counter->all.keys = outsiders->keys;
	counter->all.counts = outsiders->counts;
	if (outsiders->unknown != NULL)
	{
		counter->known.keys = budget_alloc(sizeof(uint64), (Size) outsiders->ntuples * population->nwords + 1);
		counter->known.counts = budget_alloc(sizeof(int64), (Size) outsiders->ntuples + 1);
	}
	MemoryContextSwitchTo(old);
	return counter;
}

/* Collects the tuples that have a label in every attribute of a node. */
static const TupleTable *
known_tuples(OutsideCounter *counter, Recodings node)
{
	const Outsiders *outsiders = counter->outsiders;
	int			nwords = counter->population->nwords;
	uint64		hidden = 0;		/* attributes whose label covers every leaf */

	if (outsiders->unknown == NULL)
		return &counter->all;
	for (int a = 0; a < counter->population->nattrs; a++)
		if (node[a]->nlabels == 1)
			hidden |= UINT64CONST(1) << a;
	counter->known.ntuples = 0;
	for (uint32 i = 0; i < outsiders->ntuples; i++)
	{
		if ((outsiders->unknown[i] & ~hidden) != 0)
			continue;
		memcpy(counter->known.keys + (Size) counter->known.ntuples * nwords, outsiders->keys + (Size) i * nwords, sizeof(uint64) * nwords);
		counter->known.counts[counter->known.ntuples++] = outsiders->counts[i];
	}
	return &counter->known;
}

const ClassCounter *
outside_counter_go(OutsideCounter *counter, Recodings node)
{
	CHECK_FOR_INTERRUPTS();
	class_counter_recode(counter->counter, known_tuples(counter, node), counter->leaves, node, NULL);
	return counter->counter;
}

void
outside_count_node(OutsideCounter *counter, Recodings node, const TupleTable *classes, int64 *counts)
{
	const ClassCounter *counted = outside_counter_go(counter, node);

	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		uint32		class = class_counter_shown(counted, classes->keys + (Size) i * counter->population->nwords);

		counts[i] = class == NO_CLASS ? 0 : counted->classes.counts[class];
	}
}

/* ----------------- counts the people of another relation in a box of leaves */

/*
 * Their tuples are in a tree: a branch is split at the middle of the attribute
 * in which its tuples are farthest apart.  A box counts branches that lie
 * completely inside, and descends only into those that it cuts.
 *
 * A value's place is its leaf plus one; 0 is a value without a leaf, which is
 * in a box only if the box has every leaf.
 */

/* Branches with at most this many tuples are not split. */
#define FEW_TUPLES 8

struct OutsideBoxes
{
	int			nattrs;
	const Attribute *attrs;
	const int64 *counts;
	uint32	   *places;			/* nattrs per tuple */
	KdTree	   *tree;			/* of the places */
	int64	   *before;			/* people of the tuples before, in the tree's
								 * order */
};

/* Each split halves a width, so the widths of all attributes bound the depth. */
static int
split_widest(const KdTree *tree, const Branch *branch, const uint32 *hull, void *arg, uint32 *code)
{
	uint32		most = 0;
	int			widest = -1;

	for (int a = 0; a < tree->nattrs; a++)
	{
		uint32		width = hull[tree->nattrs + a] - hull[a];

		if (width > most)
		{
			most = width;
			widest = a;
			*code = hull[a] + width / 2 + 1;
		}
	}
	return widest;
}

OutsideBoxes *
outside_boxes_create(const Population *population, const Outsiders *outsiders, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	OutsideBoxes *boxes = palloc0(sizeof(OutsideBoxes));
	int			n = population->nattrs;

	boxes->nattrs = n;
	boxes->attrs = population->attrs;
	boxes->counts = outsiders->counts;
	boxes->places = budget_alloc(sizeof(uint32) * n, (Size) outsiders->ntuples + 1);
	boxes->before = budget_alloc(sizeof(int64), (Size) outsiders->ntuples + 1);
	for (uint32 i = 0; i < outsiders->ntuples; i++)
		for (int a = 0; a < n; a++)
			/* NO_LEAF plus one is 0 */
			boxes->places[(Size) i * n + a] = outsider_leaf(population, outsiders, i, a) + 1;
	boxes->tree = kd_tree_create(context, context, n, boxes->places, outsiders->ntuples, FEW_TUPLES, split_widest, NULL);
	boxes->before[0] = 0;
	for (uint32 i = 0; i < outsiders->ntuples; i++)
		boxes->before[i + 1] = boxes->before[i] + outsiders->counts[boxes->tree->order[i]];
	MemoryContextSwitchTo(old);
	return boxes;
}

/* The places of a box for an attribute. */
static inline void
places_of_box(const OutsideBoxes *boxes, int a, const uint32 *first_leaf, const uint32 *leaves, uint32 *low, uint32 *high)
{
	*low = leaves[a] == boxes->attrs[a].hierarchy->nleaves ? 0 : first_leaf[a] + 1;
	*high = first_leaf[a] + leaves[a];
}

/* Whether one of their tuples is in a box. */
static bool
outside_boxes_holds(const OutsideBoxes *boxes, uint32 tuple, const uint32 *first_leaf, const uint32 *leaves)
{
	const uint32 *places = boxes->places + (Size) tuple * boxes->nattrs;

	for (int a = 0; a < boxes->nattrs; a++)
	{
		uint32		low;
		uint32		high;

		places_of_box(boxes, a, first_leaf, leaves, &low, &high);
		if (places[a] < low || places[a] > high)
			return false;
	}
	return true;
}

static int64
count_branch(const OutsideBoxes *boxes, uint32 number, const uint32 *first_leaf, const uint32 *leaves, int64 enough)
{
	const Branch *branch = &boxes->tree->branches[number];
	const uint32 *hull = branch_hull(boxes->tree, number);
	bool		whole = true;
	int64		people = 0;

	for (int a = 0; a < boxes->nattrs; a++)
	{
		uint32		low;
		uint32		high;

		places_of_box(boxes, a, first_leaf, leaves, &low, &high);
		if (hull[a] > high || hull[boxes->nattrs + a] < low)
			return 0;
		whole = whole && hull[a] >= low && hull[boxes->nattrs + a] <= high;
	}
	if (whole)
		return boxes->before[branch->end] - boxes->before[branch->start];
	if (branch->left != 0)
	{
		people = count_branch(boxes, branch->left, first_leaf, leaves, enough);
		return people >= enough ? people : people + count_branch(boxes, branch->right, first_leaf, leaves, enough - people);
	}
	for (uint32 i = branch->start; i < branch->end && people < enough; i++)
		if (outside_boxes_holds(boxes, boxes->tree->order[i], first_leaf, leaves))
			people += boxes->counts[boxes->tree->order[i]];
	return people;
}

int64
outside_boxes_count(const OutsideBoxes *boxes, const uint32 *first_leaf, const uint32 *leaves, int64 enough)
{
	return boxes->tree->nbranches == 0 ? 0 : count_branch(boxes, 0, first_leaf, leaves, enough);
}

/* ------------------------------------------------- the boxes of classes */

/* Classes that have several boxes; a tuple in two of one class counts once. */
static void
count_united(const OutsideBoxes *tree, const Outsiders *outsiders, const Classes *classes, const uint32 *several, uint32 n,
			 int64 *counts)
{
	int			nattrs = classes->population->nattrs;
	uint32	   *counted = budget_alloc_zero(sizeof(uint32), (Size) classes->n + 1);

	for (uint32 tuple = 0; tuple < outsiders->ntuples; tuple++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < n; i++)
		{
			uint32		class = classes->class_of_box[several[i]];
			Size		at = (Size) several[i] * nattrs;

			if (counted[class] == tuple + 1 || !outside_boxes_holds(tree, tuple, classes->first_leaf + at, classes->leaves + at))
				continue;
			counted[class] = tuple + 1;
			counts[class] += outsiders->counts[tuple];
		}
	}
	pfree(counted);
}

void
outside_count_boxes(OutsideCounter *counter, const Classes *classes, int64 *counts)
{
	const Population *population = counter->population;
	uint32	   *boxes_of = budget_alloc_zero(sizeof(uint32), (Size) classes->n + 1);
	uint32	   *several = budget_alloc(sizeof(uint32), (Size) classes->nboxes + 1);
	uint32		n = 0;
	OutsideBoxes *tree = outside_boxes_create(population, counter->outsiders, CurrentMemoryContext);

	memset(counts, 0, sizeof(int64) * classes->n);
	for (uint32 box = 0; box < classes->nboxes; box++)
		if (classes->class_of_box[box] != NO_CLASS)
			boxes_of[classes->class_of_box[box]]++;
	for (uint32 box = 0; box < classes->nboxes; box++)
	{
		uint32		class = classes->class_of_box[box];
		Size		at = (Size) box * population->nattrs;

		CHECK_FOR_INTERRUPTS();
		if (class == NO_CLASS)
			continue;
		if (boxes_of[class] > 1)
			several[n++] = box;
		else
			counts[class] = outside_boxes_count(tree, classes->first_leaf + at, classes->leaves + at, PG_INT64_MAX);
	}
	if (n > 0)
		count_united(tree, counter->outsiders, classes, several, n, counts);
	pfree(boxes_of);
	pfree(several);
}
