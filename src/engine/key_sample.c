/*
 * key_sample.c
 *	  Frequencies of keys, of which there may be too many to keep.
 *
 * A random sample of rows says little about how many people are unique:
 * someone with a twin in the table mostly has none in the sample.  So keys are
 * sampled instead, by their hashes, each with all its rows; then it is known
 * whether a key is unique.
 */
#include "engine/key_sample.h"

#include <math.h>

#include "port/pg_bitutils.h"

typedef struct SampledKey
{
	uint64		hash;
	int64		count;
	char		status;
} SampledKey;

/* the lowest bits of all kept hashes are zero */
#define SH_PREFIX samplekey
#define SH_ELEMENT_TYPE SampledKey
#define SH_KEY_TYPE uint64
#define SH_KEY hash
#define SH_HASH_KEY(table, key) ((uint32) ((key) >> 32))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Initial number of keys of a table. */
#define FIRST_ROOM 64

Size
key_sample_bytes(uint32 room)
{
	/*
	 * a table is at most 90 % full and its size is a power of two; while it
	 * grows, the old one exists too
	 */
	return sizeof(SampledKey) * pg_nextpower2_64(room + room / 8 + FIRST_ROOM) * 3 / 2;
}

void
key_sample_init(KeySample *sample, MemoryContext context, uint32 room)
{
	memset(sample, 0, sizeof(KeySample));
	sample->table = samplekey_create(context, FIRST_ROOM, NULL);
	sample->room = room;
}

/* Keeps only half of the keys, by requiring one more zero. */
static void
halve(KeySample *sample)
{
	samplekey_hash *all = sample->table;
	samplekey_iterator iterator;
	SampledKey *key;

	sample->zeros++;
	sample->mask = (UINT64CONST(1) << sample->zeros) - 1;
	sample->table = samplekey_create(all->ctx, all->members / 2 + FIRST_ROOM, NULL);
	samplekey_start_iterate(all, &iterator);
	while ((key = samplekey_iterate(all, &iterator)) != NULL)
	{
		bool		found;

		if ((key->hash & sample->mask) == 0)
			samplekey_insert(sample->table, key->hash, &found)->count = key->count;
	}
	samplekey_destroy(all);
}

void
key_sample_add(KeySample *sample, uint64 hash)
{
	bool		found;
	SampledKey *key;

	if ((hash & sample->mask) != 0)
		return;
	key = samplekey_insert(sample->table, hash, &found);
	key->count = found ? key->count + 1 : 1;
	while (sample->table->members > sample->room)
		halve(sample);
}

KeyTotals
key_sample_totals(const KeySample *sample)
{
	KeyTotals	totals = {0};
	samplekey_iterator iterator;
	SampledKey *key;

	samplekey_start_iterate(sample->table, &iterator);
	while ((key = samplekey_iterate(sample->table, &iterator)) != NULL)
	{
		totals.keys++;
		totals.singles += key->count == 1 ? 1 : 0;
		totals.pairs += (double) key->count * (key->count - 1);
	}
	totals.keys = ldexp(totals.keys, sample->zeros);
	totals.singles = ldexp(totals.singles, sample->zeros);
	totals.pairs = ldexp(totals.pairs, sample->zeros);
	return totals;
}
