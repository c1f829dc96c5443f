/*
 * key_sample.h
 *	  How often keys occur, of which there may be more than can be kept.
 */
#ifndef ANONOPT_KEY_SAMPLE_H
#define ANONOPT_KEY_SAMPLE_H

#include "base/compat.h"

struct samplekey_hash;

/*
 * Keys are known by their hashes.  All are counted while there is room; from
 * then on only those whose hashes end in so many zeros.  What is counted is
 * counted to the end, so the figures of the keys that are kept are exact, and
 * a share of 1 in 2^zeros of all.
 */
typedef struct KeySample
{
	struct samplekey_hash *table;
	uint32		room;			/* keys that may be kept */
	int			zeros;
	uint64		mask;			/* as many ones */
} KeySample;

/* What the keys are together; estimates where zeros is not 0. */
typedef struct KeyTotals
{
	double		keys;
	double		singles;		/* keys that occur once */
	double		pairs;			/* of two occurrences of one key, in either
								 * order */
} KeyTotals;

/* Bytes that a sample takes with so much room. */
extern Size key_sample_bytes(uint32 room);

extern void key_sample_init(KeySample *sample, MemoryContext context, uint32 room);
extern void key_sample_count(KeySample *sample, uint64 hash);
extern KeyTotals key_sample_totals(const KeySample *sample);

/* Counts a key; its hash is such that all bits differ between keys. */
static inline void
key_sample_add(KeySample *sample, uint64 hash)
{
	if ((hash & sample->mask) == 0)
		key_sample_count(sample, hash);
}

#endif
