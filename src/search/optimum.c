/*
 * optimum.c
 *	  The node of least loss that keeps a promise, by boxes.
 *
 * A box consists of a lowest and a highest node and all nodes between.  It is
 * narrowed until nothing changes:
 *
 * - if no node in it can cost less than the best one known, it is dropped;
 * - an attribute's highest level is lowered while that holds for the part of
 *   the box with the attribute at that level;
 * - if too many people are suppressed at every node below the highest, it is
 *   dropped;
 * - an attribute's lowest level is raised while that holds for the highest
 *   node with only this attribute lowered to it.
 *
 * Then it is split at the attribute with the widest range of loss: its highest
 * level becomes a separate box, and the rest, which loses less, is searched
 * first.  So open boxes cost more and more, and the least of their costs is a
 * bound at any time.  A ceiling excludes nodes that cost more, as if a node
 * with that cost were known; a search below it finishes much sooner.
 *
 * The lower bound of a box's cost depends on the loss.  GLM and NWP are least
 * without suppression, and then they are a sum over the attributes' levels,
 * which is least at the lowest node (search/lower_bounds.h).  For DCN
 * everybody suppressed at the highest node costs the number of all people, at
 * every node of the box, and a class of the lowest node costs at least its
 * square, since classes only merge.  At least as many people are suppressed as
 * at the highest node; and each class of that node that is too large to be
 * suppressed leaves at least one class, which bounds the average risk too.
 * For CM, the people outside the majority of the lowest node's classes count:
 * the majority of a merged class is at most the sum of its parts' majorities.
 * t, alpha, beta, disclosure and NECD are bounded by the classes of the
 * highest node (engine/box_table.c).  Presence has no bound, since the people
 * outside with the labels of a part of a class are not known here.
 *
 * A node is hopeless if too many people are suppressed at every node below.
 * Nodes known to be hopeless, and nodes known not to be, answer most
 * questions. When memory runs out they are dropped and computed again.
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
 * the ceiling becomes the bound.  Nodes measured in a pass help it, too.
 */
#include "search/searches.h"

#include <math.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/progress.h"
#include "engine/box_table.h"
#include "engine/known_sets.h"
#include "engine/lattice.h"
#include "engine/node_classes.h"
#include "search/lower_bounds.h"

/* Levels must have risen by this many in total before tuples are merged again. */
#define RISES_TO_JOIN 2

/* Tuples to visit in each box that is handed out, about a tenth of a second, but at least so many times those that its table takes. */
#define EFFORT INT64CONST(40000000)
#define TABLES_A_BOX 16

/* Before workers are started, the effort is this many times less. */
#define SOONER 4

/* Boxes handed out at a time, per process. */
#define BOXES_A_PROCESS 4

/* Passes end when the bound is within this share of the best node's cost. */
#define SMALL_GAP 0.03

/* The nodes between a lowest and a highest one. */
typedef struct Box
{
	double		floor;			/* none costs less; boxes are sorted by it */
	int16		lowest[MAX_ATTRIBUTES];
	int16		highest[MAX_ATTRIBUTES];
} Box;

/*
 * An item: a box, the cost from which on its nodes are excluded, the best node
 * so far, and how many tuples to visit before the rest is returned.
 */
typedef struct BoxItem
{
	Box			box;
	double		ceiling;
	int64		effort;
	BoxAnswer	answer;
} BoxItem;

/* A result: the rest of the box, and the best node so far. */
typedef struct BoxResult
{
	BoxAnswer	answer;
	int64		evaluated;		/* nodes */
	int			nopen;
	Box			open[FLEXIBLE_ARRAY_MEMBER];
} BoxResult;

