/*
 * tally.h
 *	  Distinct keys of a few 64-bit words, numbered as they come, each with
 *	  a count.
 */
#ifndef ANONOPT_TALLY_H
#define ANONOPT_TALLY_H

#include "postgres.h"

struct tallyindex_hash;

typedef struct Tally
{
	MemoryContext context;
	int			nwords;			/* words a key */
	uint32		nkeys;
	Size		capacity;		/* keys there is room for, the candidate
								 * included */
	uint64	   *keys;
	int64	   *counts;
	struct tallyindex_hash *index;
} Tally;

/* An empty tally that lives, and is counted, in a memory context. */
extern Tally *tally_create(MemoryContext context, int nwords, uint32 expected);

/* Adds to the count of the candidate key; returns its number. */
extern uint32 tally_add(Tally *tally, int64 count);

/* Gives up finding keys; those there are stay. */
extern void tally_close(Tally *tally);

/* The number of the candidate key, or PG_UINT32_MAX if it is not there. */
extern uint32 tally_find(Tally *tally);

/* The place where the next key is to be written, before tally_add. */
static inline uint64 *
tally_candidate(Tally *tally)
{
	return tally->keys + (Size) tally->nkeys * tally->nwords;
}

#endif
