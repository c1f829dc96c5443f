/*
 * recoding_search.c
 *	  The search for a recoding.
 *
 * The first answer is built from all tuples at once: it takes little time, and
 * splitting them beforehand would lose much.  Then blocks of neighbouring
 * tuples are improved, in parallel by workers; then blocks shifted by half a
 * block, so that classes can change across the borders of the first ones.
 */
#include "search/recoding_parts.h"

#include <math.h>

#include "base/budget.h"

/* Blocks handed to the pool at a time, per process. */
#define BATCH 4

/*
 * A search ends when as many rounds as the effort gain less than this share of
 * the loss; the larger classes are, the less a round tries.
 */
#define REST 200
#define REST_OF_SIZE 10

/*
 * The rounds of an effort of 1 that may get worse, at most for this part of the
 * time, and by how much at first.
 */
#define HOT_ROUNDS 4
#define HOT_TIME 0.7
#define HEAT 0.3

/* So many rounds show which of two starts is better. */
#define TRIAL_ROUNDS 3

/* The most tuples that are started by the cost of classes. */
#define MOST_GREEDY_TUPLES 200000

/* The most tuples of a block. */
#define BLOCK_TUPLES 16384

/* A block to improve. */
typedef struct BlockItem
{
	uint32		ntuples;
	uint64		seed;
	int64		limit;			/* of people who may be suppressed */
	uint32		tuple[BLOCK_TUPLES];	/* of the population */
	uint32		class_of[BLOCK_TUPLES]; /* any numbers; NO_CLASS if suppressed */
} BlockItem;

typedef struct BlockResult
{
	uint32		nclasses;		/* numbers are below */
	double		gain;			/* reduction of its people's total loss, in
								 * [0,1] per person */
	uint32		class_of[BLOCK_TUPLES];
} BlockResult;

RecodingResult *
recoding_result_create(const Population *population)
{
	RecodingResult *result = palloc0(sizeof(RecodingResult));
	Size		n = population->tuples->ntuples;

	result->class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * (n + 1));
	memset(result->class_of, 0xff, sizeof(uint32) * n);
	return result;
}

/* ------------------------------------------------------------------- blocks */

static double
share_of_loss(const DraftClasses *classes)
{
	return (double) classes->cost / classes->ground->whole_loss;
}

/* Reports the total loss of an answer. */
static void
tell_loss(const RecodingOrder *order, double loss)
{
	if (order->watch != NULL)
		progress_better(++order->watch->answers, loss / order->population->people);
}

/*
 * Rounds that get worse at times, and ever less so, leave classes that no change
 * of a few would improve.  Noise of many people adds up more slowly than they do.
 */
static void
cool_classes(DraftClasses *classes, LocalSearch *search)
{
	const RecodingOrder *order = classes->ground->order;
	double		rounds = HOT_ROUNDS * order->effort;
	int64		begun = GetCurrentTimestamp();

	for (double round = 0.5; round < rounds && !recoding_is_over(order); round++)
	{
		double		left = 1 - round / rounds;

		/* where there is no time for as many, it cools faster */
		if (order->deadline != 0)
			left = Min(left, 1 - (GetCurrentTimestamp() - begun) / (HOT_TIME * Max(order->deadline - begun, 1)));
		if (left <= 0)
			return;
		local_search_round(search, HEAT * left * left / sqrt(Max(classes->ground->smallest, 1)));
		tell_loss(order, share_of_loss(classes));
	}
}

/*
 * Improves classes until as many rounds as the effort gain too little, or the
 * deadline passes.  Of much data, where rounds take long, only more effort than
 * usual lets them get worse.
 */
static void
better_classes(DraftClasses *classes, LocalSearch *search, bool much)
{
	const RecodingOrder *order = classes->ground->order;
	int64		rest = REST + REST_OF_SIZE * Min(classes->ground->smallest, 200);
	int64		before;

	if (order->effort > 1 || (order->effort == 1 && !much))
		cool_classes(classes, search);
	do
	{
		before = classes->cost;
		for (int round = 0; round < order->effort && !recoding_is_over(order); round++)
		{
			local_search_round(search, 0);
			tell_loss(order, share_of_loss(classes));
		}
	} while (before - classes->cost > classes->cost / (rest * Min(order->effort, 1)) && !recoding_is_over(order));
}

