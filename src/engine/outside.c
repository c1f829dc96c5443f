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
#include "engine/class_counter.h"
#include "engine/outside_boxes.h"
#include "miscadmin.h"

struct OutsideCounter
{
	const Population *population;
	const Outsiders *outsiders;
	ClassCounter *counter;
	Keys		known;			/* scratch: tuples with all leaves known, as
								 * far as a node distinguishes them */
};

OutsideCounter *
outside_counter_create(const Population *population, const Outsiders *outsiders, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	OutsideCounter *counter = palloc0(sizeof(OutsideCounter));
	KeyField   *fields = palloc(sizeof(KeyField) * (population->nattrs + 1));

	for (int a = 0; a < population->nattrs; a++)
		fields[a] = population->attrs[a].field;
	counter->population = population;
	counter->outsiders = outsiders;
	counter->counter = class_counter_create(context, population->nattrs, fields, population->nwords, outsiders->ntuples);
	if (outsiders->unknown != NULL)
	{
		counter->known.words = budget_alloc(sizeof(uint64), (Size) outsiders->ntuples * population->nwords + 1);
		counter->known.counts = budget_alloc(sizeof(int64), (Size) outsiders->ntuples + 1);
	}
	MemoryContextSwitchTo(old);
	return counter;
}

/* Collects the tuples that have a label in every attribute of a node. */
static const Keys *
known_tuples(OutsideCounter *counter, Recodings node, Keys *all)
{
	const Outsiders *outsiders = counter->outsiders;
	int			nwords = counter->population->nwords;
	uint64		hidden = 0;		/* attributes whose label covers every leaf */

	all->n = outsiders->ntuples;
	all->words = outsiders->keys;
	all->counts = outsiders->counts;
	if (outsiders->unknown == NULL)
		return all;
	for (int a = 0; a < counter->population->nattrs; a++)
		if (node[a]->nlabels == 1)
			hidden |= UINT64CONST(1) << a;
	counter->known.n = 0;
	for (uint32 i = 0; i < outsiders->ntuples; i++)
	{
		if ((outsiders->unknown[i] & ~hidden) != 0)
			continue;
		memcpy(counter->known.words + (Size) counter->known.n * nwords, outsiders->keys + (Size) i * nwords, sizeof(uint64) * nwords);
		counter->known.counts[counter->known.n++] = outsiders->counts[i];
	}
	return &counter->known;
}

void
outside_count_node(OutsideCounter *counter, Recodings node, const TupleTable *classes, int64 *counts)
{
	const Population *population = counter->population;
	ClassCounter *classes_of = counter->counter;
	const uint32 *codes[MAX_ATTRIBUTES];
	uint32		ncodes[MAX_ATTRIBUTES];
	Keys		all;

	CHECK_FOR_INTERRUPTS();
	for (int a = 0; a < population->nattrs; a++)
	{
		codes[a] = node[a]->label_of;
		ncodes[a] = population->attrs[a].hierarchy->nleaves;
	}
	class_counter_show(classes_of, codes, ncodes);
	class_counter_count(classes_of, known_tuples(counter, node, &all), NULL);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		uint32		slot = class_counter_shown(classes_of, classes->keys + (Size) i * population->nwords);

		counts[i] = slot == NO_SLOT ? 0 : classes_of->slots[slot].count;
	}
	class_counter_clear(classes_of);
}

/* Classes that have several boxes; a tuple in two of one class counts once. */
static void
count_united(const OutsideBoxes *tree, const Outsiders *outsiders, const LeafBoxes *boxes, const uint32 *several, uint32 n,
			 int nattrs, int64 *counts)
{
	uint32	   *counted = budget_alloc_zero(sizeof(uint32), (Size) boxes->nclasses + 1);

	for (uint32 tuple = 0; tuple < outsiders->ntuples; tuple++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < n; i++)
		{
			uint32		class = boxes->class_of[several[i]];
			Size		at = (Size) several[i] * nattrs;

			if (counted[class] == tuple + 1 || !outside_boxes_holds(tree, tuple, boxes->first_leaf + at, boxes->leaves + at))
				continue;
			counted[class] = tuple + 1;
			counts[class] += outsiders->counts[tuple];
		}
	}
	pfree(counted);
}

void
outside_count_boxes(OutsideCounter *counter, const LeafBoxes *boxes, int64 *counts)
{
	const Population *population = counter->population;
	uint32	   *boxes_of = budget_alloc_zero(sizeof(uint32), (Size) boxes->nclasses + 1);
	uint32	   *several = budget_alloc(sizeof(uint32), (Size) boxes->nboxes + 1);
	uint32		n = 0;
	OutsideBoxes *tree = outside_boxes_create(population, counter->outsiders, CurrentMemoryContext);

	memset(counts, 0, sizeof(int64) * boxes->nclasses);
	for (uint32 box = 0; box < boxes->nboxes; box++)
		boxes_of[boxes->class_of == NULL ? box : boxes->class_of[box]]++;
	for (uint32 box = 0; box < boxes->nboxes; box++)
	{
		uint32		class = boxes->class_of == NULL ? box : boxes->class_of[box];
		Size		at = (Size) box * population->nattrs;

		CHECK_FOR_INTERRUPTS();
		if (boxes_of[class] > 1)
			several[n++] = box;
		else
			counts[class] = outside_boxes_count(tree, boxes->first_leaf + at, boxes->leaves + at, PG_INT64_MAX);
	}
	if (n > 0)
		count_united(tree, counter->outsiders, boxes, several, n, population->nattrs, counts);
	pfree(boxes_of);
	pfree(several);
}
