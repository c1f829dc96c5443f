/*
 * optimum.c
 *	  The node of least loss that keeps a promise, by boxes.
 *
 * One process begins.  What it has not searched after a while goes on in
 * rounds: the open boxes that may cost least are handed out, and each comes
 * back as what is still open of it.  The best node travels with them.  Boxes
 * that cost least come first, so that the least cost of an open one, which is
 * a bound, rises.
 */
#include "search/optimum.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "engine/worker_pool.h"
#include "utils/timestamp.h"

/* Tuples to look at, about a tenth of a second, before others are called; and at each box they get. */
#define EFFORT INT64CONST(40000000)

/* Boxes handed out at a time, for each process. */
#define BOXES_A_PROCESS 4

typedef struct OpenBoxes
{
	MemoryContext context;
	Size		capacity;
	Box		   *boxes;			/* the least cost first */
	int			nboxes;
} OpenBoxes;

static int
compare_floors(const void *a, const void *b)
{
	double		x = ((const Box *) a)->floor;
	double		y = ((const Box *) b)->floor;

	return x < y ? -1 : x > y;
}

/* Takes a result over: what is open, and the best node. */
static void
take_result(OptimumSearch *search, OpenBoxes *open, const BoxResult *result)
{
	const BoxAnswer *answer = &result->answer;

	search->evaluated += result->evaluated;
	for (int i = 0; i < result->nopen; i++)
	{
		if (open->nboxes == open->capacity)
			open->boxes = budget_grow(open->context, open->boxes, sizeof(Box), &open->capacity);
		open->boxes[open->nboxes++] = result->open[i];
	}
	if (answer->found &&
		(!search->answer.found || answer->cost < search->answer.cost ||
		 (answer->cost == search->answer.cost &&
		  compare_levels(answer->levels, search->answer.levels, search->population->nattrs) < 0)))
		search->answer = *answer;
}

/* Puts the boxes in order; those that cost more than the best node are out. */
static void
sort_open(const OptimumSearch *search, OpenBoxes *open)
{
	int			kept = 0;

	for (int i = 0; i < open->nboxes; i++)
		if (!search->answer.found || open->boxes[i].floor <= search->answer.cost)
			open->boxes[kept++] = open->boxes[i];
	open->nboxes = kept;
	qsort(open->boxes, kept, sizeof(Box), compare_floors);
	progress_update(search->evaluated, search->answer.found);
}

static bool
time_is_up(OptimumSearch *search)
{
	if (search->order.deadline != 0 && GetCurrentTimestamp() >= search->order.deadline)
		search->in_time = false;
	return !search->in_time;
}

/* Takes the first boxes as items; returns how many. */
static int
take_items(const OptimumSearch *search, OpenBoxes *open, int most_items, BoxItem *items)
{
	int			nitems = Min(most_items, open->nboxes);

	for (int i = 0; i < nitems; i++)
	{
		items[i].box = open->boxes[i];
		items[i].effort = search->effort;
		items[i].answer = search->answer;
	}
	open->nboxes -= nitems;
	memmove(open->boxes, open->boxes + nitems, sizeof(Box) * open->nboxes);
	return nitems;
}

/* Searches what is open, the first boxes handed out at a time. */
static void
search_together(OptimumSearch *search, OpenBoxes *open)
{
	int			most_items = BOXES_A_PROCESS * (search->workers + 1);
	PoolOrder	order = {
		.task = TASK_SEARCH_BOXES,
		.population = search->population,
		.argument = &search->order,
		.argument_size = sizeof(BoxOrder),
		.item_size = sizeof(BoxItem),
		.result_size = box_result_size(search->population),
		.most_items = most_items
	};
	BoxItem    *items = budget_alloc(sizeof(BoxItem), most_items);
	char	   *results = budget_alloc(order.result_size, most_items);
	WorkerPool *pool = worker_pool_begin(&order, search->workers);

	while (open->nboxes > 0 && !time_is_up(search))
	{
		int			nitems = take_items(search, open, most_items, items);

		worker_pool_do(pool, nitems, items, results);
		for (int i = 0; i < nitems; i++)
			take_result(search, open, (BoxResult *) (results + i * order.result_size));
		sort_open(search, open);
	}
	search->helped = worker_pool_end(pool);
}

/* Searches all boxes, or as many as pay before others can help. */
static void
search_alone(OptimumSearch *search, OpenBoxes *open)
{
	void	   *state = boxes_begin(search->population, &search->order);
	BoxItem    *item = palloc0(sizeof(BoxItem));
	BoxResult  *result = palloc(box_result_size(search->population));

	do
	{
		take_items(search, open, 1, item);
		boxes_work(state, item, result);
		take_result(search, open, result);
		sort_open(search, open);
	} while (open->nboxes > 0 && search->workers == 0 && !time_is_up(search));
	boxes_end(state);
}

/* Measures the top. */
static void
measure_nearest(OptimumSearch *search)
{
	const Population *population = search->population;
	int			top[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		top[a] = population->attrs[a].max_level;
	measure_alone(measurer_create(population, &search->order.promise), node_of_levels(population, top), &search->nearest);
}

void
optimum_search(OptimumSearch *search)
{
	MemoryContext old = MemoryContextSwitchTo(search->population->context);
	OpenBoxes	open = {.context = search->population->context};

	search->in_time = true;
	if (search->effort == 0)
		search->effort = EFFORT;
	open.boxes = budget_grow(open.context, NULL, sizeof(Box), &open.capacity);
	box_of_all(search->population, &open.boxes[open.nboxes++]);
	search_alone(search, &open);
	if (open.nboxes > 0 && !time_is_up(search))
		search_together(search, &open);
	search->bound = search->answer.found ? search->answer.cost : HUGE_VAL;
	if (open.nboxes > 0)
		search->bound = Min(search->bound, open.boxes[0].floor);
	if (!search->answer.found)
		measure_nearest(search);
	MemoryContextSwitchTo(old);
}