static void *
begin_blocks(Population *population, const void *argument)
{
	RecodingOrder *order = palloc(sizeof(RecodingOrder));

	*order = *(const RecodingOrder *) argument;
	order->population = population;
	/* the loss of a block is not that of all */
	order->watch = NULL;
	return order;
}

/*
 * Improves a block.  The result depends only on the tuples, their classes and
 * the seed, so it is the same in every process, unless the deadline passes.
 */
static void
do_block(void *state, const void *argument, void *answer)
{
	const RecodingOrder *order = state;
	const BlockItem *item = argument;
	BlockResult *result = answer;
	MemoryContext context = AllocSetContextCreate(order->population->context, "anonopt recoding block",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (order->population->ncolumns + 1));
	Ground	   *ground;
	KdTree	   *tree;
	DraftClasses *classes;
	double		before;

	population_mark(order->population, marks);
	ground = ground_create(order, context, item->tuple, item->ntuples);
	tree = tuple_tree_create(ground, TREE_LEAF);
	classes = draft_classes_create(ground);
	classes->limit = item->limit;
	draft_classes_take_over(classes, item->class_of, ground->rank);
	suppress_the_rest(classes);
	before = share_of_loss(classes);
	better_classes(classes, local_search_create(classes, tree, item->seed), true);
	for (uint32 i = 0; i < item->ntuples; i++)
		result->class_of[ground->rank[i]] = classes->class_of[i];
	result->nclasses = classes->nclasses;
	result->gain = before - share_of_loss(classes);
	population_release(order->population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

const PoolWork recode_block_work = {"recode blocks", begin_blocks, do_block};

typedef struct RecodingPlan
{
	const RecodingOrder *order;
	Ground	   *ground;			/* all tuples, in the order of the blocks */
	DraftClasses *classes;
	uint32	   *class_of;		/* by tuple of the ground: theirs */
	uint32		nclasses;		/* numbers are below */
	double		loss;			/* of all people together */
	bool		late;			/* the deadline has cut the start short */
	WorkerPool *pool;
	int			batch;
	int			nitems;
	BlockItem  *items;
	BlockResult *results;
	uint32	  **members;		/* by item: tuples of the ground */
} RecodingPlan;

/* Lets the pool process a batch, and takes over the results. */
static void
do_batch(RecodingPlan *plan)
{
	worker_pool_do(plan->pool, plan->nitems, plan->items, plan->results);
	for (int i = 0; i < plan->nitems; i++)
	{
		const BlockResult *result = &plan->results[i];

		for (uint32 j = 0; j < plan->items[i].ntuples; j++)
			plan->class_of[plan->members[i][j]] = result->class_of[j] == NO_CLASS ? NO_CLASS :
				plan->nclasses + result->class_of[j];
		plan->nclasses += result->nclasses;
		plan->loss -= result->gain;
	}
	plan->nitems = 0;
	tell_loss(plan->order, plan->loss);
}

/* Tuples linked by class, in order, while blocks change theirs. */
typedef struct ClassChains
{
	uint32	   *next;			/* by tuple, or NO_TUPLE */
	uint32	   *size;			/* by tuple: of the class it begins, or 0 */
} ClassChains;

static void
chain_classes(const RecodingPlan *plan, ClassChains *chains)
{
	uint32		n = plan->ground->ntuples;
	uint32	   *first = population_alloc(plan->order->population, sizeof(uint32), plan->nclasses);

	memset(first, 0xff, sizeof(uint32) * (Size) plan->nclasses);
	chains->next = population_alloc(plan->order->population, sizeof(uint32), n);
	chains->size = population_alloc(plan->order->population, sizeof(uint32), n);
	for (uint32 tuple = n; tuple-- > 0;)
	{
		uint32		class = plan->class_of[tuple];
		uint32		next = class == NO_CLASS ? NO_TUPLE : first[class];

		chains->next[tuple] = next;
		chains->size[tuple] = 1;
		if (next != NO_TUPLE)
		{
			chains->size[tuple] += chains->size[next];
			chains->size[next] = 0;
		}
		if (class != NO_CLASS)
			first[class] = tuple;
	}
	pfree(first);
}

/* An item's people without a class, and its share of those who may be suppressed. */
static int64
item_limit(const RecodingPlan *plan, const BlockItem *item)
{
	const RecodingOrder *order = plan->order;
	int64		spare = order->promise.limit - plan->classes->suppressed;
	int128		all = 0;
	int64		people = 0;

	for (uint32 i = 0; i < item->ntuples; i++)
	{
		int64		count = order->population->tuples->counts[item->tuple[i]];

		all += count;
		if (item->class_of[i] == NO_CLASS)
			people += count;
	}
	return people + (int64) (all * spare / Max(order->population->people, 1));
}

/* Improves blocks of whole classes, given the size of the first block. */
static void
better_blocks(RecodingPlan *plan, uint32 room)
{
	ClassChains chains;
	BlockItem  *item = NULL;
	uint32		n = plan->ground->ntuples;

	chain_classes(plan, &chains);
	plan->classes->suppressed = 0;
	for (uint32 tuple = 0; tuple < n; tuple++)
		if (plan->class_of[tuple] == NO_CLASS)
			plan->classes->suppressed += plan->ground->people[tuple];
	for (uint32 tuple = 0; tuple < n && recoding_goes_on(plan->order, "improved", "tuples", tuple, n); tuple++)
	{
		uint32		size = chains.size[tuple];

		if (size == 0 || size > BLOCK_TUPLES)
			continue;
		if (item != NULL && item->ntuples + size > room)
		{
			item->limit = item_limit(plan, item);
			item = NULL;
			room = BLOCK_TUPLES;
		}
		if (item == NULL)
		{
			if (plan->nitems == plan->batch)
				do_batch(plan);
			item = &plan->items[plan->nitems++];
			item->ntuples = 0;
			item->seed = plan->order->seed + tuple;
			item->limit = 0;
		}
		for (uint32 other = tuple; other != NO_TUPLE; other = chains.next[other])
		{
			plan->members[item - plan->items][item->ntuples] = other;
			item->tuple[item->ntuples] = plan->ground->tuple[other];
			item->class_of[item->ntuples++] = plan->class_of[other];
		}
	}
	if (item != NULL)
		item->limit = item_limit(plan, item);
	if (recoding_is_over(plan->order))
		plan->nitems = 0;
	do_batch(plan);
	pfree(chains.next);
	pfree(chains.size);
}

/* Improves blocks, then blocks shifted by half; returns how many workers helped. */
static int
better_in_blocks(RecodingPlan *plan, int workers)
{
	PoolOrder	order = {&recode_block_work, plan->order->population, plan->order, sizeof(RecodingOrder),
	sizeof(BlockItem), sizeof(BlockResult), BATCH * (workers + 1)};

	plan->loss = (double) plan->classes->cost / plan->ground->whole_loss;
	plan->class_of = plan->classes->class_of;
	plan->nclasses = plan->classes->nclasses;
	plan->batch = order.most_items;
	budget_require(plan->order->population->context,
				   (sizeof(BlockItem) + sizeof(BlockResult) + sizeof(uint32) * BLOCK_TUPLES) * plan->batch);
	plan->items = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(BlockItem) * plan->batch);
	plan->results = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(BlockResult) * plan->batch);
	plan->members = palloc(sizeof(uint32 *) * plan->batch);
	for (int i = 0; i < plan->batch; i++)
		plan->members[i] = palloc(sizeof(uint32) * BLOCK_TUPLES);
	plan->pool = worker_pool_begin(&order, workers);
	better_blocks(plan, BLOCK_TUPLES);
	if (!recoding_is_over(plan->order))
		better_blocks(plan, BLOCK_TUPLES / 2);
	return worker_pool_end(plan->pool);
}

