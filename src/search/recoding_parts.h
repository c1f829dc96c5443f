/*
 * recoding_parts.h
 *	  Declarations shared by the steps of searching a recoding.
 */
#ifndef ANONOPT_RECODING_PARTS_H
#define ANONOPT_RECODING_PARTS_H

#include "base/prng.h"
#include "engine/worker_pool.h"
#include "search/recoding_ground.h"

/* -------------------------------------- classes of tuples while they change */

typedef struct RecodingClass
{
	uint32		first;			/* of its tuples, linked by next */
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
	uint32		nclasses;		/* numbers in use or freed */
	uint32	   *free;			/* freed numbers */
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

/*
 * Computes a class's loss, once it has its tuples, and whether it keeps the
 * promise.
 */
extern bool class_settle(DraftClasses *classes, uint32 class);

/* Suppresses a tuple without a class, or ends its suppression. */
extern void tuple_suppress(DraftClasses *classes, uint32 tuple);
extern void tuple_reinstate(DraftClasses *classes, uint32 tuple);

/* The box around a class. */
extern void class_box(const DraftClasses *classes, uint32 class, uint32 *box);

/* Dissolves a class; its tuples are then without one. */
extern void class_drop(DraftClasses *classes, uint32 class);

/* -------------------- A k-d tree of tuples, which finds the nearest of each */

/* The number of tuples in a leaf of a tree for finding the nearest. */
#define TREE_LEAF 8

/* A box of the tree: tuples from start to before end. */
typedef struct TreeBox
{
	uint32		start;
	uint32		end;
	uint32		left;			/* the boxes it is split into, or 0 */
	uint32		right;
} TreeBox;

typedef struct BoxTree
{
	uint32		nboxes;
	TreeBox    *boxes;			/* the root first, a box before its parts */
	uint32	   *bounds;			/* lowest and highest codes, by box */
} BoxTree;

/* Sorts the ground's tuples into a tree, given the most tuples of a leaf. */
extern BoxTree *box_tree_create(Ground *ground, uint32 leaf);

/* Each tuple's nearest, found on demand. */
typedef struct Nearest
{
	const Ground *ground;
	const BoxTree *tree;
	int			wanted;
	uint32	   *found;			/* by tuple, a fixed number each; NO_TUPLE if
								 * not found yet */
} Nearest;

extern Nearest *nearest_create(const Ground *ground, const BoxTree *tree, int wanted);
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

typedef struct Pool
{
	const Ground *ground;
	int			room;
	int			nitems;
	uint32	   *items;			/* tuples */
	int		   *cluster_of;		/* by item: its initial cluster */
	int			most_clusters;
	int			nclusters;
	/* by cluster */
	uint32	   *boxes;
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
} Pool;

/* Creates a pool, given the most tuples and the most initial clusters. */
extern Pool *pool_create(const Ground *ground, int room, int most_clusters);
extern void pool_clear(Pool *pool);
extern void pool_add(Pool *pool, uint32 tuple);

/*
 * Merges until every class keeps the promise.  Returns their total cost, or
 * PG_INT64_MAX, with one class left, if the promise cannot be kept.
 */
extern int64 pool_merge(Pool *pool, MergeOrder order);

/*
 * The same with randomness: prices are raised by up to noise/256, and if there
 * are many tuples, they start in clusters that some node shows alike.  Also
 * returns PG_INT64_MAX if those are too many.
 */
extern int64 pool_merge_by_chance(Pool *pool, MergeOrder order, Prng *prng, uint32 noise);

/* Turns the clusters into classes; their tuples must be without a class. */
extern void pool_put(const Pool *pool, DraftClasses *classes);

/* ----------------------------- clusters tuples that a node would show alike */

typedef struct Coarsening Coarsening;

/* Prepares for up to a number of tuples at a time. */
extern Coarsening *coarsening_create(const Ground *ground, int room);

/*
 * Computes the cluster number of each tuple and returns the number of
 * clusters, which is random, as is the choice of levels to raise.
 */
extern int	coarsen(Coarsening *coarsening, const uint32 *tuples, int ntuples, Prng *prng, int *cluster_of);

/* ----------------------------------------------- first answers for a search */

/*
 * Creates classes of nodes, those that lose least first; some tuples may be
 * left without one.
 */
extern void start_by_nodes(DraftClasses *classes);

/*
 * Creates the classes of the cheapest node that keeps the promise, suppressing
 * classes that break it; returns false if no visited node does at less than
 * the given cost.  With such a cost, the watch may end the search.
 */
extern bool start_by_one_node(DraftClasses *classes, int64 below, const RecodingWatch *watch);

/* Merges tuples without a class into classes; some may be left. */
extern void start_by_merging(DraftClasses *classes);

/*
 * Merges the remaining tuples with the nearest classes; returns false if that
 * is impossible.
 */
extern bool mend_classes(DraftClasses *classes);

/* ------------------ improves classes by dissolving some and rebuilding them */

typedef struct LocalSearch LocalSearch;

extern LocalSearch *local_search_create(DraftClasses *classes, const BoxTree *tree, uint64 seed);

/* Runs one round, or less if the watch ends the search; returns the gain. */
extern int64 local_search_round(LocalSearch *search, const RecodingWatch *watch);

/* ---------------- the worker-pool task that improves the classes of a block */

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

/* Reports the loss to the watch. */
extern void tell_loss(const RecodingWatch *watch, const DraftClasses *classes);

/* Improves classes until rounds gain too little, or the watch ends the search. */
extern void better_classes(DraftClasses *classes, const BoxTree *tree, uint64 seed, const RecodingWatch *watch);

/* The work of a pool. */
extern const struct PoolWork recode_block_work;

#endif
