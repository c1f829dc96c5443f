/*
 * boxes.c
 *	  Boxes of nodes searched for the one of least loss, as a worker pool's
 *	  work.
 *
 * A box is a lowest and a highest node and all between.  It is made narrower
 * until nothing changes:
 *
 * - where no node of it can cost less than the best known, it is out;
 * - an attribute's highest level comes down while that is so of the part of
 *   the box where the attribute stands there;
 * - where too many people are suppressed at every node below the highest, it
 *   is out;
 * - an attribute's lowest level rises while that is so of the highest node
 *   with this one attribute lowered to it.
 *
 * Then it is parted at the attribute with the widest loss: its highest level
 * becomes a box of its own, and the rest, which loses less, is searched first.
 * So what is still open costs more and more, and the least of it is a bound
 * at any time.  A ceiling leaves out what costs more, as if a node of that
 * cost were known: that is proven much sooner.
 *
 * What a box costs at least depends on the loss.  GLM and NWP are least
 * without suppression, and that is a sum over the attributes' levels: none is
 * below the lowest node's (search/level_losses.h).  For DCN everybody
 * suppressed at the highest node counts as many as there are people, at every
 * node of the box, and a class of the lowest node counts at least its square,
 * since sizes only merge.  As many are suppressed as at the highest node, at
 * least; and a class of that node which is too large to be suppressed leaves
 * one class or more.
 *
 * Nodes known to be hopeless, with too many people suppressed at each below,
 * and nodes known not to be answer most questions.  Where memory ends they
 * are forgotten, and asked for again.
 */
#include "search/boxes.h"

#include <math.h>

#include "base/budget.h"
#include "engine/box_table.h"
#include "engine/class_cache.h"
#include "engine/known_nodes.h"
#include "miscadmin.h"
#include "search/level_losses.h"
#include "utils/timestamp.h"

/* Attributes' levels must have risen by so many before tuples are joined again. */
#define RISES_TO_JOIN 2

/* A box that is still to be searched. */
typedef struct OpenBox
{
	double		floor;
	int			lowest[MAX_ATTRIBUTES];
	int			highest[MAX_ATTRIBUTES];
	bool		fine[MAX_ATTRIBUTES];	/* its lowest level is not hopeless */
	int			rises;			/* of lowest levels since tuples were joined */
	BoxTable   *table;			/* NULL: to be made when it is wanted */
} OpenBox;

typedef struct BoxSearch
{
	Population *population;
	MemoryContext context;
	BoxOrder	order;
	BoxTables	tables;
	Measurer   *measurer;
	ClassCache *cache;
	KnownNodes *hopeless;
	KnownNodes *hopeful;
	LevelLosses *losses;		/* where the loss is a sum over attributes,
								 * else NULL */
	int			top[MAX_ATTRIBUTES];
	BoxAnswer	answer;
	double		ceiling;		/* what costs more is left for later */
	int64		evaluated;
	int			nopen;
	OpenBox    *open;
} BoxSearch;

bool
boxes_have_bounds(Objective loss)
{
	return loss == OBJECTIVE_GLM || loss == OBJECTIVE_NWP || loss == OBJECTIVE_DCN ||
		loss == OBJECTIVE_SUPPRESSED || loss == OBJECTIVE_CLASSES;
}

/* Boxes open at a time: one a level that an attribute can come down, and what is in hand. */
static int
most_open(const Population *population)
{
	int			levels = 2;

	for (int a = 0; a < population->nattrs; a++)
		levels += population->attrs[a].max_level - population->attrs[a].min_level;
	return levels;
}

Size
box_result_size(const Population *population)
{
	return MAXALIGN(offsetof(BoxResult, open) + sizeof(Box) * most_open(population));
}

void
box_of_all(const Population *population, Box *box)
{
	memset(box, 0, sizeof(Box));
	for (int a = 0; a < population->nattrs; a++)
	{
		box->lowest[a] = population->attrs[a].min_level;
		box->highest[a] = population->attrs[a].max_level;
	}
}

/* ---------------------------------------------------------------- costs */

/* What no node of a box costs less than; its table stands for its highest node. */
static double
least_cost(const BoxSearch *s, const OpenBox *box)
{
	const BoxTable *table = box->table;

	switch (s->order.loss)
	{
		case OBJECTIVE_GLM:
		case OBJECTIVE_NWP:
			return level_losses_sum(s->losses, box->lowest);
		case OBJECTIVE_DCN:
			return (double) (box_table_squares(table) + (int128) s->population->people * table->suppressed);
		case OBJECTIVE_SUPPRESSED:
			return (double) (table->suppressed + table->doubtful);
		default:
			return (double) box_table_lasting(&s->tables, table);
	}
}