/*
 * Returns the classes: those that look alike are merged, and they are numbered
 * by their first tuples.  Returns false if no label covers a class: tuples are
 * merged across the borders of labels where only that keeps the promise.
 */
static bool
put_answer(const RecodingPlan *plan, RecodingResult *result)
{
	const Population *population = plan->order->population;
	ClassFault	fault;
	Classes    *shown;
	Size		size = sizeof(uint32) * Max(plan->nclasses, plan->classes->nclasses);
	uint32	   *number = memset(population_alloc(population, size, 1), 0xff, size);
	uint32		n = 0;

	/* numbers without gaps, since labels take memory by them */
	for (uint32 i = 0; i < plan->ground->ntuples; i++)
	{
		uint32		class = plan->classes->class_of[i];

		if (class != NO_CLASS && number[class] == NO_CLASS)
			number[class] = n++;
		result->class_of[plan->ground->tuple[i]] = class == NO_CLASS ? NO_CLASS : number[class];
	}
	pfree(number);
	shown = classes_of_recoding(population, result->class_of, n, plan->order->labels, &fault);
	if (shown == NULL)
		return false;
	memcpy(result->class_of, shown->class_of, sizeof(uint32) * population->tuples->ntuples);
	result->nclasses = shown->n;
	return true;
}