/* A box that is still to be searched. */
typedef struct OpenBox
{
	double		floor;
	int			lowest[MAX_ATTRIBUTES];
	int			highest[MAX_ATTRIBUTES];
	bool		fine[MAX_ATTRIBUTES];	/* its lowest level is known not to be
										 * hopeless */
	int			rises;			/* of lowest levels since the last merging */
	int			counted[MAX_ATTRIBUTES];	/* the lowest node for which
											 * minorities were counted */
	int64		minorities;		/* people outside their class's majority
								 * there; -1 if not counted */
	BoxTable   *table;			/* NULL until it is needed */
	LevelLosses *losses;		/* with what is known to be suppressed at the
								 * highest node, or NULL */
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
	KnownSets  *sets;			/* if something is promised of known columns,
								 * else NULL */
	LevelLosses *losses;		/* if the loss is a sum over attributes, else
								 * NULL */
	int128	   *more;			/* by attribute and level, to be added */
	int			top[MAX_ATTRIBUTES];
	BoxAnswer	answer;
	double		ceiling;		/* nodes that cost more are left for later */
	int64		evaluated;
	int			nopen;
	OpenBox    *open;
} BoxSearch;

/* The model whose figure of a node's worst class tables must bound, or -1. */
static int
worst_model(Objective loss)
{
	int			model = loss == OBJECTIVE_T ? model_by_name(objective_name(loss)) : objective_model(loss);

	return model >= 0 && models[model]->of_rest != NULL ? model : -1;
}

static bool
is_about_all(Objective loss)
{
	int			model = objective_model(loss);

	return model >= 0 && models[model]->scope == ABOUT_ALL;
}

bool
boxes_have_bounds(Objective loss, bool classes_shrink)
{
	if (classes_shrink)
		return is_sum_of_levels(loss);
	return is_objective(loss) && !objective_rises(loss) && (objective_model(loss) < 0 || is_about_all(loss) || worst_model(loss) >= 0);
}

/* Boxes open at a time: one for each level that an attribute can be lowered by, and the current. */
static int
most_open(const Population *population)
{
	int			levels = 2;

	for (int a = 0; a < population->nattrs; a++)
		levels += population->attrs[a].max_level - population->attrs[a].min_level;
	return levels;
}

/* The largest size of a result. */
static Size
box_result_size(const Population *population)
{
	return MAXALIGN(offsetof(BoxResult, open) + sizeof(Box) * most_open(population));
}

/* ---------------------------------------------------------------- costs */

/* The losses of a box's levels. */
static inline const LevelLosses *
losses_of(const BoxSearch *s, const OpenBox *box)
{
	return box->losses != NULL ? box->losses : s->losses;
}

/* The people outside the majority label of their class at a box's lowest node. */
static int64
minorities(const BoxSearch *s, OpenBox *box)
{
	int			column = s->population->nsensitive;
	const ClassHistogram *slices;
	Size		size = sizeof(int) * s->population->nattrs;
	const TupleTable *classes;
	Recodings	node;

	if (box->minorities >= 0 && memcmp(box->counted, box->lowest, size) == 0)
		return box->minorities;
	classes = class_cache_classes(s->cache, box->lowest, &node);
	slices = s->population->columns[column]->slices;
	memcpy(box->counted, box->lowest, size);
	box->minorities = 0;
	for (uint32 i = 0; i < classes->ntuples; i++)
		box->minorities += classes->counts[i] - slices[classes->slices[column][i]].most;
	return box->minorities;
}

/* The lower bound of the cost of a box's nodes; its table is that of the highest node. */
static double
least_cost(const BoxSearch *s, OpenBox *box)
{
	const BoxTable *table = box->table;
	int64		people = s->population->people;
	int64		persons = s->population->persons;

	switch (s->order.loss)
	{
		case OBJECTIVE_GLM:
		case OBJECTIVE_NWP:
			return level_losses_sum(losses_of(s, box), box->lowest);
		case OBJECTIVE_DCN:
			return (double) (box_table_squares(table) + (int128) people * table->suppressed);
		case OBJECTIVE_SUPPRESSED:
			return (double) (table->suppressed + table->doubtful);
		case OBJECTIVE_CLASSES:
			return (double) box_table_lasting(&s->tables, table);
		case OBJECTIVE_CM:
			return (double) Max(minorities(s, box), table->suppressed + table->doubtful) / people;
		case OBJECTIVE_NECD:
			return persons > 1 ? (double) box_table_spread(&s->tables, table) / (persons - 1) : 0;
		default:
			/* the mean risk is the number of classes by people */
			return is_about_all(s->order.loss) ? (double) box_table_lasting(&s->tables, table) / people : table->worst;
	}
}

