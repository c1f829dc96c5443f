/*
 * recoding_start.c
 *	  First answers for a search.
 *
 * Nodes are visited in the order of their average loss.  At each, the tuples
 * without a class are grouped by the node's labels; groups that keep the
 * promise become classes, and their tuples are finished.  As fewer and fewer
 * tuples are left, later nodes cost less and less time, and thousands of nodes
 * are visited in a fraction of a second.  Although this is greedy, no other
 * start comes close to it, especially for large k.
 *
 * A lattice may have more nodes than can be visited.  Those that lose least
 * are enough, since the remaining tuples are merged.
 */
#include "search/recoding_parts.h"

#include "miscadmin.h"

/* The most nodes visited. */
#define MOST_NODES 32768

/* At most so many groups are counted at a time, or one for so many tuples. */
#define FEW_GROUPS 65536
#define TUPLES_A_GROUP 8

/*
 * Of many tuples, nodes are tried on some parts of so many, and those that take
 * less than a share of what is left are not visited with all.
 */
#define TRIED_PARTS 8
#define TRIED_TUPLES 8192
#define LEAST_SHARE 0.001

/* A visit of a tuple takes so many times longer with all, which no cache holds. */
#define SLOWER_WITH_ALL 4

/* Tuples merged at a time. */
#define MERGED_TUPLES 384

/* ------------------------------------------------------------- nodes */

typedef struct StartNode
{
	int64		loss;			/* of all people */
	uint32		number;			/* of its levels, in the order found */
} StartNode;

typedef struct NodeList
{
	int			nattrs;
	int			height[MAX_ATTRIBUTES];
	int64	   *loss[MAX_ATTRIBUTES];	/* by level: of all people */
	int64		limit;			/* nodes lose no more */
	uint8		levels[MAX_ATTRIBUTES];
	uint32		nnodes;
	StartNode  *nodes;
	uint8	   *node_levels;
} NodeList;

/* Lists the nodes that lose at most the limit, given levels of the previous attributes. */
static void
list_nodes(NodeList *list, int attr, int64 loss)
{
	if (attr == list->nattrs)
	{
		if (list->nnodes < MOST_NODES)
		{
			list->nodes[list->nnodes].loss = loss;
			list->nodes[list->nnodes].number = list->nnodes;
			memcpy(list->node_levels + (Size) list->nnodes * list->nattrs, list->levels, list->nattrs);
		}
		list->nnodes++;
		return;
	}
	for (int level = 0; level <= list->height[attr] && list->nnodes < MOST_NODES; level++)
	{
		/* the loss includes the least loss of the remaining attributes */
		int64		more = loss + list->loss[attr][level] - list->loss[attr][0];

		if (more > list->limit)
			break;
		list->levels[attr] = level;
		list_nodes(list, attr + 1, more);
	}
}