/*
 * What an answer costs.  Classes that look alike have been merged, so if sizes
 * or values count, it costs more than the classes that were searched for.
 */
static int64
cost_of_answer(RecodingPlan *plan, const RecodingResult *result)
{
	DraftClasses *classes = plan->classes;

	draft_classes_clear(classes);
	draft_classes_take_over(classes, result->class_of, plan->ground->tuple);
	suppress_the_rest(classes);
	return classes->cost;
}

/*
 * If no label covers everybody, the remaining tuples cannot always be merged
 * with others.  A node may still keep the promise, by suppressing classes that
 * break it.  Improving from there may merge tuples that no label covers, if
 * sizes or values count more than labels, or many that then look alike; then
 * the node itself is the answer.
 *
 * A node is the better start, too, if it loses less than an answer that was
 * found otherwise.
 */
static bool
answer_by_node(RecodingPlan *plan, const KdTree *tree, int64 below, RecodingResult *result)
{
	if (below == 0 || (below < PG_INT64_MAX && recoding_is_over(plan->order)))
		return true;
	for (bool better = plan->ground->ntuples <= BLOCK_TUPLES;; better = false)
	{
		int64		cost;

		draft_classes_clear(plan->classes);
		if (!start_by_one_node(plan->classes, below))
		{
			if (below < PG_INT64_MAX)
				return true;
			/* no class at all, if that many people may be suppressed */
			memset(result->class_of, 0xff, sizeof(uint32) * plan->ground->ntuples);
			result->nclasses = 0;
			return plan->order->population->people <= plan->order->promise.limit;
		}
		cost = plan->classes->cost;
		if (better && plan->order->effort > 0)
			better_classes(plan->classes, local_search_create(plan->classes, tree, plan->order->seed), false);
		if ((put_answer(plan, result) && (!better || cost_of_answer(plan, result) <= cost)) || !better)
			return result->nclasses > 0;
	}
}

/* Classes to go back to. */
typedef struct SavedClasses
{
	int64		cost;
	uint32	   *class_of;
}			SavedClasses;

static void
save_classes(const DraftClasses *classes, SavedClasses * saved)
{
	saved->cost = classes->cost;
	memcpy(saved->class_of, classes->class_of, sizeof(uint32) * classes->ground->ntuples);
}

static void
restore_classes(DraftClasses *classes, const SavedClasses * saved)
{
	draft_classes_clear(classes);
	draft_classes_take_over(classes, saved->class_of, NULL);
	suppress_the_rest(classes);
}

/*
 * Starts again by the cost of classes, and goes on from there if that loses
 * less.  It takes longer than the first answer, so large data do without.
 * Ranges differ from the labels of this start, so what they lose says little:
 * if there is a search for this, both starts are improved a little first.
 */
static void
start_again(RecodingPlan *plan, LocalSearch *search)
{
	DraftClasses *classes = plan->classes;
	const Ground *ground = plan->ground;
	int64		now = GetCurrentTimestamp();
	SavedClasses first;
	SavedClasses second;

	if (ground->ntuples > MOST_GREEDY_TUPLES || ground->size_unit > 0 || ground->minority_unit > 0)
		return;
	first.class_of = population_alloc(plan->order->population, sizeof(uint32), ground->ntuples);
	save_classes(classes, &first);
	draft_classes_clear(classes);
	if (!start_by_classes(classes, plan->order->deadline == 0 ? 0 : now + (plan->order->deadline - now) / 3) ||
		!mend_classes(classes))
		restore_classes(classes, &first);
	else if (search != NULL && plan->order->labels == LABELS_RANGE)
	{
		second.class_of = population_alloc(plan->order->population, sizeof(uint32), ground->ntuples);
		for (int round = 0; round < TRIAL_ROUNDS; round++)
			local_search_round(search, 0);
		save_classes(classes, &second);
		restore_classes(classes, &first);
		for (int round = 0; round < TRIAL_ROUNDS; round++)
			local_search_round(search, 0);
		if (second.cost < classes->cost)
			restore_classes(classes, &second);
		pfree(second.class_of);
	}
	else if (first.cost <= classes->cost)
		restore_classes(classes, &first);
	pfree(first.class_of);
}