/* Whether it is nowhere worse than nodes with these lower bounds of cost and levels. */
static bool
answer_beats(const BoxAnswer *answer, double cost, const int *levels, int nattrs)
{
	if (!answer->found || cost < answer->cost)
		return false;
	return cost > answer->cost || compare_levels(levels, answer->levels, nattrs) >= 0;
}

/*
 * Whether the nodes above a given one need not be searched now, given a lower
 * bound of their cost: none can be the answer, or all cost at least the ceiling
 * and are left for later.
 */
static bool
is_out(const BoxSearch *s, double cost, const int *levels)
{
	return cost >= s->ceiling || answer_beats(&s->answer, cost, levels, s->population->nattrs);
}

/* The range of an attribute's loss within a box. */
static double
width(const BoxSearch *s, const OpenBox *box, int a)
{
	if (s->losses != NULL)
		return s->losses->loss[a][box->highest[a]] - s->losses->loss[a][box->lowest[a]];
	return box->highest[a] - box->lowest[a];
}

/* --------------------------------------------------------------- answers */

/* If fewer suppressed people are better, more than the fewest known are too many. */
static void
suppress_fewer(BoxSearch *s)
{
	s->tables.promise.limit = s->answer.measures.suppressed;
	s->hopeful = known_nodes_create(s->population, s->context);
}

/* Measures a node that may be the answer; returns whether it keeps the promise. */
static bool
offer(BoxSearch *s, const int *levels)
{
	Recodings	node;
	const TupleTable *classes = class_cache_classes(s->cache, levels, &node);
	Measures	measures;
	double		cost;

	measure(s->measurer, node, classes, &measures);
	if (s->sets != NULL)
		s->tables.looked_at += known_sets_measuring(s->sets);
	cost = objective_cost(s->order.loss, &measures);
	/* more is suppressed than sets said, so it is at all nodes below */
	if (s->tables.empty && measures.suppressed > s->order.promise.limit)
		known_nodes_add(s->hopeless, levels, 0);
	if (!measures.feasible || answer_beats(&s->answer, cost, levels, s->population->nattrs))
		return measures.feasible;
	s->answer.found = true;
	s->answer.cost = cost;
	s->answer.measures = measures;
	memcpy(s->answer.levels, levels, sizeof(int) * s->population->nattrs);
	if (s->order.loss == OBJECTIVE_SUPPRESSED)
		suppress_fewer(s);
	return true;
}

/* Whether known columns alone suppress too many at a node, and so at all below. */
static bool
sets_are_out(BoxSearch *s, const int *levels)
{
	int64		effort;
	bool		out;

	if (s->sets == NULL)
		return false;
	effort = known_sets_effort(s->sets);
	out = known_sets_out(s->sets, levels, s->tables.promise.limit);
	s->tables.looked_at += known_sets_effort(s->sets) - effort;
	return out;
}

/* Raises a node that is out because of known columns as far as it is out, so that it tells more. */
static void
raise_hopeless(BoxSearch *s, int *levels)
{
	for (int a = 0; a < s->population->nattrs; a++)
	{
		int			level = levels[a];

		levels[a] = s->top[a];
		while (levels[a] > level && !sets_are_out(s, levels))
			levels[a]--;
	}
}

/* Whether nodes below the highest with one attribute lowered are worth searching. */
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
	can = !sets_are_out(s, levels);
	if (!can)
		raise_hopeless(s, levels);
	else
		can = box_table_can_lower(&s->tables, table, a, level);
	if (can && s->population->rows != NULL)
	{
		s->tables.looked_at += s->population->rows->n;
		can = !leaves_out_too_many(s->measurer, node_of_levels(s->population, levels));
	}
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

