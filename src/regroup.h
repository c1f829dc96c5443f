/*
 * regroup.h
 *	  Keys shown by other codes, and counted: classes in no order, fast.
 */
#ifndef ANONOPT_REGROUP_H
#define ANONOPT_REGROUP_H

#include "key.h"

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

typedef struct Regroup
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
} Regroup;

/* Prepares to count keys of such fields, so many distinct ones at most. */
extern Regroup *regroup_create(MemoryContext context, int nattrs, const KeyField *fields, int nwords,
							   uint32 most_keys);

/* Shows every attribute's codes, so many each, by other codes. */
extern void regroup_show(Regroup *regroup, const uint32 *const *codes, const uint32 *ncodes);

/* Counts keys as they are shown; tells each one's slot, if that is wanted. */
extern void regroup_count(Regroup *regroup, const Keys *keys, uint32 *slot_of);

/* The slots of other keys among those counted; NO_SLOT where there is none. */
extern void regroup_find(Regroup *regroup, const Keys *keys, uint32 *slot_of);

/* The slot of a key as it is shown. */
extern uint32 regroup_shown(const Regroup *regroup, const uint64 *key);

/* A counted class's key. */
extern const uint64 *regroup_key(const Regroup *regroup, uint32 slot);

/* Frees all slots for the next count. */
extern void regroup_clear(Regroup *regroup);

#endif