/*
 * Searches for classes; returns false if none keep the promise, or no label
 * covers one.
 */
static bool
search_classes(RecodingPlan *plan, const KdTree *tree, int workers, RecodingResult *result)
{
	const RecodingOrder *order = plan->order;
	LocalSearch *search = NULL;
	bool		mended;

	start_by_nodes(plan->classes);
	start_by_merging(plan->classes);
	if (order->or_none && recoding_is_over(order))
		return false;
	mended = mend_classes(plan->classes);
	plan->late = recoding_is_over(order) || plan->late;
	if (!mended)
		return false;
	tell_loss(order, share_of_loss(plan->classes));
	if (order->effort > 0 && plan->ground->ntuples <= BLOCK_TUPLES)
		search = local_search_create(plan->classes, tree, order->seed);
	if (order->effort > 0 && !plan->late)
		start_again(plan, search);
	tell_loss(order, share_of_loss(plan->classes));
	if (search != NULL)
		better_classes(plan->classes, search, false);
	else if (order->effort > 0 && !plan->late)
		result->helped = better_in_blocks(plan, workers);
	return put_answer(plan, result);
}

/* The number of tuples near each, whose classes one that leaves too little possible may join. */
#define NEIGHBOURS 16

/* Merges classes of an answer until each leaves enough tuples possible; returns false if that cannot be. */
static bool
raise_answer(RecodingPlan *plan, RecodingResult *result)
{
	const RecodingOrder *order = plan->order;
	KdTree	   *tree;

	if (order->population->possible <= 1)
		return true;
	/* the tree that blocks are made from has few leaves */
	plan->ground = ground_create(order, plan->ground->context, NULL, order->population->tuples->ntuples);
	tree = tuple_tree_create(plan->ground, TREE_LEAF);
	plan->classes = draft_classes_create(plan->ground);
	draft_classes_take_over(plan->classes, result->class_of, plan->ground->tuple);
	return classes_raise(plan->classes, nearest_create(plan->ground, tree, NEIGHBOURS)) && put_answer(plan, result);
}

RecodingResult *
recoding_search(const RecodingOrder *given, int workers)
{
	RecodingOrder order = *given;
	const Population *population = order.population;
	uint32		n = population->tuples->ntuples;
	RecodingResult *result = recoding_result_create(population);
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt recoding", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	RecodingPlan plan = {.order = &order};
	TimestampTz begun = GetCurrentTimestamp();
	int64		deadline = 0;
	int64		below = PG_INT64_MAX;
	KdTree	   *tree;
	bool		found;

	plan.ground = ground_create(&order, context, NULL, n);
	tree = tuple_tree_create(plan.ground, n <= BLOCK_TUPLES ? TREE_LEAF : n < MANY_TUPLES ? BLOCK_TUPLES : LEAF_OF_MANY);
	plan.classes = draft_classes_create(plan.ground);
	plan.classes->limit = order.promise.limit;
	/* to label the classes takes about as long as this did */
	if (given->deadline != 0)
		order.deadline = deadline = given->deadline - (GetCurrentTimestamp() - begun);
	found = search_classes(&plan, tree, workers, result);
	if (!found && plan.late && !order.or_none)
	{
		/* what was put together in haste has no label: now it takes its time */
		order.deadline = 0;
		order.effort = 0;
		draft_classes_clear(plan.classes);
		found = search_classes(&plan, tree, workers, result);
		order.deadline = deadline;
	}
	/* when it is late, any answer will do */
	if (found)
		below = plan.late ? 0 : cost_of_answer(&plan, result);
	if (!order.or_none || !recoding_is_over(&order))
		result->feasible = answer_by_node(&plan, tree, below, result) && raise_answer(&plan, result);
	result->cut = order.or_none && recoding_is_over(&order);
	result->ended = GetCurrentTimestamp();
	if (order.watch != NULL)
		order.watch->late = plan.late && recoding_past(&order, given->deadline);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return result;
}