static void
forget_box(const BoxSearch *s, OpenBox *box)
{
	forget_table(s, box);
	if (box->losses != NULL)
		level_losses_free(box->losses);
	box->losses = NULL;
}

/*
 * Adds what those lose who are known to be suppressed at a box's highest node;
 * returns false if they are too many, and the box is dropped.
 */
static bool
look_at_highest(BoxSearch *s, OpenBox *box)
{
	if (s->sets == NULL)
		return true;
	if (sets_are_out(s, box->highest))
		return false;
	if (s->losses == NULL)
		return true;
	if (box->losses == NULL)
		box->losses = level_losses_create(s->population, s->order.loss);
	known_sets_lost(s->sets, box->lowest, box->highest, s->more);
	level_losses_raise(box->losses, s->population, s->order.loss, box->lowest, box->highest, s->more);
	return true;
}

/* Lowers highest levels whose nodes are beaten; returns false if the box is dropped. */
static bool
lower_highest(BoxSearch *s, OpenBox *box, bool *changed)
{
	int			highest[MAX_ATTRIBUTES];
	bool		lowered = false;

	for (int a = 0; a < s->population->nattrs; a++)
	{
		int			lowest = box->lowest[a];

		/* the highest level at which the box is not beaten */
		for (highest[a] = box->highest[a]; highest[a] > lowest; highest[a]--)
		{
			box->lowest[a] = highest[a];
			if (!is_out(s, s->losses != NULL ? level_losses_sum(losses_of(s, box), box->lowest) : box->floor, box->lowest))
				break;
		}
		box->lowest[a] = lowest;
	}

	/* often the result of lowering all is known: no tables are built */
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
		*changed = lowered = true;
	}
	return !lowered || look_at_highest(s, box);
}

/* The cost of the next level of an attribute; the most expensive is tried first. */
static double
rise_cost(const BoxSearch *s, const OpenBox *box, int a)
{
	if (s->losses == NULL)
		return box->lowest[a] - box->highest[a];
	return s->losses->loss[a][box->lowest[a] + 1] - s->losses->loss[a][box->lowest[a]];
}

/* Raises lowest levels that are hopeless; returns false if the box is dropped. */
static bool
raise_lowest(BoxSearch *s, OpenBox *box, bool *changed)
{
	int			attrs[MAX_ATTRIBUTES];	/* that may be hopeless, the most
										 * expensive first */
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
		if (s->losses != NULL && is_out(s, level_losses_sum(losses_of(s, box), box->lowest), box->lowest))
			return false;
	}
	return true;
}

/* Narrows a box until nothing changes; returns false if it is dropped. */
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

/* The attribute at which to split a box; -1 if it is a single node. */
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

/* Splits the current box: it keeps an attribute's highest level, the rest comes first. */
static void
part(BoxSearch *s, int a)
{
	OpenBox    *upper = &s->open[s->nopen - 1];
	OpenBox    *lower = &s->open[s->nopen];
	BoxTable   *table;
	Size		size = box_table_size(&s->tables, upper->table);

	/* make room for tables by freeing some of those that will be needed last */
	for (int i = 0; i < s->nopen - 1 && !budget_allows(s->population->context, 3 * size); i++)
		forget_table(s, &s->open[i]);
	table = lower_table(s, upper->table, upper->highest, a, upper->highest[a] - 1);
	if (table != NULL)
	{
		*lower = *upper;
		lower->table = table;
		lower->losses = NULL;
		lower->highest[a]--;
		memset(lower->fine, 0, sizeof(lower->fine));
		if (look_at_highest(s, lower))
			s->nopen++;
		else
			forget_box(s, lower);
	}
	upper->rises += upper->lowest[a] < upper->highest[a];
	upper->lowest[a] = upper->highest[a];
	if (s->losses != NULL)
		upper->floor = Max(upper->floor, level_losses_sum(losses_of(s, upper), upper->lowest));
}

