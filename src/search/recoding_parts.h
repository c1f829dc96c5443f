/*
 * recoding_parts.h
 *	  Declarations shared by the steps of searching a recoding.
 */
#ifndef ANONOPT_RECODING_PARTS_H
#define ANONOPT_RECODING_PARTS_H

#include "base/prng.h"
#include "engine/kd_tree.h"
#include "engine/worker_pool.h"
#include "search/recoding.h"

/* ----------------------------------------- the time that a search may take */

/* Whether a moment has passed, or 0; then what comes next is left undone. */
static inline bool
recoding_past(const RecodingOrder *order, int64 moment)
{
	progress_tell();
	if (moment == 0 || GetCurrentTimestamp() < moment)
		return false;
	if (order->watch != NULL)
		order->watch->cut = true;
	return true;
}

/* Every phase asks before a step that takes long. */
static inline bool
recoding_is_over(const RecodingOrder *order)
{
	return recoding_past(order, order->deadline);
}

/* Reports what has been done, and asks. */
static inline bool
recoding_goes_on(const RecodingOrder *order, const char *did, const char *what, int64 done, int64 total)
{
	if (order->watch != NULL)
		progress_did(did, what, done, total);
	return !recoding_is_over(order);
}

/* ---------- the tuples that a search works on, and the loss of hulls of them */

#define NO_TUPLE PG_UINT32_MAX

/* From so many tuples on, a search begins with a part of them. */
#define MANY_TUPLES 131072

/* One attribute: codes are the numbers of its values among the tuples, in the order of the domain. */
typedef struct Axis
{
	uint32		ncodes;
	int			nlevels;		/* from min_level up */
	uint32	  **label;			/* by level and code */
	int32	  **level_loss;		/* by level and code: a person's loss */
	uint32	   *first;			/* by code: the first and last leaf under it */
	uint32	   *last;
	const Hierarchy *hierarchy;
	double		unit;			/* cost per person of a leaf, or a unit of
								 * width */
	int32		whole;			/* cost per person of all leaves */
	int32		most;			/* the total loss of a person */
	int			allowed;		/* number of levels up to max_level */
	int32	   *table;			/* by two codes, if there are few: the loss of
								 * showing them and all between */
	uint8	  **climb;			/* by power of two and code: the level that
								 * merges that many neighbours */
} Axis;

/* Tuples in an order in which neighbours are similar. */
typedef struct Ground
{
	const RecodingOrder *order;
	MemoryContext context;
	int			nattrs;
	int			ncolumns;		/* whose histograms matter */
	uint32		ntuples;
	uint32	   *tuple;			/* number in the population */
	uint32	   *rank;			/* position among the given tuples */
	uint32	   *codes;			/* nattrs per tuple */
	int64	   *people;
	Axis	   *axes;
	int64		suppressed_loss;	/* of a suppressed person */
	int64		whole_loss;		/* of a person, reported as 1 */
	int64		size_unit;		/* for dcn: cost of each pair in a class, or */
	int			size_shift;		/* of so many pairs, as a power of 2 */
	int64		minority_unit;	/* cost of a person outside the majority, for
								 * cm */
	int64		smallest;		/* least number of people of a class */
	bool		compares_shares;	/* a promise does: no size suffices */
	struct OutsideBoxes *outside;	/* people outside, if labels must match
									 * some, or NULL */
	int64		least_outside;	/* how many */
} Ground;

/* Creates the ground of some tuples of a population. */
extern Ground *ground_create(const RecodingOrder *order, MemoryContext context, const uint32 *tuples, uint32 ntuples);

/* Reorders the tuples: order[i] becomes tuple i. */
extern void ground_reorder(Ground *ground, const uint32 *order);

/* The loss of showing distant codes alike. */
extern int32 axis_span_far(const Axis *axis, uint32 low, uint32 high);

/* The loss of a person if all codes from low to high are shown alike. */
static inline int32
axis_span(const Axis *axis, uint32 low, uint32 high)
{
	if (axis->table != NULL)
		return axis->table[(Size) low * axis->ncodes + high];
	return axis_span_far(axis, low, high);
}

static inline const uint32 *
ground_codes(const Ground *ground, uint32 tuple)
{
	return ground->codes + (Size) tuple * ground->nattrs;
}

/* The loss of people as a class, except for costs that depend on counted columns. */
static inline int64
size_cost(const Ground *ground, int64 people, int64 loss)
{
	if (unlikely(ground->size_shift > 0))
		return people * loss + (int64) ((int128) people * people >> ground->size_shift);
	return people * (loss + people * ground->size_unit);
}

