/*
 * key_counter.h
 *	  Distinct keys of a few 64-bit words, numbered in order of arrival, each
 *	  with a count.
 */
#ifndef ANONOPT_KEY_COUNTER_H
#define ANONOPT_KEY_COUNTER_H

#include "postgres.h"

struct keyindex_hash;

typedef struct KeyCounter
{
	MemoryContext context;
	int			nwords;			/* words per key */
	uint32		nkeys;
	Size		capacity;		/* keys there is room for, including the
								 * candidate */
	uint64	   *keys;
	int64	   *counts;
	struct keyindex_hash *index;
} KeyCounter;

/* Creates an empty counter in a memory context, whose budget applies. */
extern KeyCounter *key_counter_create(MemoryContext context, int nwords, uint32 expected);

/* Adds to the count of the candidate key; returns its number. */
extern uint32 key_counter_add(KeyCounter *counter, int64 count);

/* Ends lookups and frees the hash table; the keys stay. */
extern void key_counter_close(KeyCounter *counter);

/* The number of the candidate key, or PG_UINT32_MAX if it is not there. */
extern uint32 key_counter_find(KeyCounter *counter);

/* The place where the next key is to be written, before key_counter_add. */
static inline uint64 *
key_counter_candidate(KeyCounter *counter)
{
	return counter->keys + (Size) counter->nkeys * counter->nwords;
}

#endif
