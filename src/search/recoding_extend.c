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
#include "search/recoding.h"

#include "base/budget.h"
#include "miscadmin.h"
#include "search/recoding_parts.h"

/* The number of nearby tuples whose classes a new one may join. */
#define CANDIDATES 32

typedef struct Extension
{
	DraftClasses *classes;
	Nearest    *nearest;
	uint32		nold;			/* bound of the numbers of old classes */
} Extension;

/* The increase of a class's loss by a tuple. */
static int64
joining_price(const DraftClasses *classes, uint32 number, uint32 tuple)
{
	const Ground *ground = classes->ground;
	const RecodingClass *class = &classes->classes[number];
	uint32		box[2 * MAX_ATTRIBUTES];
	uint32		own[2 * MAX_ATTRIBUTES];

	class_box(classes, number, box);
	box_of_tuple(ground, tuple, own);
	return size_cost(ground, class->people + ground->people[tuple], joint_loss(ground, box, own)) - class->cost;
}

/* Removes a tuple from its class; it must be the last one added. */
static void
take_back(DraftClasses *classes, uint32 number, uint32 tuple)
{
	RecodingClass *class = &classes->classes[number];

	Assert(class->first == tuple);
	class->first = classes->next[tuple];
	class->ntuples--;
	class->people -= classes->ground->people[tuple];
	classes->class_of[tuple] = NO_CLASS;
	class_settle(classes, number);
}

/*
 * The cheapest nearby class for a tuple to join, among those below a number
 * and not yet tried; or NO_CLASS.
 */
static uint32
class_to_join(Extension *extension, uint32 tuple, uint32 below, const uint32 *tried, int ntried, int64 *price)
{
	const DraftClasses *classes = extension->classes;
	const uint32 *nearest = nearest_tuples(extension->nearest, tuple);
	uint32		best = NO_CLASS;

	*price = PG_INT64_MAX;
	for (int i = 0; i < CANDIDATES; i++)
	{
		uint32		class = classes->class_of[nearest[i]];
		bool		again = class == best;
		int64		own;

		for (int j = 0; j < ntried && !again; j++)
			again = tried[j] == class;
		if (again || class == NO_CLASS || class >= below)
			continue;
		own = joining_price(classes, class, tuple);
		if (own < *price)
		{
			*price = own;
			best = class;
		}
	}
	return best;
}

/*
 * Adds a tuple to the cheapest class that keeps the promise with it; returns
 * false if there is none.
 */
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
		take_back(classes, class, tuple);
		tried[ntried] = class;
	}
	return false;
}

/* The cost of adding all tuples of a new class to old ones. */
static int64
price_of_joining(Extension *extension, uint32 number)
{
	const DraftClasses *classes = extension->classes;
	int64		sum = 0;
	int64		price;

	for (uint32 tuple = classes->classes[number].first; tuple != NO_TUPLE; tuple = classes->next[tuple])
	{
		if (class_to_join(extension, tuple, extension->nold, NULL, 0, &price) == NO_CLASS)
			return PG_INT64_MAX;
		sum += price;
	}
	return sum;
}

/* Dissolves new classes if adding their tuples to old ones is cheaper. */
static void
weigh_new_classes(Extension *extension)
{
	DraftClasses *classes = extension->classes;

	for (uint32 class = extension->nold; class < classes->nclasses; class++)
	{
		CHECK_FOR_INTERRUPTS();
		if (classes->classes[class].ntuples > 0 && price_of_joining(extension, class) < classes->classes[class].cost)
			class_drop(classes, class);
	}
}

static void
join_the_rest(Extension *extension)
{
	DraftClasses *classes = extension->classes;

	for (uint32 tuple = 0; tuple < classes->ground->ntuples; tuple++)
	{
		if (tuple % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		if (classes->class_of[tuple] == NO_CLASS)
			join_class(extension, tuple, PG_UINT32_MAX);
	}
}

/* The tuples to show; those that were suppressed stay suppressed. */
static uint32 *
shown_tuples(const RecodingOrder *order, const uint32 *class_of, uint32 *nshown)
{
	uint32		n = order->population->tuples->ntuples;
	uint32	   *shown = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1));

	*nshown = 0;
	for (uint32 tuple = 0; tuple < n; tuple++)
		if (class_of[tuple] != NO_CLASS)
			shown[(*nshown)++] = tuple;
	return shown;
}

/* The old classes of the ground's tuples; none for new tuples. */
static uint32 *
old_classes(const Ground *ground, const uint32 *class_of)
{
	uint32	   *old = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) ground->ntuples + 1));

	for (uint32 i = 0; i < ground->ntuples; i++)
	{
		uint32		class = class_of[ground->tuple[i]];

		old[i] = class == NEW_TUPLE ? NO_CLASS : class;
	}
	return old;
}

/* The people of an old class in a new one. */
typedef struct ClassPair
{
	uint32		old;
	uint32		now;
	int64		people;
} ClassPair;

static int
compare_old(const void *a, const void *b)
{
	const ClassPair *x = a;
	const ClassPair *y = b;

	if (x->old != y->old)
		return x->old < y->old ? -1 : 1;
	return x->now < y->now ? -1 : x->now > y->now;
}

