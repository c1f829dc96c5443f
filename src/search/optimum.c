/*
 * optimum.c
 *	  The node of least loss that keeps a promise, by boxes.
 *
 * One process begins.  If it is not finished after a while, the search
 * continues in rounds: the open boxes with the lowest bounds are handed out,
 * each together with the best node, and each is returned as the boxes that are
 * still open in it.  Since boxes with the lowest bounds come first, the least
 * bound of open boxes, which is a bound of the answer, rises.
 *
 * It rises slowly, because some cheap boxes stay open until nearly everything
 * is searched.  So every other round belongs to a pass, which searches the
 * same boxes for nodes that cost less than a ceiling halfway between the bound
 * and the best node.  Most often there are none, which is proven quickly; then
 * the ceiling becomes the bound.  Nodes measured in a pass help the search as
 * well.
 */
#include "search/searches.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/progress.h"
#include "engine/lattice.h"

/* Tuples to visit in each box that is handed out, about a tenth of a second. */
#define EFFORT INT64CONST(40000000)

/* Before workers are started, the effort is this many times less. */
#define SOONER 4

/* Boxes handed out at a time, per process. */
#define BOXES_A_PROCESS 4

/* Passes end when the bound is within this share of the best node's cost. */
#define SMALL_GAP 0.03

typedef struct OpenBoxes
{
	MemoryContext context;
	Size		capacity;
	Box		   *boxes;			/* the least cost first */
	int			nboxes;
	double		ceiling;		/* boxes are searched for nodes that cost less */
} OpenBoxes;

/* The open boxes of a search and of a pass, and the workers. */
typedef struct Rounds
{
	OpenBoxes  *open;
	OpenBoxes	pass;			/* empty if no pass is under way */
	bool		passing;
	int			most_items;
	BoxItem    *items;
	char	   *results;
	Size		result_size;
	WorkerPool *pool;
} Rounds;

static void
add_box(OpenBoxes *open, const Box *box)
{
	if (open->nboxes == open->capacity)
		open->boxes = budget_grow(open->context, open->boxes, sizeof(Box), &open->capacity);
	open->boxes[open->nboxes++] = *box;
}

/* Takes over a result: the open boxes, and the best node. */
static void
take_result(OptimumSearch *search, OpenBoxes *open, const BoxResult *result)
{
	const BoxAnswer *answer = &result->answer;

	search->evaluated += result->evaluated;
	for (int i = 0; i < result->nopen; i++)
		add_box(open, &result->open[i]);
	if (answer->found && !answer_beats(&search->answer, answer->cost, answer->levels, search->population->nattrs))
		search->answer = *answer;
}

/* Sorts the boxes, and drops those that cost more than the best node. */
static void
sort_open(const OptimumSearch *search, OpenBoxes *open)
{
	int			kept = 0;

	for (int i = 0; i < open->nboxes; i++)
		if (open->boxes[i].floor < open->ceiling &&
			(!search->answer.found || open->boxes[i].floor <= search->answer.cost))
			open->boxes[kept++] = open->boxes[i];
	open->nboxes = kept;
	qsort(open->boxes, kept, sizeof(Box), compare_doubles);
	progress_update(search->evaluated, search->answer.found);
}

/* Takes the first boxes as items; returns their number. */
static int
take_items(const OptimumSearch *search, OpenBoxes *open, int most_items, int64 effort, BoxItem *items)
{
	int			nitems = Min(most_items, open->nboxes);

	for (int i = 0; i < nitems; i++)
	{
		items[i].box = open->boxes[i];
		items[i].ceiling = open->ceiling;
		items[i].effort = effort;
		items[i].answer = search->answer;
	}
	open->nboxes -= nitems;
	memmove(open->boxes, open->boxes + nitems, sizeof(Box) * open->nboxes);
	return nitems;
}

/* The lower bound of the cost of open nodes. */
static double
least_open(const Rounds *rounds)
{
	const OpenBoxes *pass = &rounds->pass;
	double		least = rounds->open->nboxes > 0 ? rounds->open->boxes[0].floor : HUGE_VAL;

	if (!rounds->passing)
		return least;
	return Max(least, pass->nboxes > 0 ? pass->boxes[0].floor : pass->ceiling);
}