/* Whether no node above one can be the answer, if it costs so much at least. */
static bool
is_beaten(const BoxSearch *s, double cost, const int *levels)
{
	if (!s->answer.found || cost < s->answer.cost)
		return false;
	return cost > s->answer.cost || compare_levels(levels, s->answer.levels, s->population->nattrs) >= 0;
}

/* The same, or whether all of them are left for later. */
static bool
is_out(const BoxSearch *s, double cost, const int *levels)
{
	return cost >= s->ceiling || is_beaten(s, cost, levels);
}

/* How much wider the losses of a box are for an attribute. */
static double
width(const BoxSearch *s, const OpenBox *box, int a)
{
	if (s->losses != NULL)
		return s->losses->loss[a][box->highest[a]] - s->losses->loss[a][box->lowest[a]];
	return box->highest[a] - box->lowest[a];
}

/* --------------------------------------------------------------- answers */

/* Where fewer people suppressed are better, more than the fewest known are too many. */
static void
suppress_fewer(BoxSearch *s)
{
	s->tables.promise.limit = s->answer.measures.suppressed;
	s->hopeful = known_nodes_create(s->population, s->context);
}

/* Measures a node that may be the answer. */
static void
offer(BoxSearch *s, const int *levels)
{
	Recodings	node;
	const TupleTable *classes = class_cache_classes(s->cache, levels, &node);
	Measures	measures;
	double		cost;

	measure(s->measurer, node, classes, &measures);
	cost = objective_cost(s->order.loss, &measures);
	if (!measures.feasible || is_beaten(s, cost, levels))
		return;
	s->answer.found = true;
	s->answer.cost = cost;
	s->answer.measures = measures;
	memcpy(s->answer.levels, levels, sizeof(int) * s->population->nattrs);
	if (s->order.loss == OBJECTIVE_SUPPRESSED)
		suppress_fewer(s);
}

/* Whether the highest node with one attribute lowered is worth looking below. */
static bool
can_lower(BoxSearch *s, const BoxTable *table, const int *highest, int a, int level)
{
	int			levels[MAX_ATTRIBUTES];
	bool		can;

	memcpy(levels, highest, sizeof(levels));
	levels[a] = level;
	if (known_nodes_any_above(s->hopeless, levels))
		return false;
	if (known_nodes_any_below(s->hopeful, levels))
		return true;
	s->evaluated++;
	can = box_table_can_lower(&s->tables, table, a, level);
	known_nodes_add(can ? s->hopeful : s->hopeless, levels, 0);
	return can;
}

/* The table of the highest node with an attribute lowered; NULL if it is hopeless. */
static BoxTable *
lower_table(BoxSearch *s, const BoxTable *table, const int *highest, int a, int level)
{
	int			levels[MAX_ATTRIBUTES];
	BoxTable   *lower;

	memcpy(levels, highest, sizeof(levels));
	levels[a] = level;
	if (known_nodes_any_above(s->hopeless, levels))
		return NULL;
	lower = box_table_lower(&s->tables, table, a, level);
	if (lower == NULL || !known_nodes_any_below(s->hopeful, levels))
	{
		s->evaluated++;
		known_nodes_add(lower != NULL ? s->hopeful : s->hopeless, levels, 0);
	}
	return lower;
}

/* ------------------------------------------------------------- narrowing */

static void
forget_table(const BoxSearch *s, OpenBox *box)
{
	if (box->table != NULL)
		box_table_free(&s->tables, box->table);
	box->table = NULL;
}

/* Makes room for tables by giving up some that will be wanted last. */
static void
make_room(BoxSearch *s, Size size)
{
	for (int i = 0; i < s->nopen - 1 && !budget_allows(s->population->context, 3 * size); i++)
		forget_table(s, &s->open[i]);
}

/* The highest level of an attribute at which a box is not beaten. */
static int
highest_unbeaten(const BoxSearch *s, OpenBox *box, int a)
{
	int			lowest = box->lowest[a];
	int			level = box->highest[a];

	for (; level > lowest; level--)
	{
		box->lowest[a] = level;
		if (!is_out(s, s->losses != NULL ? level_losses_sum(s->losses, box->lowest) : box->floor, box->lowest))
			break;
	}
	box->lowest[a] = lowest;
	return level;
}

/* Brings highest levels down whose nodes are beaten; false if the box is out. */
static bool
lower_highest(BoxSearch *s, OpenBox *box, bool *changed)
{
	int			highest[MAX_ATTRIBUTES];

	for (int a = 0; a < s->population->nattrs; a++)
		highest[a] = highest_unbeaten(s, box, a);
	/* often what all of them leave is known, which saves making tables */
	if (known_nodes_any_above(s->hopeless, highest))
		return false;
	for (int a = 0; a < s->population->nattrs; a++)
	{
		BoxTable   *table;

		if (highest[a] == box->highest[a])
			continue;
		table = lower_table(s, box->table, box->highest, a, highest[a]);
		if (table == NULL)
			return false;
		forget_table(s, box);
		box->table = table;
		box->highest[a] = highest[a];
		memset(box->fine, 0, sizeof(box->fine));
		*changed = true;
	}
	return true;
}