static int
compare_nodes(const void *a, const void *b)
{
	const StartNode *x = a;
	const StartNode *y = b;

	if (x->loss != y->loss)
		return x->loss < y->loss ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The nodes that lose least, sorted by that. */
static NodeList *
make_node_list(const Ground *ground)
{
	NodeList   *list = palloc0(sizeof(NodeList));
	int64		lowest = 0;
	int64		all = 0;

	list->nattrs = ground->nattrs;
	for (int a = 0; a < ground->nattrs; a++)
	{
		const Axis *axis = &ground->axes[a];
		int64	   *people;		/* by code */

		/* a level above max_level is used only if there is no other */
		int			nlevels = Min(axis->nlevels, axis->allowed);

		list->height[a] = nlevels - 1;
		list->loss[a] = palloc0(sizeof(int64) * nlevels);
		people = memset(population_alloc(ground->order->population, sizeof(int64), axis->ncodes), 0, sizeof(int64) * axis->ncodes);
		for (uint32 i = 0; i < ground->ntuples; i++)
			people[ground_codes(ground, i)[a]] += ground->people[i];
		for (uint32 code = 0; code < axis->ncodes; code++)
			for (int level = 0; level < nlevels; level++)
				list->loss[a][level] += people[code] * axis->level_loss[level][code];
		pfree(people);
		lowest += list->loss[a][0];
		all += list->loss[a][list->height[a]];
	}
	list->nodes = palloc(sizeof(StartNode) * MOST_NODES);
	list->node_levels = palloc((Size) MOST_NODES * Max(list->nattrs, 1));
	/* the highest limit with few enough nodes */
	list->limit = lowest;
	for (int64 limit = lowest + Max((all - lowest) / 64, 1); list->limit < all; limit += Max((limit - lowest) / 8, 1))
	{
		int64		before = list->limit;

		list->limit = Min(limit, all);
		list->nnodes = 0;
		list_nodes(list, 0, lowest);
		if (list->nnodes < MOST_NODES)
			continue;
		list->limit = before;
		break;
	}
	list->nnodes = 0;
	list_nodes(list, 0, lowest);
	list->nnodes = Min(list->nnodes, MOST_NODES);
	qsort(list->nodes, list->nnodes, sizeof(StartNode), compare_nodes);
	return list;
}

static const uint8 *
levels_of_node(const NodeList *list, uint32 i)
{
	return list->node_levels + (Size) list->nodes[i].number * list->nattrs;
}

/* ------------------------------------------------------------ groups */

/* What a tuple's group is if it has no place: it is too small, or there was no room for it yet. */
#define TOO_SMALL PG_UINT32_MAX
#define WAITS (PG_UINT32_MAX - 1)

typedef struct Visit
{
	DraftClasses *classes;
	uint64	  **mix[MAX_ATTRIBUTES];	/* by level and code: a hash */
	const uint64 *look[MAX_ATTRIBUTES]; /* those of the node visited */
	uint32		nleft;
	uint32	   *left;			/* tuples without a class */
	uint32	   *group_of;		/* by position among them; first a hash */
	uint8	   *crowds;			/* by a part of the hash: people, up to enough */
	AlikeGroups groups;			/* of the last node, as far as there is room */
	uint32		room;
	uint32		ngroups;
	int64		seen;			/* tuples, at all nodes together */
} Visit;

static void
find_left(Visit *visit)
{
	visit->nleft = 0;
	for (uint32 i = 0; i < visit->classes->ground->ntuples; i++)
		if (visit->classes->class_of[i] == NO_CLASS)
			visit->left[visit->nleft++] = i;
}

static void
prepare_visit(Visit *visit, DraftClasses *classes)
{
	const Ground *ground = classes->ground;
	Size		n = Max(ground->ntuples, 1);

	visit->classes = classes;
	visit->left = population_alloc(ground->order->population, sizeof(uint32), n);
	visit->group_of = population_alloc(ground->order->population, sizeof(uint32), n);
	visit->crowds = population_alloc(ground->order->population, sizeof(uint8), pg_nextpower2_64(n));
	visit->room = (uint32) Min(n, Max(n / TUPLES_A_GROUP, FEW_GROUPS));
	alike_groups_init(&visit->groups, ground, visit->room);
	find_left(visit);
	for (int a = 0; a < ground->nattrs; a++)
	{
		const Axis *axis = &ground->axes[a];

		visit->mix[a] = palloc(sizeof(uint64 *) * axis->nlevels);
		for (int level = 0; level < axis->nlevels; level++)
		{
			visit->mix[a][level] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * (axis->ncodes + 1));
			for (uint32 code = 0; code < axis->ncodes; code++)
				visit->mix[a][level][code] = word_hash(((uint64) (a + 1) << 40) + ((uint64) level << 32) +
													   axis->label[level][code]);
		}
	}
}

/* A hash of the labels of a tuple. */
static inline uint64
look_of(const Visit *visit, uint32 tuple)
{
	const Ground *ground = visit->classes->ground;
	const uint32 *codes = ground_codes(ground, tuple);
	uint64		look = 0;

	for (int a = 0; a < ground->nattrs; a++)
		look += visit->look[a][codes[a]];
	return look;
}

/*
 * Looks for remaining tuples whose group at a node may be large enough, by the
 * people whose hashes end alike, which takes little memory; returns whether
 * there are any.
 */
