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

#define NO_SLOT PG_UINT32_MAX

/* Neighbouring fields of a key's word that are translated at once. */
typedef struct Chunk
{
	int			first;			/* attributes, the least significant last */
	int			last;
	int			word;
	int			shift;
	uint64		mask;
	uint64	   *table;			/* from its bits to the new ones */
	uint64	   *spare;
} Chunk;

/* A slot for a class being counted; free if the count is 0. */
typedef struct Slot
{
	uint64		key;			/* the key if it has one word, otherwise the
								 * number of a tuple with it */
	int64		count;
} Slot;

/* Tuples: their keys, and the number of people of each. */
typedef struct Keys
{
	uint32		n;
	uint64	   *words;			/* nwords per key */
	int64	   *counts;
} Keys;

typedef struct ClassCounter
{
	MemoryContext context;
	int			nattrs;
	const KeyField *fields;
	int			nwords;
	int			nchunks;
	Chunk	   *chunks;
	int			bits;			/* of a slot number */
	Slot	   *slots;
	uint32		nused;
	uint32	   *used;			/* slots that are not free */
	uint64	   *shown;			/* keys of several words, recoded */
} ClassCounter;

/* Prepares to count keys with the given fields, given the most distinct ones. */
extern ClassCounter *class_counter_create(MemoryContext context, int nattrs, const KeyField *fields, int nwords,
										  uint32 most_keys);

/* Sets the new code of each code of every attribute, given their numbers. */
extern void class_counter_show(ClassCounter *counter, const uint32 *const *codes, const uint32 *ncodes);

/* Counts recoded keys; returns the slot of each if requested. */
extern void class_counter_count(ClassCounter *counter, const Keys *keys, uint32 *slot_of);

/* Looks up the slots of other keys; NO_SLOT for a key that was not counted. */
extern void class_counter_find(ClassCounter *counter, const Keys *keys, uint32 *slot_of);

/* The slot of a recoded key. */
extern uint32 class_counter_shown(const ClassCounter *counter, const uint64 *key);

/* A counted class's key. */
extern const uint64 *class_counter_key(const ClassCounter *counter, uint32 slot);

/* Frees all slots for the next count. */
extern void class_counter_clear(ClassCounter *counter);

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

/* ----------------- counts the people of a table's classes at every level of */

typedef struct LevelPeople LevelPeople;

/* For tables of a population in which persons may have several rows. */
extern LevelPeople *level_people_create(const Population *population, MemoryContext context);

/* Must be called when the table has changed. */
extern void level_people_forget(LevelPeople *people);

/*
 * The number of different people in each class after raising an attribute to a
 * level.  In the table, the attribute is at its lowest level and the least
 * significant one; a class is a run of tuples.  Valid until the next call.
 */
extern uint32 *level_people_of(LevelPeople *people, const TupleTable *table, int attr, int level);

#endif