/* Begins a pass if the bound is far from the best node. */
static void
begin_pass(const OptimumSearch *search, Rounds *rounds)
{
	const OpenBoxes *open = rounds->open;
	OpenBoxes  *pass = &rounds->pass;
	double		cost = search->answer.cost;
	double		bound = least_open(rounds);

	if (!search->answer.found || cost - bound <= SMALL_GAP * cost)
		return;
	pass->ceiling = bound + (cost - bound) / 2;
	pass->nboxes = 0;
	for (int i = 0; i < open->nboxes && open->boxes[i].floor < pass->ceiling; i++)
		add_box(pass, &open->boxes[i]);
	rounds->passing = true;
}

/* Searches the first of the given boxes. */
static void
do_round(OptimumSearch *search, Rounds *rounds, OpenBoxes *open)
{
	int			nitems = take_items(search, open, rounds->most_items, search->effort, rounds->items);

	worker_pool_do(rounds->pool, nitems, rounds->items, rounds->results);
	for (int i = 0; i < nitems; i++)
		take_result(search, open, (BoxResult *) (rounds->results + i * rounds->result_size));
	sort_open(search, open);
}

/* Searches the open boxes in rounds, handing out the first ones. */
static void
search_together(OptimumSearch *search, Rounds *rounds)
{
	PoolOrder	order = {
		.work = &search_boxes_work,
		.population = search->population,
		.argument = &search->order,
		.argument_size = sizeof(BoxOrder),
		.item_size = sizeof(BoxItem),
		.result_size = box_result_size(search->population),
		.most_items = BOXES_A_PROCESS * (search->workers + 1)
	};

	rounds->most_items = order.most_items;
	rounds->result_size = order.result_size;
	rounds->items = budget_alloc(sizeof(BoxItem), order.most_items);
	rounds->results = budget_alloc(order.result_size, order.most_items);
	rounds->pool = worker_pool_begin(&order, search->workers);
	for (bool in_pass = true; rounds->open->nboxes > 0 && !time_is_up(search->order.deadline, &search->in_time); in_pass = !in_pass)
	{
		if (!in_pass)
		{
			do_round(search, rounds, rounds->open);
			continue;
		}
		if (!rounds->passing)
			begin_pass(search, rounds);
		if (rounds->passing)
			do_round(search, rounds, &rounds->pass);
		if (rounds->passing && rounds->pass.nboxes == 0)
		{
			/*
			 * the pass is finished: no open box has a node that costs less
			 * than its ceiling
			 */
			for (int i = 0; i < rounds->open->nboxes; i++)
				rounds->open->boxes[i].floor = Max(rounds->open->boxes[i].floor, rounds->pass.ceiling);
			sort_open(search, rounds->open);
			rounds->passing = false;
		}
	}
	search->helped = worker_pool_end(rounds->pool);
}

/* Searches all boxes, or as many as pay off before workers are started. */
static void
search_alone(OptimumSearch *search, OpenBoxes *open)
{
	void	   *state = boxes_begin(search->population, &search->order);
	BoxItem    *item = palloc0(sizeof(BoxItem));
	BoxResult  *result = palloc(box_result_size(search->population));

	take_items(search, open, 1, search->workers > 0 ? search->effort / SOONER : search->effort, item);
	boxes_work(state, item, result);
	take_result(search, open, result);
	sort_open(search, open);
	boxes_end(state);
}

void
optimum_search(OptimumSearch *search)
{
	MemoryContext context = search->population->context;
	MemoryContext old = MemoryContextSwitchTo(context);
	OpenBoxes	open = {.context = context,.ceiling = HUGE_VAL};
	Rounds		rounds = {.open = &open,.pass = {.context = context}};
	Box			all;

	search->in_time = true;
	if (search->effort == 0)
		search->effort = EFFORT;
	box_of_all(search->population, &all);
	add_box(&open, &all);
	search_alone(search, &open);
	if (open.nboxes > 0 && !time_is_up(search->order.deadline, &search->in_time))
		search_together(search, &rounds);
	search->bound = Min(least_open(&rounds), search->answer.found ? search->answer.cost : HUGE_VAL);
	if (!search->answer.found)
		measure_top(search->population, &search->order.promise, &search->nearest);
	MemoryContextSwitchTo(old);
}