/* Their total loss, given a histogram of each column. */
extern int64 class_cost(const Ground *ground, int64 people, int64 loss, const uint32 *slices);

/* Whether the people in a hull may form a class. */
extern bool keeps_promise(const Ground *ground, const uint32 *hull, int64 people, const uint32 *slices);

/* The leaves under the labels of a hull, by attribute. */
extern void hull_runs(const Ground *ground, const uint32 *hull, uint32 *first_leaf, uint32 *leaves);

/* Whether labels cover all codes between the lowest and the highest of a hull. */
extern bool hull_has_labels(const Ground *ground, const uint32 *hull);

/* A hull: the lowest code of each attribute, then the highest. */
static inline void
hull_of_tuple(const Ground *ground, uint32 tuple, uint32 *hull)
{
	memcpy(hull, ground_codes(ground, tuple), sizeof(uint32) * ground->nattrs);
	memcpy(hull + ground->nattrs, ground_codes(ground, tuple), sizeof(uint32) * ground->nattrs);
}

static inline void
hull_extend(const Ground *ground, uint32 *hull, const uint32 *other)
{
	int			n = ground->nattrs;

	for (int a = 0; a < n; a++)
		hull[a] = Min(hull[a], other[a]);
	for (int a = n; a < 2 * n; a++)
		hull[a] = Max(hull[a], other[a]);
}

/* The loss of a person in a hull. */
static inline int64
hull_loss(const Ground *ground, const uint32 *hull)
{
	int64		loss = 0;

	for (int a = 0; a < ground->nattrs; a++)
		loss += axis_span(&ground->axes[a], hull[a], hull[ground->nattrs + a]);
	return loss;
}

/* The loss of a person in the hull around two hulls. */
static inline int64
joint_loss(const Ground *ground, const uint32 *hull, const uint32 *other)
{
	int			n = ground->nattrs;
	int64		loss = 0;

	for (int a = 0; a < n; a++)
		loss += axis_span(&ground->axes[a], Min(hull[a], other[a]), Max(hull[n + a], other[n + a]));
	return loss;
}

/* -------------------------------------- classes of tuples while they change */

typedef struct RecodingClass
{
	uint32		first;			/* of its tuples, linked by next; of a free
								 * number, the one freed before */
	uint32		ntuples;		/* 0: the number is free */
	int64		people;
	int64		loss;			/* per person */
	int64		cost;			/* of all, by the loss that is minimized */
} RecodingClass;

typedef struct DraftClasses
{
	const Ground *ground;
	uint32	   *class_of;		/* by tuple; NO_CLASS: none yet, or suppressed */
	uint32	   *next;			/* by tuple: the next one of its class */
	RecodingClass *classes;
	Size		room;			/* for classes, which may move when one is
								 * added */
	uint32		nclasses;		/* numbers in use or freed */
	uint32		free;			/* the number freed last */
	uint32		nfree;
	int64		cost;			/* of all classes and suppressed people */
	int64		suppressed;		/* people */
	int64		limit;			/* of people who may be suppressed */
	uint32	   *slices;			/* scratch, by column */
	HistogramMark *marks;
} DraftClasses;

extern DraftClasses *draft_classes_create(const Ground *ground);

/* Drops all classes and all suppression. */
extern void draft_classes_clear(DraftClasses *classes);

/*
 * Takes over classes with any numbers, as far as they keep the promise; they
 * are given by tuple, or by rank if ranks are given.
 */
extern void draft_classes_take_over(DraftClasses *classes, const uint32 *class_of, const uint32 *rank);

/* A class without tuples. */
extern uint32 class_add(DraftClasses *classes);

/* Adds a tuple without a class to one; the class must then be settled. */
extern void class_take(DraftClasses *classes, uint32 class, uint32 tuple);

/* Removes the tuple that a settled class took last. */
extern void class_take_back(DraftClasses *classes, uint32 class);

/* Computes a class's loss, once it has its tuples, and whether it keeps the promise. */
extern bool class_settle(DraftClasses *classes, uint32 class);

/* Suppress a tuple without a class, or all. */
extern void tuple_suppress(DraftClasses *classes, uint32 tuple);
extern void suppress_the_rest(DraftClasses *classes);

/* The hull around a class. */
extern void class_hull(const DraftClasses *classes, uint32 class, uint32 *hull);

/* Dissolves a class; its tuples are then without one. */
extern void class_drop(DraftClasses *classes, uint32 class);

/* -------------------- a k-d tree of tuples, which finds the nearest of each */