static int
compare_now(const void *a, const void *b)
{
	const ClassPair *x = a;
	const ClassPair *y = b;

	if (x->now != y->now)
		return x->now < y->now ? -1 : 1;
	if (x->people != y->people)
		return x->people > y->people ? -1 : 1;
	return x->old < y->old ? -1 : x->old > y->old;
}

/*
 * Finds, for each old class, the new class with most of its people; counts the
 * people who were in any.
 */
static Size
pair_classes(const DraftClasses *classes, const uint32 *old, ClassPair *pairs, int64 *people)
{
	Size		npairs = 0;
	Size		nbest = 0;

	*people = 0;
	for (uint32 i = 0; i < classes->ground->ntuples; i++)
		if (old[i] != NO_CLASS)
		{
			ClassPair	pair = {old[i], classes->class_of[i], classes->ground->people[i]};

			pairs[npairs++] = pair;
			*people += pair.people;
		}
	qsort(pairs, npairs, sizeof(ClassPair), compare_old);
	for (Size i = 0, next; i < npairs; i = next)
	{
		ClassPair	sum = pairs[i];

		for (next = i + 1; next < npairs && compare_old(&pairs[i], &pairs[next]) == 0; next++)
			sum.people += pairs[next].people;
		if (nbest == 0 || pairs[nbest - 1].old != sum.old)
			pairs[nbest++] = sum;
		else if (sum.people > pairs[nbest - 1].people)
			pairs[nbest - 1] = sum;
	}
	return nbest;
}

/*
 * Gives classes their old numbers, and new ones higher numbers; returns how
 * many people changed class.
 */
static int64
keep_numbers(const DraftClasses *classes, const uint32 *old, uint32 nold, RecodingResult *result)
{
	const Ground *ground = classes->ground;
	ClassPair  *pairs = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(ClassPair) * ((Size) ground->ntuples + 1));
	uint32	   *number = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) classes->nclasses + 1));
	int64		moved;
	Size		npairs = pair_classes(classes, old, pairs, &moved);

	memset(number, 0xff, sizeof(uint32) * classes->nclasses);
	qsort(pairs, npairs, sizeof(ClassPair), compare_now);
	for (Size i = 0; i < npairs; i++)
	{
		if (pairs[i].now == NO_CLASS || (i > 0 && pairs[i].now == pairs[i - 1].now))
			continue;
		number[pairs[i].now] = pairs[i].old;
		moved -= pairs[i].people;
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

/* Places all tuples; returns false if that is impossible. */
static bool
extend_classes(const RecodingOrder *order, DraftClasses *classes, const BoxTree *tree, const uint32 *old)
{
	const Ground *ground = classes->ground;
	Extension	extension = {classes, nearest_create(ground, tree, CANDIDATES), 0};
	int64		people = order->population->people;

	draft_classes_take_over(classes, old, NULL);
	extension.nold = classes->nclasses;
	start_by_nodes(classes);
	weigh_new_classes(&extension);
	join_the_rest(&extension);
	start_by_merging(classes);
	return mend_classes(classes) || people <= order->promise.limit;
}

/* Whether too many people are suppressed. */
static bool
too_many_suppressed(const RecodingOrder *order, const RecodingResult *result)
{
	int64		people = 0;

	for (uint32 tuple = 0; tuple < order->population->tuples->ntuples; tuple++)
		if (result->class_of[tuple] == NO_CLASS)
			people += order->population->tuples->counts[tuple];
	return people > order->promise.limit;
}

static void
extend_recoding(const RecodingOrder *order, const uint32 *class_of, RecodingResult *result, int64 *moved)
{
	uint32		n = order->population->tuples->ntuples;
	uint32		nold = 0;
	uint32		nshown;
	uint32	   *shown = shown_tuples(order, class_of, &nshown);
	Ground	   *ground;
	BoxTree    *tree;
	uint32	   *old;
	DraftClasses *classes;

	memset(result->class_of, 0xff, sizeof(uint32) * n);
	*moved = 0;
	result->feasible = !too_many_suppressed(order, result);
	/* without old classes, search from scratch */
	if (nshown == 0)
		return;
	ground = ground_create(order, CurrentMemoryContext, shown, nshown);
	tree = box_tree_create(ground, TREE_LEAF);
	old = old_classes(ground, class_of);
	classes = draft_classes_create(ground);
	for (uint32 i = 0; i < nshown; i++)
		if (old[i] != NO_CLASS)
			nold = Max(nold, old[i] + 1);
	result->feasible = extend_classes(order, classes, tree, old);
	*moved = keep_numbers(classes, old, nold, result);
	result->feasible = result->feasible && !too_many_suppressed(order, result);
}

RecodingResult *
recoding_extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved)
{
	const Population *population = order->population;
	RecodingResult *result = palloc0(sizeof(RecodingResult));
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	result->class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) population->tuples->ntuples + 1));
	old = MemoryContextSwitchTo(context);
	extend_recoding(order, class_of, result, moved);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return result;
}
