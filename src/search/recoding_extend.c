/*
 * recoding_extend.c
 *	  Adds new tuples to a recoding.
 *
 * Anyone holding both the old and the new release learns from the changes. So
 * classes are kept if possible: new tuples form new classes or join the old
 * class whose loss this increases least, whichever is cheaper.  Only a class
 * that has lost people and no longer keeps the promise is dissolved; its
 * tuples are then placed like new ones.
 */
#include "search/recoding_parts.h"

#include "base/bytes.h"
#include "miscadmin.h"

/* The number of nearby tuples whose classes a new one may join. */
#define CANDIDATES 32

typedef struct Extension
{
	DraftClasses *classes;
	Nearest    *nearest;
	uint32		nold;			/* bound of the numbers of old classes */
} Extension;

/*
 * The cheapest nearby class for a tuple to join, among those below a number
 * and not yet tried, whose labels can cover it; or NO_CLASS.
 */
static uint32
class_to_join(Extension *extension, uint32 tuple, uint32 below, const uint32 *tried, int ntried, int64 *price)
{
	const DraftClasses *classes = extension->classes;
	const Ground *ground = classes->ground;
	const uint32 *nearest = nearest_tuples(extension->nearest, tuple);
	uint32		own_hull[2 * MAX_ATTRIBUTES];
	uint32		best = NO_CLASS;

	*price = PG_INT64_MAX;
	hull_of_tuple(ground, tuple, own_hull);
	for (int i = 0; i < CANDIDATES; i++)
	{
		uint32		number = classes->class_of[nearest[i]];
		bool		again = number == best;
		const RecodingClass *class;
		uint32		hull[2 * MAX_ATTRIBUTES];
		int64		increase;

		for (int j = 0; j < ntried && !again; j++)
			again = tried[j] == number;
		if (again || number == NO_CLASS || number >= below)
			continue;
		class = &classes->classes[number];
		class_hull(classes, number, hull);
		hull_extend(ground, hull, own_hull);
		if (!hull_has_labels(ground, hull))
			continue;
		increase = size_cost(ground, class->people + ground->people[tuple], hull_loss(ground, hull)) - class->cost;
		if (increase < *price)
		{
			*price = increase;
			best = number;
		}
	}
	return best;
}

/* Adds a tuple to the cheapest class that keeps the promise with it; false if none does. */
static bool
join_class(Extension *extension, uint32 tuple, uint32 below)
{
	DraftClasses *classes = extension->classes;
	uint32		tried[CANDIDATES];
	int64		price;

	for (int ntried = 0; ntried < CANDIDATES; ntried++)
	{
		uint32		class = class_to_join(extension, tuple, below, tried, ntried, &price);

		if (class == NO_CLASS)
			return false;
		class_take(classes, class, tuple);
		if (class_settle(classes, class))
			return true;
		class_take_back(classes, class);
		tried[ntried] = class;
	}
	return false;
}

/* Dissolves new classes if adding their tuples to old ones is cheaper. */
static void
weigh_new_classes(Extension *extension)
{
	DraftClasses *classes = extension->classes;

	for (uint32 number = extension->nold; number < classes->nclasses; number++)
	{
		const RecodingClass *class = &classes->classes[number];
		bool		joins = class->ntuples > 0;
		int64		sum = 0;
		int64		price;

		CHECK_FOR_INTERRUPTS();
		if (recoding_is_over(classes->ground->order))
			return;
		for (uint32 tuple = class->first; joins && tuple != NO_TUPLE; tuple = classes->next[tuple])
		{
			joins = class_to_join(extension, tuple, extension->nold, NULL, 0, &price) != NO_CLASS;
			sum += joins ? price : 0;
		}
		if (joins && sum < class->cost)
			class_drop(classes, number);
	}
}

/* The people of an old class in a new one. */
typedef struct ClassPair
{
	uint32		old;
	uint32		now;
	int64		people;
} ClassPair;

/* Gives old classes their numbers, new ones higher ones; returns how many people moved. */
static int64
keep_numbers(const DraftClasses *classes, const uint32 *old, uint32 nold, RecodingResult *result)
{
	const Ground *ground = classes->ground;
	ClassPair  *pairs = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(ClassPair) * ((Size) ground->ntuples + 1));
	uint32	   *number = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) classes->nclasses + 1));
	int64	   *kept = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(int64) * ((Size) classes->nclasses + 1),
												  MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	int64		moved = 0;
	Size		npairs = 0;

	memset(number, 0xff, sizeof(uint32) * classes->nclasses);
	for (uint32 i = 0; i < ground->ntuples; i++)
		if (old[i] != NO_CLASS)
		{
			pairs[npairs++] = (ClassPair)
			{
				old[i], classes->class_of[i], ground->people[i]
			};
			moved += ground->people[i];
		}
	qsort(pairs, npairs, sizeof(ClassPair), compare_uint32_pairs);
	for (Size i = 0; i < npairs;)
	{
		/* the new class with most of the old one's people */
		ClassPair	best = {.old = pairs[i].old,.people = -1};

		while (i < npairs && pairs[i].old == best.old)
		{
			ClassPair	sum = pairs[i];

			for (i++; i < npairs && compare_uint32_pairs(&sum, &pairs[i]) == 0; i++)
				sum.people += pairs[i].people;
			if (sum.people > best.people)
				best = sum;
		}
		if (best.now == NO_CLASS || (number[best.now] != NO_CLASS && best.people <= kept[best.now]))
			continue;
		moved -= best.people - kept[best.now];
		kept[best.now] = best.people;
		number[best.now] = best.old;
	}
	result->nclasses = nold;
	for (uint32 i = 0; i < ground->ntuples; i++)
	{
		uint32		class = classes->class_of[i];

		if (class != NO_CLASS && number[class] == NO_CLASS)
			number[class] = result->nclasses++;
		result->class_of[ground->tuple[i]] = class == NO_CLASS ? NO_CLASS : number[class];
	}
	return moved;
}

