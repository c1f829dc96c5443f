/*
 * node_classes.h
 *	  Ways to the classes of a node: counted, cached, from a neighbour; and how many
 *	  there are at least.
 */
#ifndef ANONOPT_NODE_CLASSES_H
#define ANONOPT_NODE_CLASSES_H

#include "base/packed_key.h"
#include "engine/population.h"

/* -------------------- recodes keys and counts them: a fast way to unordered */

/* Neighbouring fields of a key's word that are translated at once. */
typedef struct Chunk
{
	int			first;			/* attributes, the least significant last */
	int			last;
	int			word;
	int			shift;
	uint64		mask;
	uint64	   *table;			/* from its bits to the new ones */
	Size		room;			/* for its entries */
} Chunk;

typedef struct ClassCounter
{
	MemoryContext context;
	const Population *population;
	int			nchunks;
	Chunk	   *chunks;
	uint64	   *stays;			/* by word: the bits that no chunk has */
	int			nused;			/* words that may differ */
	int		   *used;
	TupleTable	classes;		/* counted last, in the order of their first
								 * tuples, without columns */
	int			bits;			/* of a slot number */
	uint32	   *slots;			/* of a class: its number plus one; 0 if free */
} ClassCounter;

/* Prepares to count keys of a population, given the most at once. */
extern ClassCounter *class_counter_create(MemoryContext context, const Population *population, uint32 most_keys);

/*
 * Sets the new code of each code of the attributes that change, given the
 * numbers of codes; for so many keys.
 */
extern void class_counter_show(ClassCounter *counter, uint32 nkeys, const uint32 *const *codes, const uint32 *ncodes);

/* Keeps the codes of some attributes, and makes all others equal. */
extern void class_counter_keep(ClassCounter *counter, const int *attrs, int nattrs);

/* Counts recoded tuples; returns the class of each if requested. */
extern void class_counter_count(ClassCounter *counter, const TupleTable *tuples, uint32 *class_of);

/* Counts the classes of a coarser node from those of a finer one. */
extern void class_counter_recode(ClassCounter *counter, const TupleTable *finer, Recodings from, Recodings to, uint32 *class_of);

/* Looks up the classes of other tuples; NO_CLASS for one that was not counted. */
extern void class_counter_find(const ClassCounter *counter, const TupleTable *tuples, uint32 *class_of);

/* The class of a recoded key. */
extern uint32 class_counter_shown(const ClassCounter *counter, const uint64 *key);

/* Frees a counter; only the classes stay. */
extern TupleTable class_counter_end(ClassCounter *counter);

/* ---------------- classes of nodes visited in any order, each computed from */

typedef struct ClassCache ClassCache;

extern ClassCache *class_cache_create(Population *population);
extern void class_cache_free(ClassCache *cache);

/*
 * Returns the classes of a node, valid until the next call, and the recodings
 * of its attributes.
 */
extern const TupleTable *class_cache_classes(ClassCache *cache, const int *levels, Recodings *node);

/* --------------- classes of a sequence of nodes, each computed from what it */

typedef struct NodeWalk NodeWalk;

/* Whether attributes with the most levels come last in the order, or first. */
typedef enum WalkOrder
{
	MOST_LEVELS_LAST,
	MOST_LEVELS_FIRST
} WalkOrder;

extern NodeWalk *node_walk_create(Population *population, WalkOrder order);
extern void node_walk_free(NodeWalk *node_walk);

/* The attribute of each depth. */
extern const int *node_walk_order(const NodeWalk *node_walk);

/*
 * Returns the classes of a node within the declared levels, valid until the
 * next call, and the recodings of its attributes.  Cheapest if mostly the last
 * depths change, and upwards.
 */
extern const TupleTable *node_walk_classes(NodeWalk *node_walk, const int *levels, Recodings *node);

#endif