/* What the next level of an attribute costs; what costs most is asked first. */
static double
rise_cost(const BoxSearch *s, const OpenBox *box, int a)
{
	if (s->losses == NULL)
		return box->lowest[a] - box->highest[a];
	return s->losses->loss[a][box->lowest[a] + 1] - s->losses->loss[a][box->lowest[a]];
}

/* Attributes whose lowest level may be hopeless, the most expensive first; returns how many. */
static int
doubtful_attributes(const BoxSearch *s, const OpenBox *box, int *attrs)
{
	int			n = 0;

	for (int a = 0; a < s->population->nattrs; a++)
	{
		int			place = n;

		if (box->fine[a] || box->lowest[a] == box->highest[a])
			continue;
		for (; place > 0 && rise_cost(s, box, attrs[place - 1]) < rise_cost(s, box, a); place--)
			attrs[place] = attrs[place - 1];
		attrs[place] = a;
		n++;
	}
	return n;
}

/* Raises lowest levels that are hopeless; false if the box is out. */
static bool
raise_lowest(BoxSearch *s, OpenBox *box, bool *changed)
{
	int			attrs[MAX_ATTRIBUTES];
	int			n = doubtful_attributes(s, box, attrs);

	for (int i = 0; i < n; i++)
	{
		int			a = attrs[i];
		int			lowest = box->lowest[a];

		while (box->lowest[a] < box->highest[a] &&
			   !can_lower(s, box->table, box->highest, a, box->lowest[a]))
			box->lowest[a]++;
		box->fine[a] = true;
		if (box->lowest[a] == lowest)
			continue;
		box->rises++;
		*changed = true;
		if (s->losses != NULL && is_out(s, level_losses_sum(s->losses, box->lowest), box->lowest))
			return false;
	}
	return true;
}

/* Makes a box narrower until nothing changes; false if it is out. */
static bool
narrow(BoxSearch *s, OpenBox *box)
{
	bool		changed = true;

	while (changed)
	{
		changed = false;
		box->floor = Max(box->floor, least_cost(s, box));
		if (is_out(s, box->floor, box->lowest) ||
			!lower_highest(s, box, &changed) || !raise_lowest(s, box, &changed))
			return false;
	}
	return true;
}

/* --------------------------------------------------------------- parting */

/* The attribute to part a box at; -1 if it is a single node. */
static int
widest_attribute(const BoxSearch *s, const OpenBox *box)
{
	int			widest = -1;

	for (int a = 0; a < s->population->nattrs; a++)
		if (box->lowest[a] < box->highest[a] &&
			(widest < 0 || width(s, box, a) > width(s, box, widest)))
			widest = a;
	return widest;
}

/* Parts the box in hand: the highest level of an attribute stays, the rest comes before it. */
static void
part(BoxSearch *s, int a)
{
	OpenBox    *upper = &s->open[s->nopen - 1];
	OpenBox    *lower = &s->open[s->nopen];
	BoxTable   *table;

	make_room(s, box_table_size(&s->tables, upper->table));
	table = lower_table(s, upper->table, upper->highest, a, upper->highest[a] - 1);
	if (table != NULL)
	{
		*lower = *upper;
		lower->table = table;
		lower->highest[a]--;
		memset(lower->fine, 0, sizeof(lower->fine));
		s->nopen++;
	}
	upper->rises += upper->lowest[a] < upper->highest[a];
	upper->lowest[a] = upper->highest[a];
	if (s->losses != NULL)
		upper->floor = Max(upper->floor, level_losses_sum(s->losses, upper->lowest));
}

/* Searches the box that was opened last, or parts it. */
static void
search_last(BoxSearch *s)
{
	OpenBox    *box = &s->open[s->nopen - 1];
	bool		open;

	if (box->table == NULL && !is_out(s, box->floor, box->lowest))
		box->table = box_table_create(&s->tables, box->highest);
	open = box->table != NULL && narrow(s, box);
	if (open && widest_attribute(s, box) >= 0)
	{
		if (box->rises >= RISES_TO_JOIN)
		{
			box_table_join(&s->tables, box->table, box->lowest);
			box->rises = 0;
		}
		part(s, widest_attribute(s, box));
		return;
	}
	if (open)
		offer(s, box->highest);
	forget_table(s, box);
	s->nopen--;
}

/* ---------------------------------------------------------------- diving */