static bool
find_crowds(Visit *visit, const uint8 * levels)
{
	const Ground *ground = visit->classes->ground;
	uint8		enough = (uint8) Min(ground->smallest, 255);
	uint32		mask = pg_nextpower2_32(Max(visit->nleft, 1)) - 1;
	bool		found = false;

	for (int a = 0; a < ground->nattrs; a++)
		visit->look[a] = visit->mix[a][levels[a]];
	memset(visit->crowds, 0, (Size) mask + 1);
	for (uint32 i = 0; i < visit->nleft; i++)
	{
		uint32		hash = (uint32) look_of(visit, visit->left[i]);
		uint8	   *crowd = &visit->crowds[hash & mask];

		visit->group_of[i] = hash;
		*crowd = (uint8) Min(*crowd + ground->people[visit->left[i]], enough);
		found |= *crowd >= enough;
	}
	for (uint32 i = 0; i < visit->nleft && found; i++)
		visit->group_of[i] = visit->crowds[visit->group_of[i] & mask] >= enough ? WAITS : TOO_SMALL;
	return found;
}

/* Groups the tuples that wait, as far as there is room for groups; returns false if none do. */
static bool
count_groups(Visit *visit)
{
	const Ground *ground = visit->classes->ground;

	visit->groups.round++;
	visit->ngroups = 0;
	for (uint32 i = 0; i < visit->nleft; i++)
	{
		AlikeGroup *group;

		if (visit->group_of[i] != WAITS)
			visit->group_of[i] = TOO_SMALL;
		else if ((group = alike_group_of(&visit->groups, look_of(visit, visit->left[i]), visit->ngroups < visit->room)) != NULL)
		{
			visit->group_of[i] = (uint32) (group - visit->groups.groups);
			visit->ngroups += group->people == 0;
			group->people += ground->people[visit->left[i]];
		}
	}
	return visit->ngroups > 0;
}

/* The group of a remaining tuple, by its position, if it is large enough, or NULL. */
static inline AlikeGroup *
large_group(const Visit *visit, uint32 i)
{
	AlikeGroup *group;

	if (visit->group_of[i] >= WAITS)
		return NULL;
	group = &visit->groups.groups[visit->group_of[i]];
	return group->people >= visit->classes->ground->smallest ? group : NULL;
}

/* Turns the groups that are large enough and keep the promise into classes. */
static void
take_groups(Visit *visit)
{
	DraftClasses *classes = visit->classes;
	AlikeGroup *group;

	for (uint32 i = 0; i < visit->nleft; i++)
	{
		if ((group = large_group(visit, i)) == NULL)
			continue;
		if (group->number == NO_CLASS)
			group->number = class_add(classes);
		class_take(classes, group->number, visit->left[i]);
	}
	for (uint32 i = 0; i < visit->nleft; i++)
	{
		/* once per group: 0 people mark it as settled */
		if ((group = large_group(visit, i)) == NULL)
			continue;
		if (!class_settle(classes, group->number))
			class_drop(classes, group->number);
		group->people = 0;
	}
}

/* Creates classes of the remaining tuples at a node. */
static void
take_classes(Visit *visit, const uint8 * levels)
{
	uint32		nleft = 0;

	visit->seen += visit->nleft;
	if (!find_crowds(visit, levels))
		return;
	while (count_groups(visit))
		take_groups(visit);
	for (uint32 i = 0; i < visit->nleft; i++)
		if (visit->classes->class_of[visit->left[i]] == NO_CLASS)
			visit->left[nleft++] = visit->left[i];
	visit->nleft = nleft;
}

/* Visits nodes until a moment: those that take a share of what is left, if that is known; otherwise notes these shares. */
static void
visit_nodes(Visit *visit, const NodeList *list, double *shares, double least, int64 until)
{
	const RecodingOrder *order = visit->classes->ground->order;

	for (uint32 i = 0; i < list->nnodes && visit->nleft > 0 && !recoding_past(order, until); i++)
	{
		uint32		before = visit->nleft;

		CHECK_FOR_INTERRUPTS();
		if (least > 0 && shares[i] < least)
			continue;
		(void) recoding_goes_on(order, "visited", "nodes", i, list->nnodes);
		take_classes(visit, levels_of_node(list, i));
		if (least == 0)
			shares[i] = (double) (before - visit->nleft) / before;
	}
}