/* The number of tuples in a leaf of a tree for finding the nearest. */
#define TREE_LEAF 8

/* The number in a leaf of a tree that only puts many tuples in order. */
#define LEAF_OF_MANY 1024

/*
 * Sorts the ground's tuples into a tree, in whose order they then are, given
 * the most tuples of a leaf.
 */
extern KdTree *tuple_tree_create(Ground *ground, uint32 leaf);

/* Each tuple's nearest, found on demand. */
typedef struct Nearest
{
	const Ground *ground;
	const KdTree *tree;
	int			wanted;
	uint32	   *found;			/* by tuple, a fixed number each; NO_TUPLE if
								 * not found yet */
} Nearest;

extern Nearest *nearest_create(const Ground *ground, const KdTree *tree, int wanted);
extern void nearest_find(Nearest *nearest, uint32 tuple);

/*
 * The tuples with which a tuple would lose least as a class, nearest first. If
 * there are too few, the tuple itself fills the rest.
 */
static inline const uint32 *
nearest_tuples(Nearest *nearest, uint32 tuple)
{
	const uint32 *found = nearest->found + (Size) tuple * nearest->wanted;

	if (found[0] == NO_TUPLE)
		nearest_find(nearest, tuple);
	return found;
}

/* ----------------------------------------- merges a few tuples into classes */

/* Which of the classes that break the promise is merged first. */
typedef enum MergeOrder
{
	MERGE_CHEAPEST,
	MERGE_SMALLEST
} MergeOrder;

typedef struct Clustering
{
	const Ground *ground;
	int			room;
	int			nitems;
	uint32	   *items;			/* tuples */
	int		   *cluster_of;		/* by item: its initial cluster */
	int			most_clusters;
	int			nclusters;
	/* by cluster */
	uint32	   *hulls;
	int64	   *people;
	int64	   *loss;
	int64	   *cost;
	bool	   *kept;			/* the promise */
	uint32	   *slices;			/* by cluster and column */
	int		   *joined;			/* the cluster it was merged into, or itself */
	int		   *live;
	int			nlive;
	int		   *partner;		/* the cheapest cluster to merge with */
	int64	   *price;			/* of merging, by two clusters */
	HistogramMark *marks;
	struct Coarsening *coarsening;
} Clustering;

/* Creates a clustering, given the most tuples and the most initial clusters. */
extern Clustering *clustering_create(const Ground *ground, int room, int most_clusters);
extern void clustering_clear(Clustering *clustering);
extern void clustering_add(Clustering *clustering, uint32 tuple);

/*
 * Merges until every class keeps the promise.  Returns their total cost, or
 * PG_INT64_MAX, with one class left, if the promise cannot be kept.
 *
 * With randomness, prices are raised by up to noise/256, and if there are many
 * tuples, they start in clusters that some node shows alike.  Also returns
 * PG_INT64_MAX if those are too many.
 */
extern int64 clustering_merge(Clustering *clustering, MergeOrder order, Prng *prng, uint32 noise);

/* Turns the clusters into classes; their tuples must be without a class. */
extern void clustering_put(const Clustering *clustering, DraftClasses *classes);

/* ------------------------------- groups of tuples that a node shows alike */

/*
 * Groups are identified by a 64-bit hash of their labels; two with the same
 * hash by chance would be one, which loses more than necessary but is sound.
 */
typedef struct AlikeGroup
{
	uint64		hash;
	int64		people;
	uint32		round;			/* that it is of; others are free */
	uint32		number;			/* of its class or cluster; NO_CLASS at first */
} AlikeGroup;

typedef struct AlikeGroups
{
	AlikeGroup *groups;
	uint64		mask;
	uint32		round;			/* to be counted up to empty them */
} AlikeGroups;

/* Makes room for groups of up to a number of tuples, in the current context. */
extern void alike_groups_init(AlikeGroups *groups, const Ground *ground, Size room);

/* The group with a hash; a new one, if there is none and it may be added, or NULL. */
static inline AlikeGroup *
alike_group_of(AlikeGroups *groups, uint64 hash, bool adds)
{
	AlikeGroup *group;

	for (uint64 at = hash >> 32;; at++)
	{
		group = &groups->groups[at & groups->mask];
		if (group->round != groups->round)
			break;
		if (group->hash == hash)
			return group;
	}
	if (!adds)
		return NULL;
	*group = (AlikeGroup)
	{
		.hash = hash,.round = groups->round,.number = NO_CLASS
	};
	return group;
}

/* ------------------------------- the labels that a class can have, as vectors */