/* The attribute whose next level down saves most and is not hopeless; -1 if there is none. */
static int
best_step(BoxSearch *s, const BoxTable *table, const int *levels)
{
	double		most = -1;
	int			best = -1;

	for (int a = 0; a < s->population->nattrs; a++)
	{
		double		saved;

		if (levels[a] == s->population->attrs[a].min_level)
			continue;
		saved = s->losses != NULL ? s->losses->loss[a][levels[a]] - s->losses->loss[a][levels[a] - 1] : levels[a];
		if (saved > most && can_lower(s, table, levels, a, levels[a] - 1))
		{
			most = saved;
			best = a;
		}
	}
	return best;
}

/* From the top down as far as it goes: a first answer. */
static void
dive(BoxSearch *s)
{
	int			levels[MAX_ATTRIBUTES];
	BoxTable   *table;

	memcpy(levels, s->top, sizeof(levels));
	s->evaluated++;
	offer(s, levels);
	table = box_table_create(&s->tables, levels);
	while (table != NULL)
	{
		int			a = best_step(s, table, levels);
		BoxTable   *lower = a < 0 ? NULL : box_table_lower(&s->tables, table, a, levels[a] - 1);

		box_table_free(&s->tables, table);
		table = lower;
		if (table != NULL)
			levels[a]--;
	}
	if (memcmp(levels, s->top, sizeof(int) * s->population->nattrs) != 0)
		offer(s, levels);
}

/* ------------------------------------------------------------------- work */

void *
boxes_begin(Population *population, const void *order)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt boxes", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	BoxSearch  *s = palloc0(sizeof(BoxSearch));

	s->population = population;
	s->context = context;
	s->order = *(const BoxOrder *) order;
	box_tables_prepare(&s->tables, population, &s->order.promise, context);
	s->measurer = measurer_create(population, &s->order.promise);
	s->cache = class_cache_create(population);
	s->ceiling = HUGE_VAL;
	s->hopeless = known_nodes_create(population, context);
	s->hopeful = known_nodes_create(population, context);
	s->open = palloc0(sizeof(OpenBox) * most_open(population));
	for (int a = 0; a < population->nattrs; a++)
		s->top[a] = population->attrs[a].max_level;
	if (is_sum_of_levels(s->order.loss))
		s->losses = level_losses_create(population, s->order.loss);
	MemoryContextSwitchTo(old);
	return s;
}

void
boxes_end(void *state)
{
	BoxSearch  *s = state;

	class_cache_free(s->cache);
	MemoryContextDelete(s->context);
}

static void
open_box(BoxSearch *s, const Box *box)
{
	OpenBox    *open = &s->open[0];

	memset(open, 0, sizeof(OpenBox));
	open->floor = box->floor;
	for (int a = 0; a < s->population->nattrs; a++)
	{
		open->lowest[a] = box->lowest[a];
		open->highest[a] = box->highest[a];
	}
	/* tuples are as they were read: to be joined as soon as anything is known */
	open->rises = RISES_TO_JOIN;
	s->nopen = 1;
}

/* Hands back what is still open. */
static void
close_boxes(BoxSearch *s, BoxResult *result)
{
	result->nopen = s->nopen;
	for (int i = 0; i < s->nopen; i++)
	{
		result->open[i].floor = s->open[i].floor;
		for (int a = 0; a < s->population->nattrs; a++)
		{
			result->open[i].lowest[a] = s->open[i].lowest[a];
			result->open[i].highest[a] = s->open[i].highest[a];
		}
		forget_table(s, &s->open[i]);
	}
	s->nopen = 0;
}

/* Takes over the best node that others know. */
static void
take_over(BoxSearch *s, const BoxAnswer *answer)
{
	if (!answer->found || is_beaten(s, answer->cost, answer->levels))
		return;
	s->answer = *answer;
	if (s->order.loss == OBJECTIVE_SUPPRESSED)
		suppress_fewer(s);
}

static bool
time_is_up(const BoxSearch *s)
{
	return s->order.deadline != 0 && GetCurrentTimestamp() >= s->order.deadline;
}

void
boxes_work(void *state, const void *item, void *result)
{
	BoxSearch  *s = state;
	const BoxItem *asked = item;
	BoxResult  *told = result;
	int64		evaluated = s->evaluated;
	int64		end = s->tables.looked_at + asked->effort;

	take_over(s, &asked->answer);
	s->ceiling = asked->ceiling;
	open_box(s, &asked->box);
	if (!s->answer.found && evaluated == 0)
		dive(s);
	while (s->nopen > 0 && s->tables.looked_at < end && !time_is_up(s))
		search_last(s);
	close_boxes(s, told);
	told->answer = s->answer;
	told->evaluated = s->evaluated - evaluated;
}

const PoolWork search_boxes_work = {boxes_begin, boxes_work};
