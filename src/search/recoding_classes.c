/*
 * recoding_classes.c
 *	  Classes of tuples while they change.
 */
#include "search/recoding_parts.h"

#include "base/budget.h"

DraftClasses *
draft_classes_create(const Ground *ground)
{
	const Population *population = ground->order->population;
	DraftClasses *classes = palloc0(sizeof(DraftClasses));

	classes->ground = ground;
	classes->class_of = population_alloc(population, sizeof(uint32), ground->ntuples);
	classes->next = population_alloc(population, sizeof(uint32), ground->ntuples);
	classes->room = ground->ntuples / 8 + 16;
	classes->classes = population_alloc(population, sizeof(RecodingClass), classes->room);
	classes->slices = palloc(sizeof(uint32) * (ground->ncolumns + 1));
	classes->marks = palloc(sizeof(HistogramMark) * (ground->ncolumns + 1));
	draft_classes_clear(classes);
	return classes;
}

void
draft_classes_clear(DraftClasses *classes)
{
	memset(classes->class_of, 0xff, sizeof(uint32) * classes->ground->ntuples);
	classes->nclasses = classes->nfree = 0;
	classes->free = NO_CLASS;
	classes->suppressed = 0;
	classes->cost = 0;
}

uint32
class_add(DraftClasses *classes)
{
	uint32		number = classes->nfree > 0 ? classes->free : classes->nclasses;
	RecodingClass *class;

	if (number == classes->room)
		classes->classes = budget_grow(classes->ground->order->population->context, classes->classes, sizeof(RecodingClass), &classes->room);
	class = &classes->classes[number];
	if (classes->nfree > 0)
	{
		classes->nfree--;
		classes->free = class->first;
	}
	else
		classes->nclasses++;
	class->first = NO_TUPLE;
	class->ntuples = 0;
	class->people = class->loss = class->cost = 0;
	return number;
}

void
class_take(DraftClasses *classes, uint32 number, uint32 tuple)
{
	RecodingClass *class = &classes->classes[number];

	classes->class_of[tuple] = number;
	classes->next[tuple] = class->first;
	class->first = tuple;
	class->ntuples++;
	class->people += classes->ground->people[tuple];
}

/* The hull around a class. */
void
class_hull(const DraftClasses *classes, uint32 number, uint32 *hull)
{
	const Ground *ground = classes->ground;
	uint32		tuple = classes->classes[number].first;
	uint32		other[2 * MAX_ATTRIBUTES];

	hull_of_tuple(ground, tuple, hull);
	while ((tuple = classes->next[tuple]) != NO_TUPLE)
	{
		hull_of_tuple(ground, tuple, other);
		hull_extend(ground, hull, other);
	}
}

bool
class_settle(DraftClasses *classes, uint32 number)
{
	const Ground *ground = classes->ground;
	const Population *population = ground->order->population;
	RecodingClass *class = &classes->classes[number];
	uint32		hull[2 * MAX_ATTRIBUTES];
	uint32	   *slices = classes->slices;
	HistogramMark *marks = classes->marks;
	uint32	   *own = NULL;		/* histograms of its tuples */
	bool		kept;

	class_hull(classes, number, hull);
	class->loss = hull_loss(ground, hull);
	classes->cost -= class->cost;
	if (ground->ncolumns > 0)
		own = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * class->ntuples);
	for (int column = 0; column < ground->ncolumns; column++)
	{
		uint32		n = 0;

		marks[column] = histograms_mark(population->columns[column]);
		for (uint32 tuple = class->first; tuple != NO_TUPLE; tuple = classes->next[tuple])
			own[n++] = population->tuples->slices[column][ground->tuple[tuple]];
		slices[column] = histograms_merge(population->columns[column], own, n);
	}
	if (own != NULL)
		pfree(own);
	class->cost = class_cost(ground, class->people, class->loss, slices);
	kept = keeps_promise(ground, hull, class->people, slices);
	for (int column = 0; column < ground->ncolumns; column++)
		histograms_release(population->columns[column], marks[column]);
	classes->cost += class->cost;
	return kept;
}

void
class_drop(DraftClasses *classes, uint32 number)
{
	RecodingClass *class = &classes->classes[number];

	for (uint32 tuple = class->first; tuple != NO_TUPLE; tuple = classes->next[tuple])
		classes->class_of[tuple] = NO_CLASS;
	classes->cost -= class->cost;
	class->ntuples = 0;
	class->cost = 0;
	class->first = classes->free;
	classes->free = number;
	classes->nfree++;
}

void
tuple_suppress(DraftClasses *classes, uint32 tuple)
{
	int64		people = classes->ground->people[tuple];

	Assert(classes->class_of[tuple] == NO_CLASS);
	classes->suppressed += people;
	classes->cost += people * classes->ground->suppressed_loss;
}

void
class_take_back(DraftClasses *classes, uint32 number)
{
	RecodingClass *class = &classes->classes[number];
	uint32		tuple = class->first;

	class->first = classes->next[tuple];
	class->ntuples--;
	class->people -= classes->ground->people[tuple];
	classes->class_of[tuple] = NO_CLASS;
	class_settle(classes, number);
}

void
suppress_the_rest(DraftClasses *classes)
{
	for (uint32 tuple = 0; tuple < classes->ground->ntuples; tuple++)
		if (classes->class_of[tuple] == NO_CLASS)
			tuple_suppress(classes, tuple);
}

void
draft_classes_take_over(DraftClasses *classes, const uint32 *class_of, const uint32 *rank)
{
	const Ground *ground = classes->ground;
	uint32	   *number;
	uint32		most = 0;

	for (uint32 i = 0; i < ground->ntuples; i++)
		if (class_of[i] != NO_CLASS)
			most = Max(most, class_of[i] + 1);
	number = population_alloc(ground->order->population, sizeof(uint32), most);
	memset(number, 0xff, sizeof(uint32) * most);
	for (uint32 i = 0; i < ground->ntuples; i++)
	{
		uint32		class = class_of[rank != NULL ? rank[i] : i];

		if (class == NO_CLASS)
			continue;
		if (number[class] == NO_CLASS)
			number[class] = class_add(classes);
		class_take(classes, number[class], i);
	}
	most = classes->nclasses;
	for (uint32 class = 0; class < most; class++)
		if (!class_settle(classes, class))
			class_drop(classes, class);
	pfree(number);
}
