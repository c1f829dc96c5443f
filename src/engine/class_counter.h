/*
 * class_counter.h
 *	  Recodes keys and counts them: a fast way to unordered classes.
 */
#ifndef ANONOPT_CLASS_COUNTER_H
#define ANONOPT_CLASS_COUNTER_H

#include "base/packed_key.h"

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

#endif