/* Searches the box that was opened last, or splits it. */
static void
search_last(BoxSearch *s)
{
	OpenBox    *box = &s->open[s->nopen - 1];
	bool		open;

	if (box->table == NULL && !is_out(s, box->floor, box->lowest))
		box->table = look_at_highest(s, box) ? box_table_create(&s->tables, box->highest) : NULL;
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
		(void) offer(s, box->highest);
	forget_box(s, box);
	s->nopen--;
}

/* ---------------------------------------------------------------- diving */

/* The attribute whose next lower level saves most and is not hopeless, or -1. */
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

/* Descends from the top as far as possible in time, for a first answer. */
static void
dive(BoxSearch *s)
{
	int			levels[MAX_ATTRIBUTES];
	int		   *path = palloc(sizeof(int) * most_open(s->population));
	int			steps = 0;
	bool		in_time = true;
	BoxTable   *table;

	memcpy(levels, s->top, sizeof(levels));
	s->evaluated++;
	(void) offer(s, levels);
	table = box_table_create(&s->tables, levels);
	while (table != NULL)
	{
		int			a = time_is_up(s->order.deadline, &in_time) ? -1 : best_step(s, table, levels);
		BoxTable   *lower = a < 0 ? NULL : box_table_lower(&s->tables, table, a, levels[a] - 1);

		box_table_free(&s->tables, table);
		table = lower;
		if (table == NULL)
			continue;
		levels[a]--;
		path[steps++] = a;
	}

	/*
	 * more may be suppressed than known columns do by themselves: back, ever
	 * faster
	 */
	for (int back = 1; steps > 0 && !offer(s, levels) && s->sets != NULL && !time_is_up(s->order.deadline, &in_time);
		 back *= 2)
		for (int i = 0; i < back && steps > 0; i++)
			levels[path[--steps]]++;
	pfree(path);
}

/* ------------------------------------------------------------------- work */

/* What sets of known columns suppress, which one process counts once. */
static KnownSets *
sets_of(Population *population, const BoxOrder *order)
{
	if (population->sets == NULL)
		population->sets = known_sets_create(population, order->promise.limit, order->deadline);
	return population->sets;
}

/* Begins a search in this process. */
static void *
boxes_begin(Population *population, const void *order)
{
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt boxes", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	BoxSearch  *s = palloc0(sizeof(BoxSearch));

	s->population = population;
	s->context = context;
	s->order = *(const BoxOrder *) order;
	box_tables_prepare(&s->tables, population, &s->order.promise, worst_model(s->order.loss), context);
	s->order.promise.feasible_only = s->order.promise.feasible_only || population->rows != NULL;
	s->measurer = measurer_create(population, &s->order.promise);
	s->cache = class_cache_create(population);
	s->ceiling = HUGE_VAL;
	s->hopeless = known_nodes_create(population, context);
	s->hopeful = known_nodes_create(population, context);
	s->open = palloc0(sizeof(OpenBox) * most_open(population));
	top_levels(population, s->top);
	if (is_sum_of_levels(s->order.loss))
		s->losses = level_losses_create(population, s->order.loss);
	s->sets = sets_of(population, &s->order);
	s->tables.empty = s->sets != NULL && s->losses != NULL && s->tables.promise.k == 0 && !population->has_conditions &&
		!population_asks_outside(population);
	s->more = palloc0(sizeof(int128) * level_losses_room(population));
	MemoryContextSwitchTo(old);
	return s;
}