/* How many times all tuples are visited at nodes that take at least a share of what is left. */
static double
visits_of_all(const NodeList *list, const double *shares, double least)
{
	double		left = 1;
	double		visits = 0;

	for (uint32 i = 0; i < list->nnodes; i++)
	{
		visits += shares[i] >= least ? left : 0;
		left -= shares[i] >= least ? left * shares[i] : 0;
	}
	return visits;
}

/*
 * Tries the nodes on some of the tuples, and returns the least share of what is
 * left that one must take to be visited with all: as small as time allows.
 */
static double
try_on_some(Visit *visit, const NodeList *list, double *shares, int64 until)
{
	const Ground *ground = visit->classes->ground;
	int64		begun = GetCurrentTimestamp();
	double		least = LEAST_SHARE;
	double		each;

	visit->nleft = 0;
	for (int part = 0; part < TRIED_PARTS; part++)
		for (uint32 i = 0; i < TRIED_TUPLES; i++)
			visit->left[visit->nleft++] = (uint32) ((uint64) ground->ntuples * part / TRIED_PARTS) + i;
	visit_nodes(visit, list, shares, 0, until == 0 ? 0 : begun + (until - begun) / 3);
	each = (double) (GetCurrentTimestamp() - begun) / Max(visit->seen, 1);
	while (until != 0 && least < 1 &&
		   SLOWER_WITH_ALL * each * ground->ntuples * visits_of_all(list, shares, least) > until - GetCurrentTimestamp())
		least *= 2;
	draft_classes_clear(visit->classes);
	find_left(visit);
	return least;
}

