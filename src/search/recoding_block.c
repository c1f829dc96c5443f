/*
 * recoding_block.c
 *	  The worker-pool task that improves the classes of a block of tuples.
 *
 * The result depends only on the tuples, their classes and the seed, so it is
 * the same in every process.
 */
#include "search/recoding_parts.h"

#include "miscadmin.h"

/*
 * A search ends when a round gains less than this share of the loss; the
 * larger classes are, the less a round tries.
 */
#define REST 200
#define REST_OF_SIZE 10

RecodingResult *
recoding_result_create(const Population *population)
{
	RecodingResult *result = palloc0(sizeof(RecodingResult));
	Size		n = population->tuples->ntuples;

	result->class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * (n + 1));
	memset(result->class_of, 0xff, sizeof(uint32) * n);
	return result;
}

static double
share_of_loss(const DraftClasses *classes)
{
	return (double) classes->cost / classes->ground->whole_loss;
}

void
tell_loss(const RecodingWatch *watch, const DraftClasses *classes)
{
	if (watch != NULL && watch->tell != NULL)
		watch->tell(watch->state, share_of_loss(classes) / classes->ground->order->population->people);
}

void
better_classes(DraftClasses *classes, const KdTree *tree, uint64 seed, const RecodingWatch *watch)
{
	int			effort = classes->ground->order->effort;
	int64		rest = REST + REST_OF_SIZE * Min(classes->ground->smallest, 200);
	LocalSearch *search;

	if (effort <= 0 || classes->ground->ntuples == 0)
		return;
	search = local_search_create(classes, tree, seed);
	while (!recoding_is_over(watch))
	{
		int64		gain = local_search_round(search, watch);

		tell_loss(watch, classes);
		if (gain <= classes->cost / rest * 100 / effort)
			break;
	}
}

static void *
begin_blocks(Population *population, const void *argument)
{
	RecodingOrder *order = palloc(sizeof(RecodingOrder));

	*order = *(const RecodingOrder *) argument;
	order->population = population;
	return order;
}

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
	better_classes(classes, tree, item->seed, NULL);
	for (uint32 i = 0; i < item->ntuples; i++)
		result->class_of[ground->rank[i]] = classes->class_of[i];
	result->nclasses = classes->nclasses;
	result->gain = before - share_of_loss(classes);
	population_release(order->population, marks);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

const PoolWork recode_block_work = {"recode blocks", begin_blocks, do_block};