/* Searches a box. */
static void
boxes_work(void *state, const void *item, void *result)
{
	bool		in_time = true;
	BoxSearch  *s = state;
	const BoxItem *asked = item;
	BoxResult  *found = result;
	int64		evaluated = s->evaluated;
	int64		end = s->tables.looked_at + asked->effort;

	/* take over the best node known to others */
	if (asked->answer.found && !answer_beats(&s->answer, asked->answer.cost, asked->answer.levels, s->population->nattrs))
	{
		s->answer = asked->answer;
		if (s->order.loss == OBJECTIVE_SUPPRESSED)
			suppress_fewer(s);
	}
	s->ceiling = asked->ceiling;

	/* the original tuples, to be merged as soon as anything is known */
	s->open[0] = (OpenBox)
	{
		.floor = asked->box.floor,.rises = RISES_TO_JOIN,.minorities = -1
	};
	for (int a = 0; a < s->population->nattrs; a++)
	{
		s->open[0].lowest[a] = asked->box.lowest[a];
		s->open[0].highest[a] = asked->box.highest[a];
	}
	s->nopen = 1;
	if (!s->answer.found && evaluated == 0)
		dive(s);
	while (s->nopen > 0 && s->tables.looked_at < end && !time_is_up(s->order.deadline, &in_time))
		search_last(s);
	/* return the boxes that are still open */
	found->nopen = s->nopen;
	for (int i = 0; i < s->nopen; i++)
	{
		found->open[i].floor = s->open[i].floor;
		for (int a = 0; a < s->population->nattrs; a++)
		{
			found->open[i].lowest[a] = s->open[i].lowest[a];
			found->open[i].highest[a] = s->open[i].highest[a];
		}
		forget_box(s, &s->open[i]);
	}
	s->nopen = 0;
	found->answer = s->answer;
	found->evaluated = s->evaluated - evaluated;
}

const PoolWork search_boxes_work = {"search boxes", boxes_begin, boxes_work};

/* -------------------------------------------------------------------- rounds */

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
	if (search->answer.found)
		progress_better(1, search->answer.cost);
}

/* Takes the first boxes as items; returns their number. */
static int
take_items(const OptimumSearch *search, OpenBoxes *open, int most_items, int64 effort, BoxItem *items)
{
	int			nitems = Min(most_items, open->nboxes);

	for (int i = 0; i < nitems; i++)
	{
		items[i] = (BoxItem)
		{
			open->boxes[i], open->ceiling, effort, search->answer
		};
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
		{
			progress_bound(least_open(rounds));
			begin_pass(search, rounds);
		}
		if (rounds->passing)
			do_round(search, rounds, &rounds->pass);
		if (rounds->passing && rounds->pass.nboxes == 0)
		{
			/* finished: no open node costs less than its ceiling */
			for (int i = 0; i < rounds->open->nboxes; i++)
				rounds->open->boxes[i].floor = Max(rounds->open->boxes[i].floor, rounds->pass.ceiling);
			sort_open(search, rounds->open);
			rounds->passing = false;
		}
	}
	search->helped = worker_pool_end(rounds->pool);
}

void
optimum_search(OptimumSearch *search)
{
	MemoryContext context = search->population->context;
	MemoryContext old = MemoryContextSwitchTo(context);
	OpenBoxes	open = {.context = context,.ceiling = HUGE_VAL};
	Rounds		rounds = {.open = &open,.pass = {.context = context}};
	Box			all = {0};
	BoxSearch  *alone = boxes_begin(search->population, &search->order);
	BoxItem    *item = palloc0(sizeof(BoxItem));
	BoxResult  *result = palloc(box_result_size(search->population));

	search->in_time = true;
	if (search->effort == 0)
		search->effort = Max(EFFORT, TABLES_A_BOX * (int64) search->population->tuples->ntuples * search->population->nattrs);
	for (int a = 0; a < search->population->nattrs; a++)
	{
		all.lowest[a] = search->population->attrs[a].min_level;
		all.highest[a] = search->population->attrs[a].max_level;
	}
	add_box(&open, &all);
	/* all boxes, or as many as pay off before workers are started */
	take_items(search, &open, 1, search->workers > 0 ? search->effort / SOONER : search->effort, item);
	boxes_work(alone, item, result);
	take_result(search, &open, result);
	sort_open(search, &open);
	class_cache_free(alone->cache);
	MemoryContextDelete(alone->context);
	if (open.nboxes > 0 && !time_is_up(search->order.deadline, &search->in_time))
		search_together(search, &rounds);
	search->bound = Min(least_open(&rounds), search->answer.found ? search->answer.cost : HUGE_VAL);
	if (!search->answer.found)
		measure_top(search->population, &search->order.promise, &search->nearest);
	MemoryContextSwitchTo(old);
}
