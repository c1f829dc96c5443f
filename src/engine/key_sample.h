/*
 * key_sample.h
 *	  Frequencies of keys, of which there may be too many to keep.
 */
#ifndef ANONOPT_KEY_SAMPLE_H
#define ANONOPT_KEY_SAMPLE_H

#include "base/compat.h"

struct samplekey_hash;

/*
 * Keys are identified by their hashes.  All are counted while there is room;
 * after that, only those whose hashes end in a number of zeros.  A kept key
 * was counted from the beginning, so the figures of kept keys are exact, and
 * they are a share of 1 in 2^zeros of all.
 */
typedef struct KeySample
{
	struct samplekey_hash *table;
	uint32		room;			/* keys that may be kept */
	int			zeros;
	uint64		mask;			/* as many ones */
} KeySample;

/* Figures of all keys; estimates unless zeros is 0. */
typedef struct KeyTotals
{
	double		keys;
	double		singles;		/* keys that occur once */
	double		pairs;			/* pairs of occurrences of the same key, in
								 * either order */
} KeyTotals;

/* Bytes that a sample with this much room needs. */
extern Size key_sample_bytes(uint32 room);

extern void key_sample_init(KeySample *sample, MemoryContext context, uint32 room);

/* Counts a key by its hash, all of whose bits must be well mixed. */
extern void key_sample_add(KeySample *sample, uint64 hash);

extern KeyTotals key_sample_totals(const KeySample *sample);

#endif
