/*
 * tally.c
 *	  Distinct keys of a few 64-bit words, numbered as they come, each with
 *	  a count.
 *
 * The hash table holds only numbers; the keys stand in one array.  A key is
 * looked up by writing it behind the last one and asking for its number, so
 * that adding a new key costs no copy.
 */
#include "tally.h"

#include "budget.h"
#include "common/int.h"
#include "key.h"

typedef struct TallyEntry
{
	uint32		number;
	uint32		hash;
	char		status;
} TallyEntry;

static inline uint32
tally_hash(const Tally *tally, uint32 number)
{
	const uint64 *key = tally->keys + (Size) number * tally->nwords;
	uint64		hash = word_hash(key[0]);

	for (int word = 1; word < tally->nwords; word++)
		hash = word_hash(hash ^ key[word]);
	return (uint32) (hash >> 32);
}

static inline bool
tally_equal(const Tally *tally, uint32 a, uint32 b)
{
	const uint64 *x = tally->keys + (Size) a * tally->nwords;
	const uint64 *y = tally->keys + (Size) b * tally->nwords;

	for (int word = 0; word < tally->nwords; word++)
		if (x[word] != y[word])
			return false;
	return true;
}

#define SH_PREFIX tallyindex
#define SH_ELEMENT_TYPE TallyEntry
#define SH_KEY_TYPE uint32
#define SH_KEY number
#define SH_HASH_KEY(tb, key) tally_hash((Tally *) (tb)->private_data, key)
#define SH_EQUAL(tb, a, b) tally_equal((Tally *) (tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

Tally *
tally_create(MemoryContext context, int nwords, uint32 expected)
{
	Tally	   *tally = MemoryContextAlloc(context, sizeof(Tally));

	tally->context = context;
	tally->nwords = nwords;
	tally->nkeys = 0;
	tally->capacity = (Size) expected + 1;
	budget_require(context, tally->capacity * (sizeof(uint64) * nwords + sizeof(int64) + 2 * sizeof(TallyEntry)));
	tally->keys = MemoryContextAllocHuge(context, sizeof(uint64) * nwords * tally->capacity);
	tally->counts = MemoryContextAllocHuge(context, sizeof(int64) * tally->capacity);
	tally->index = tallyindex_create(context, expected, tally);
	return tally;
}

/* Makes room for one key more. */
static void
tally_grow(Tally *tally)
{
	Size		capacity = tally->capacity;

	if (tally->nkeys >= PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("data set has too many distinct tuples"),
				 errhint("Start from coarser values.")));
	tally->keys = budget_grow(tally->context, tally->keys, sizeof(uint64) * tally->nwords, &capacity);
	tally->counts = budget_grow(tally->context, tally->counts, sizeof(int64), &tally->capacity);
	tally->capacity = capacity;
}

uint32
tally_add(Tally *tally, int64 count)
{
	TallyEntry *entry;
	bool		found;

	if (tally->index->members >= tally->index->grow_threshold)
		budget_require(tally->context, tally->index->size * 2 * sizeof(TallyEntry));

	entry = tallyindex_insert(tally->index, tally->nkeys, &found);
	if (found)
	{
		if (pg_add_s64_overflow(tally->counts[entry->number], count, &tally->counts[entry->number]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("data set stands for too many people")));
		return entry->number;
	}
	tally->counts[tally->nkeys++] = count;
	if (tally->nkeys >= tally->capacity)
		tally_grow(tally);
	return tally->nkeys - 1;
}

uint32
tally_find(Tally *tally)
{
	TallyEntry *entry = tallyindex_lookup(tally->index, tally->nkeys);

	return entry == NULL ? PG_UINT32_MAX : entry->number;
}

void
tally_close(Tally *tally)
{
	tallyindex_destroy(tally->index);
	tally->index = NULL;
}
