/*
 * class_counter.h
 *	  Keys shown by other codes, and counted: classes in no order, fast.
 */
#ifndef ANONOPT_CLASS_COUNTER_H
#define ANONOPT_CLASS_COUNTER_H

#include "base/packed_key.h"

#define NO_SLOT PG_UINT32_MAX

/* Some neighbouring fields of a key's word, translated at once. */
typedef struct Chunk
{
	int			first;			/* attributes, the least significant last */
	int			last;
	int			word;
	int			shift;
	uint64		mask;
	uint64	   *table;			/* of what its bits become */
	uint64	   *spare;
} Chunk;

/* A class that is being counted; free where the count is 0. */
typedef struct Slot
{
	uint64		key;			/* of one word, else the number of a tuple
								 * that has it */
	int64		count;
} Slot;

/* Tuples: their keys and how many people each stands for. */
typedef struct Keys
{
	uint32		n;
	uint64	   *words;			/* nwords a key */
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
	int			bits;			/* of a slot's number */
	Slot	   *slots;
	uint32		nused;
	uint32	   *used;			/* slots that are not free */
	uint64	   *shown;			/* keys of several words, as they are shown */
} ClassCounter;

/* Prepares to count keys of such fields, so many distinct ones at most. */
extern ClassCounter *class_counter_create(MemoryContext context, int nattrs, const KeyField *fields, int nwords,
										  uint32 most_keys);

/* Shows every attribute's codes, so many each, by other codes. */
extern void class_counter_show(ClassCounter *counter, const uint32 *const *codes, const uint32 *ncodes);

/* Counts keys as they are shown; tells each one's slot, if that is wanted. */
extern void class_counter_count(ClassCounter *counter, const Keys *keys, uint32 *slot_of);

/* The slots of other keys among those counted; NO_SLOT where there is none. */
extern void class_counter_find(ClassCounter *counter, const Keys *keys, uint32 *slot_of);

/* The slot of a key as it is shown. */
extern uint32 class_counter_shown(const ClassCounter *counter, const uint64 *key);

/* A counted class's key. */
extern const uint64 *class_counter_key(const ClassCounter *counter, uint32 slot);

/* Frees all slots for the next count. */
extern void class_counter_clear(ClassCounter *counter);

#endif
