/*
 * key_counter.c
 *	  Distinct keys of a few 64-bit words, numbered in order of arrival, each
 *	  with a count.
 *
 * The hash table holds only numbers; the keys stand in one array.  To look up
 * a key, the caller writes it behind the last one and asks for its number, so
 * that adding a new key needs no copy.
 */
#include "base/key_counter.h"

#include "base/budget.h"
#include "base/packed_key.h"
#include "common/int.h"

/* Kept to eight bytes, because there are many. */
typedef struct KeyCounterEntry
{
	uint32		number;
	uint32		hash:31;
	uint32		status:1;
} KeyCounterEntry;

static inline uint32
key_counter_hash(const KeyCounter *counter, uint32 number)
{
	const uint64 *key = counter->keys + (Size) number * counter->nwords;
	uint64		hash = word_hash(key[0]);

	for (int word = 1; word < counter->nwords; word++)
		hash = word_hash(hash ^ key[word]);
	return (uint32) (hash >> 33);
}

static inline bool
key_counter_equal(const KeyCounter *counter, uint32 a, uint32 b)
{
	const uint64 *x = counter->keys + (Size) a * counter->nwords;
	const uint64 *y = counter->keys + (Size) b * counter->nwords;

	for (int word = 0; word < counter->nwords; word++)
		if (x[word] != y[word])
			return false;
	return true;
}

#define SH_PREFIX keyindex
#define SH_ELEMENT_TYPE KeyCounterEntry
#define SH_KEY_TYPE uint32
#define SH_KEY number
#define SH_HASH_KEY(tb, key) key_counter_hash((KeyCounter *) (tb)->private_data, key)
#define SH_EQUAL(tb, a, b) key_counter_equal((KeyCounter *) (tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

KeyCounter *
key_counter_create(MemoryContext context, int nwords, uint32 expected)
{
	KeyCounter *counter = MemoryContextAlloc(context, sizeof(KeyCounter));

	counter->context = context;
	counter->nwords = nwords;
	counter->nkeys = 0;
	counter->capacity = (Size) expected + 1;
	budget_require(context, counter->capacity * (sizeof(uint64) * nwords + sizeof(int64) + 2 * sizeof(KeyCounterEntry)));
	counter->keys = MemoryContextAllocHuge(context, sizeof(uint64) * nwords * counter->capacity);
	counter->counts = MemoryContextAllocHuge(context, sizeof(int64) * counter->capacity);
	counter->index = keyindex_create(context, expected, counter);
	return counter;
}

/* Makes room for one more key. */
static void
key_counter_grow(KeyCounter *counter)
{
	Size		capacity = counter->capacity;

	if (counter->nkeys >= PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("data set has too many distinct tuples"),
				 errhint("Start from coarser values.")));
	counter->keys = budget_grow(counter->context, counter->keys, sizeof(uint64) * counter->nwords, &capacity);
	counter->counts = budget_grow(counter->context, counter->counts, sizeof(int64), &counter->capacity);
	counter->capacity = capacity;
}

uint32
key_counter_add(KeyCounter *counter, int64 count)
{
	KeyCounterEntry *entry;
	bool		found;

	if (counter->index->members >= counter->index->grow_threshold)
		budget_require(counter->context, counter->index->size * 2 * sizeof(KeyCounterEntry));

	entry = keyindex_insert(counter->index, counter->nkeys, &found);
	if (found)
	{
		if (pg_add_s64_overflow(counter->counts[entry->number], count, &counter->counts[entry->number]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("data set stands for too many people")));
		return entry->number;
	}
	counter->counts[counter->nkeys++] = count;
	if (counter->nkeys >= counter->capacity)
		key_counter_grow(counter);
	return counter->nkeys - 1;
}

uint32
key_counter_find(KeyCounter *counter)
{
	KeyCounterEntry *entry = keyindex_lookup(counter->index, counter->nkeys);

	return entry == NULL ? PG_UINT32_MAX : entry->number;
}

void
key_counter_close(KeyCounter *counter)
{
	keyindex_destroy(counter->index);
	counter->index = NULL;
}