void
start_by_nodes(DraftClasses *classes)
{
	const Ground *ground = classes->ground;
	const RecodingOrder *order = ground->order;
	bool		many = ground->ntuples >= MANY_TUPLES && classes->nclasses == 0;
	int64		now = GetCurrentTimestamp();
	int64		until = order->deadline == 0 ? 0 : now + (order->deadline - now) / 3 * (many ? 2 : 1);
	MemoryContext context = AllocSetContextCreate(ground->context, "anonopt start", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	NodeList   *list;
	double	   *shares;
	double		least = 0;
	Visit		visit;

	if (!recoding_is_over(order))
		list = make_node_list(ground);
	else
		list = palloc0(sizeof(NodeList));
	shares = palloc0(sizeof(double) * (list->nnodes + 1));
	prepare_visit(&visit, classes);
	if (many)
		least = try_on_some(&visit, list, shares, until);
	visit_nodes(&visit, list, shares, least, until);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* What a node is worth. */
typedef enum NodeVerdict
{
	NODE_KEEPS,					/* it keeps the promise */
	NODE_BREAKS,				/* it does not */
	NODE_TOO_FINE				/* nor does any finer node */
} NodeVerdict;

/*
 * Creates one node's classes and suppresses the remaining people, unless they
 * are too many, or everybody.
 */
static NodeVerdict
take_node(Visit *visit, const uint8 * levels)
{
	DraftClasses *classes = visit->classes;
	int64		left = 0;

	find_left(visit);
	for (uint32 i = 0; i < visit->nleft; i++)
		left += classes->ground->people[i];
	/* those in groups that are too small */
	for (bool any = find_crowds(visit, levels); any && count_groups(visit);)
		for (uint32 i = 0; i < visit->nleft; i++)
			if (large_group(visit, i) != NULL)
				left -= classes->ground->people[visit->left[i]];
	if (left > classes->limit)
		return NODE_TOO_FINE;
	take_classes(visit, levels);
	left = 0;
	for (uint32 i = 0; i < visit->nleft; i++)
		left += classes->ground->people[visit->left[i]];
	if (left > classes->limit || visit->nleft == classes->ground->ntuples)
		return NODE_BREAKS;
	for (uint32 i = 0; i < visit->nleft; i++)
		tuple_suppress(classes, visit->left[i]);
	return NODE_KEEPS;
}

/*
 * The most visits of a tuple in search of a node that loses less than an
 * answer: more where the loss of labels rules out most nodes.
 */
#define MOST_VISITS 20000000
#define MOST_VISITS_BY_LABELS 100000000

/* Nodes that are known to be too fine: more of them would only slow lookups. */
#define MOST_TOO_FINE 1024

/* A search for the node that loses least. */
typedef struct NodeSearch
{
	const NodeList *list;
	Visit		visit;
	int64		least;			/* loss to beat */
	const		uint8 *best;	/* levels, or NULL */
	uint32		nfine;
	const		uint8 *fine[MOST_TOO_FINE]; /* levels of such nodes */
} NodeSearch;

/* Whether a node is as fine as one that is too fine. */
static bool
is_too_fine(const NodeSearch *search, const uint8 * levels)
{
	for (uint32 i = 0; i < search->nfine; i++)
	{
		int			a = 0;

		while (a < search->list->nattrs && levels[a] <= search->fine[i][a])
			a++;
		if (a == search->list->nattrs)
			return true;
	}
	return false;
}

static void
try_node(NodeSearch *search, const uint8 * levels)
{
	DraftClasses *classes = search->visit.classes;
	NodeVerdict verdict = take_node(&search->visit, levels);

	CHECK_FOR_INTERRUPTS();
	if (verdict == NODE_KEEPS && classes->cost < search->least)
	{
		search->least = classes->cost;
		search->best = levels;
	}
	if (verdict == NODE_TOO_FINE && search->nfine < MOST_TOO_FINE)
		search->fine[search->nfine++] = levels;
	draft_classes_clear(classes);
}

/*
 * Looks for a node.  If it must lose less than an answer, which is good as it
 * is, time and visits are limited; otherwise only time, once there is a node.
 * Coarse nodes come first, because one that is too fine rules out all finer
 * ones.  If only labels count, a node loses no less than its labels, whomever
 * it suppresses.
 */
static void
try_nodes(NodeSearch *search, bool have_answer)
{
	const Ground *ground = search->visit.classes->ground;
	bool		by_labels = ground->size_unit == 0 && ground->minority_unit == 0;
	uint32		left = (by_labels ? MOST_VISITS_BY_LABELS : MOST_VISITS) / Max(ground->ntuples, 1);

	for (uint32 i = search->list->nnodes; i > 0 && (left > 0 || !have_answer); i--)
	{
		const		uint8 *levels = levels_of_node(search->list, i - 1);

		if (!recoding_goes_on(ground->order, "visited", "nodes", search->list->nnodes - i, search->list->nnodes) &&
			(have_answer || search->best != NULL))
			break;
		if ((by_labels && search->list->nodes[i - 1].loss >= search->least) || is_too_fine(search, levels))
			continue;
		try_node(search, levels);
		left -= have_answer;
	}
}

bool
start_by_one_node(DraftClasses *classes, int64 below)
{
	const Ground *ground = classes->ground;
	MemoryContext context = AllocSetContextCreate(ground->context, "anonopt start", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	NodeSearch *search = palloc0(sizeof(NodeSearch));
	bool		found;

	search->list = make_node_list(ground);
	search->least = below;
	prepare_visit(&search->visit, classes);
	try_nodes(search, below < PG_INT64_MAX);
	found = search->best != NULL;
	if (found)
		(void) take_node(&search->visit, search->best);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return found;
}

/* ----------------------------------------------------------- merging */

/*
 * Forms classes of tuples in their order, from one on.  A class is settled only
 * when its people have doubled, so this takes hardly more time than to look at
 * each tuple.
 */
static void
start_in_order(DraftClasses *classes, uint32 tuple)
{
	const Ground *ground = classes->ground;
	uint32		class = NO_CLASS;
	int64		enough = 0;

	for (; tuple < ground->ntuples; tuple++)
	{
		if (tuple % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (classes->class_of[tuple] != NO_CLASS)
			continue;
		if (class == NO_CLASS)
		{
			class = class_add(classes);
			enough = ground->smallest;
		}
		class_take(classes, class, tuple);
		if (classes->classes[class].people < enough)
			continue;
		if (class_settle(classes, class))
			class = NO_CLASS;
		else
			enough = 2 * classes->classes[class].people;
	}
	if (class != NO_CLASS)
		class_drop(classes, class);
}

void
start_by_merging(DraftClasses *classes)
{
	const Ground *ground = classes->ground;
	Clustering *clustering = clustering_create(ground, MERGED_TUPLES, MERGED_TUPLES);
	uint32		tuple = 0;

	while (tuple < ground->ntuples && recoding_goes_on(ground->order, "merged", "tuples", tuple, ground->ntuples))
	{
		CHECK_FOR_INTERRUPTS();
		clustering_clear(clustering);
		for (; tuple < ground->ntuples && clustering->nitems < MERGED_TUPLES; tuple++)
			if (classes->class_of[tuple] == NO_CLASS)
				clustering_add(clustering, tuple);
		if (clustering->nitems > 0 && clustering_merge(clustering, MERGE_CHEAPEST, NULL, 0) < PG_INT64_MAX)
			clustering_put(clustering, classes);
	}
	clustering_clear(clustering);
	if (!ground->order->or_none)
		start_in_order(classes, tuple);
}

/* The class with which another would lose least, or NO_CLASS if there is none. */
static uint32
cheapest_class(const DraftClasses *classes, uint32 class)
{
	const Ground *ground = classes->ground;
	const RecodingClass *one = &classes->classes[class];
	uint32		hull[2 * MAX_ATTRIBUTES];
	uint32		other_hull[2 * MAX_ATTRIBUTES];
	int64		least = PG_INT64_MAX;
	uint32		best = NO_CLASS;

	class_hull(classes, class, hull);
	for (uint32 number = 0; number < classes->nclasses; number++)
	{
		const RecodingClass *other = &classes->classes[number];
		int64		price;

		if (other->ntuples == 0 || number == class)
			continue;
		class_hull(classes, number, other_hull);
		price = size_cost(ground, one->people + other->people, joint_loss(ground, hull, other_hull)) - other->cost;
		if (price < least)
		{
			least = price;
			best = number;
		}
	}
	return best;
}

/* Any other class from a number on, or NO_CLASS. */
static uint32
next_class(const DraftClasses *classes, uint32 class, uint32 *from)
{
	while (*from < classes->nclasses && (*from == class || classes->classes[*from].ntuples == 0))
		(*from)++;
	return *from < classes->nclasses ? *from : NO_CLASS;
}

bool
mend_classes(DraftClasses *classes)
{
	const Ground *ground = classes->ground;
	uint32		class = NO_CLASS;
	uint32		from = 0;

	for (uint32 tuple = 0; tuple < ground->ntuples; tuple++)
	{
		if (classes->class_of[tuple] != NO_CLASS)
			continue;
		if (class == NO_CLASS)
			class = class_add(classes);
		class_take(classes, class, tuple);
	}
	if (class == NO_CLASS)
		return true;
	while (!class_settle(classes, class))
	{
		bool		late = recoding_is_over(ground->order);
		uint32		before = classes->classes[class].ntuples;
		uint32		other;

		/*
		 * one class; once it is late, any, until there are twice as many
		 * tuples
		 */
		while (classes->classes[class].ntuples < (late ? 2 * before : before + 1) &&
			   (other = late ? next_class(classes, class, &from) : cheapest_class(classes, class)) != NO_CLASS)
		{
			uint32		tuple = classes->classes[other].first;
			uint32		next;

			CHECK_FOR_INTERRUPTS();
			class_drop(classes, other);
			for (; tuple != NO_TUPLE; tuple = next)
			{
				next = classes->next[tuple];
				class_take(classes, class, tuple);
			}
		}
		if (classes->classes[class].ntuples == before)
		{
			class_drop(classes, class);
			return false;
		}
	}
	return true;
}