typedef struct VectorOrder
{
	int			nlevels[MAX_ATTRIBUTES];	/* that are used */
	int32	  **cost[MAX_ATTRIBUTES];	/* by level and code: a person's */
	int64		until;			/* a timestamp, or 0 */

	/*
	 * Visits the tuples that labels cover, of the first attributes or of all,
	 * and their cost; returns whether to go on with the next attribute.
	 */
	bool		(*visit) (void *arg, const uint32 *tuples, uint32 n, int64 cost, bool all);
	void	   *arg;
} VectorOrder;

/* Makes room for a number of elements, if anonopt.memory allows it. */
extern bool room_for(const Ground *ground, void **array, Size element, Size n, Size *room);

/*
 * Visits all closed vectors of labels that may matter, low levels first; returns
 * false if time has run out before the end.
 */
extern bool vectors_walk(const Ground *ground, const VectorOrder *order);

/* ----------------------------------------------- first answers for a search */

/*
 * Creates classes of nodes, those that lose least first; some tuples may be
 * left.  Takes a third of the time, since merging tuples gains more where
 * nodes leave many.
 */
extern void start_by_nodes(DraftClasses *classes);

/*
 * Creates the classes of the cheapest node that keeps the promise, suppressing
 * classes that break it; returns false if no visited node does at less than
 * the given cost.  Without such a cost, the deadline does not end the search
 * before there is a node.
 */
extern bool start_by_one_node(DraftClasses *classes, int64 below);

/*
 * Merges tuples without a class into classes; some may be left.  Once the
 * deadline has passed, the next tuples form classes in their order.
 */
extern void start_by_merging(DraftClasses *classes);

/*
 * Makes classes of the cheapest labels of all; some tuples may be left.  Returns
 * false if time has run out.
 */
extern bool start_by_classes(DraftClasses *classes, int64 until);

/* Merges the remaining tuples with the nearest classes; false if that is impossible. */
extern bool mend_classes(DraftClasses *classes);

/*
 * Merges wide classes that have fewer possible tuples than the population must
 * have; returns false if that is impossible.
 */
extern bool classes_raise(DraftClasses *classes, Nearest *nearest);

/* ------------------------------------ the best classes of the tuples of a few */

/* The most items, which have so many sets. */
#define ITEMS 9
#define SETS (1 << ITEMS)

typedef struct Regrouping
{
	const Ground *ground;
	int			room;
	int			ntuples;
	uint32	   *tuples;			/* part by part */
	int			nparts;			/* each has an item or several */
	int			start[ITEMS + 1];
	int			nitems;
	uint8	   *item_of;		/* by place in tuples */
	uint32	   *slices;			/* by item and column */
	uint32	   *joined;			/* scratch, by column */
	uint32	   *own;			/* scratch: histograms of an item's tuples */
	uint32	   *hulls;			/* by item */
	/* by set of items */
	uint32		low[SETS];		/* scratch: codes of an attribute */
	uint32		high[SETS];
	int64		people[SETS];
	int64		loss[SETS];
	int64		cost[SETS];		/* as a class */
	int64		raised[SETS];	/* that, with noise */
	int64		best[SETS];		/* of all partitions */
	uint16		block[SETS];	/* of the best, with the first item */
	/* by first item: sets that no split beats */
	uint16		blocks[ITEMS][SETS / 2];
	HistogramMark *marks;
} Regrouping;

/* Creates a regrouping, given the most tuples. */
extern Regrouping *regrouping_create(const Ground *ground, int room);
extern void regrouping_clear(Regrouping *regrouping);

/* Begins a part, at most ITEMS; then adds its tuples. */
extern void regrouping_begin_part(Regrouping *regrouping);
extern void regrouping_add(Regrouping *regrouping, uint32 tuple);

/*
 * Finds the best classes of random items, if the cost of each is raised by up to
 * some noise; returns their cost, or PG_INT64_MAX if one of them costs no less
 * than a limit and the noise.
 */
extern int64 regrouping_solve(Regrouping *regrouping, int64 below, int64 noise, Prng *prng);

/* Turns the best into classes; their tuples must be without a class. */
extern void regrouping_put(const Regrouping *regrouping, DraftClasses *classes);

/* ------------------ improves classes by dissolving some and rebuilding them */

typedef struct LocalSearch LocalSearch;

extern LocalSearch *local_search_create(DraftClasses *classes, const KdTree *tree, uint64 seed);

/*
 * Runs one round, or less if the deadline passes.  With heat, classes may get
 * worse, by about that share of what one costs on average.
 */
extern void local_search_round(LocalSearch *search, double heat);

#endif