/*
 * Merges the tuples in no class with each other and with classes, until the
 * promise is kept.  Where that needs a class that no label covers, they stay
 * suppressed instead.
 */
static bool
place_the_rest(DraftClasses *classes)
{
	Size		size = sizeof(uint32) * ((Size) classes->ground->ntuples + 1);
	uint32	   *before = MemoryContextAllocHuge(CurrentMemoryContext, size);
	uint32		hull[2 * MAX_ATTRIBUTES];
	bool		have_labels = true;
	bool		kept;

	memcpy(before, classes->class_of, size - sizeof(uint32));
	start_by_merging(classes);
	kept = mend_classes(classes);
	for (uint32 number = 0; number < classes->nclasses && have_labels; number++)
		if (classes->classes[number].ntuples > 0)
		{
			class_hull(classes, number, hull);
			have_labels = hull_has_labels(classes->ground, hull);
		}
	if (!have_labels)
	{
		draft_classes_clear(classes);
		draft_classes_take_over(classes, before, NULL);
		kept = true;
	}
	pfree(before);
	return kept;
}

static RecodingResult *
extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved)
{
	const Population *population = order->population;
	RecodingResult *result = recoding_result_create(population);
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding", ALLOCSET_DEFAULT_SIZES);
	MemoryContext outer = MemoryContextSwitchTo(context);
	uint32		nold = 0;
	int64		suppressed = 0;
	uint32		ntuples = population->tuples->ntuples;
	uint32		nshown = 0;
	uint32	   *shown = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) ntuples + 1));

	/* suppressed tuples stay suppressed */
	for (uint32 tuple = 0; tuple < ntuples; tuple++)
		if (class_of[tuple] != NO_CLASS)
			shown[nshown++] = tuple;
	*moved = 0;
	result->feasible = population->people <= order->promise.limit;
	/* without old classes, search from scratch */
	if (nshown > 0)
	{
		Ground	   *ground = ground_create(order, context, shown, nshown);
		KdTree	   *tree = tuple_tree_create(ground, TREE_LEAF);
		uint32	   *old = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) nshown + 1));	/* none for new tuples */
		DraftClasses *classes = draft_classes_create(ground);
		Extension	extension;

		for (uint32 i = 0; i < nshown; i++)
		{
			old[i] = class_of[ground->tuple[i]];
			if (old[i] == NEW_TUPLE)
				old[i] = NO_CLASS;
			else
				nold = Max(nold, old[i] + 1);
		}
		extension.classes = classes;
		extension.nearest = nearest_create(ground, tree, CANDIDATES);
		draft_classes_take_over(classes, old, NULL);
		extension.nold = classes->nclasses;
		start_by_nodes(classes);
		weigh_new_classes(&extension);
		for (uint32 tuple = 0; tuple < nshown && recoding_goes_on(order, "placed", "tuples", tuple, nshown); tuple++)
		{
			if (tuple % 256 == 0)
				CHECK_FOR_INTERRUPTS();
			if (classes->class_of[tuple] == NO_CLASS)
				join_class(&extension, tuple, PG_UINT32_MAX);
		}
		result->feasible = place_the_rest(classes) || result->feasible;
		result->feasible = classes_raise(classes, extension.nearest) && result->feasible;
		*moved = keep_numbers(classes, old, nold, result);
		for (uint32 tuple = 0; tuple < ntuples; tuple++)
			if (result->class_of[tuple] == NO_CLASS)
				suppressed += population->tuples->counts[tuple];
		result->feasible = result->feasible && suppressed <= order->promise.limit;
	}
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(context);
	return result;
}

RecodingResult *
recoding_extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved)
{
	RecodingOrder patient = *order;
	RecodingResult *result = extend(order, class_of, moved);

	/* what is put together in haste may find no label: then it takes its time */
	if (!result->feasible && order->deadline != 0)
	{
		patient.deadline = 0;
		result = extend(&patient, class_of, moved);
	}
	result->ended = GetCurrentTimestamp();
	if (order->watch != NULL)
		order->watch->late = order->watch->cut;
	return result;
}
