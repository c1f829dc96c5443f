/*
 * class_counter.c
 *	  Recodes keys and counts them: a fast way to unordered classes.
 *
 * Several fields of a key are translated at once, with one table per chunk of
 * the key's bits: two or three lookups per tuple.  A table larger than the
 * number of keys would take longer to fill than it saves.  Classes are counted
 * in arrays, and found through a table of their numbers.
 */
#include "engine/node_classes.h"

#include "base/budget.h"
#include "miscadmin.h"

/* The most bits of a key translated at once, unless a field has more. */
#define CHUNK_BITS 11

/*
 * Bits of a slot number for a number of keys; less than half of the slots are
 * ever used.
 */
static int
slot_bits(uint32 nkeys)
{
	return Min(pg_leftmost_one_pos32(Max(nkeys, 1)) + 2, 32);
}

ClassCounter *
class_counter_create(MemoryContext context, const Population *population, uint32 most_keys)
{
	ClassCounter *counter = MemoryContextAllocZero(context, sizeof(ClassCounter));
	Size		nslots = (Size) 1 << slot_bits(most_keys);
	Size		room = (Size) most_keys + 1;

	counter->context = context;
	counter->population = population;
	counter->chunks = MemoryContextAllocZero(context, sizeof(Chunk) * population->nattrs);
	counter->stays = MemoryContextAlloc(context, sizeof(uint64) * population->nwords);
	counter->used = MemoryContextAlloc(context, sizeof(int) * population->nwords);
	budget_require(context, sizeof(uint32) * nslots + (sizeof(uint64) * population->nwords + sizeof(int64)) * room);
	counter->slots = MemoryContextAllocHuge(context, sizeof(uint32) * nslots);
	counter->classes.keys = MemoryContextAllocHuge(context, sizeof(uint64) * population->nwords * room);
	counter->classes.counts = MemoryContextAllocHuge(context, sizeof(int64) * room);
	return counter;
}

/* Maps each combination of the codes of a chunk's fields to the new codes. */
static void
fill_chunk(const ClassCounter *counter, Chunk *chunk, const uint32 *const *codes, const uint32 *ncodes)
{
	uint64		n = 1;

	if (chunk->room <= chunk->mask)
	{
		Size		size = sizeof(uint64) * (chunk->mask + 1);

		if (chunk->room > 0)
			pfree(chunk->table);
		budget_require(counter->context, size);
		chunk->table = MemoryContextAllocExtended(counter->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		chunk->room = chunk->mask + 1;
	}
	chunk->table[0] = 0;
	for (int a = chunk->first; a <= chunk->last; a++)
	{
		const KeyField *field = &counter->population->attrs[a].field;
		uint64		width = field->mask + 1;

		/* in place, from the end: what is read is never overwritten before */
		for (uint64 upper = n; upper-- > 0;)
		{
			uint64		shown = chunk->table[upper];

			for (uint32 code = 0; code < ncodes[a]; code++)
				chunk->table[upper * width + code] = shown | ((uint64) codes[a][code] << field->shift);
		}
		n *= width;
	}
}

void
class_counter_show(ClassCounter *counter, uint32 nkeys, const uint32 *const *codes, const uint32 *ncodes)
{
	int			most_bits = Min(CHUNK_BITS, pg_leftmost_one_pos32(Max(nkeys, 1)));
	Chunk	   *chunk = NULL;
	int			bits = 0;

	memset(counter->stays, 0xff, sizeof(uint64) * counter->population->nwords);
	for (counter->nused = 0; counter->nused < counter->population->nwords; counter->nused++)
		counter->used[counter->nused] = counter->nused;
	counter->nchunks = 0;
	for (int a = 0; a < counter->population->nattrs; a++)
	{
		const KeyField *field = &counter->population->attrs[a].field;
		int			field_bits;

		/* a field without bits has no meaningful shift either */
		if (codes[a] == NULL || field->mask == 0)
		{
			chunk = NULL;
			continue;
		}
		field_bits = pg_leftmost_one_pos64(field->mask) + 1;
		if (chunk == NULL || field->word != chunk->word || bits + field_bits > most_bits)
		{
			chunk = &counter->chunks[counter->nchunks++];
			chunk->first = a;
			chunk->word = field->word;
			bits = 0;
		}
		bits += field_bits;
		chunk->last = a;
		chunk->shift = field->shift;
		chunk->mask = (UINT64CONST(1) << bits) - 1;
		counter->stays[field->word] &= ~(field->mask << field->shift);
	}
	for (int i = 0; i < counter->nchunks; i++)
		fill_chunk(counter, &counter->chunks[i], codes, ncodes);
}

void
class_counter_keep(ClassCounter *counter, const int *attrs, int nattrs)
{
	memset(counter->stays, 0, sizeof(uint64) * counter->population->nwords);
	counter->nchunks = 0;
	for (int i = 0; i < nattrs; i++)
	{
		const KeyField *field = &counter->population->attrs[attrs[i]].field;

		counter->stays[field->word] |= field->mask << field->shift;
	}
	counter->nused = 0;
	for (int word = 0; word < counter->population->nwords; word++)
		if (counter->stays[word] != 0)
			counter->used[counter->nused++] = word;
}

void
class_counter_recode(ClassCounter *counter, const TupleTable *tuples, Recodings from, Recodings to, uint32 *class_of)
{
	int			nattrs = counter->population->nattrs;
	uint32	   *codes[MAX_ATTRIBUTES] = {0};
	uint32		ncodes[MAX_ATTRIBUTES] = {0};

	for (int a = 0; a < nattrs; a++)
	{
		ncodes[a] = from[a]->nlabels;
		if (from[a] == to[a])
			continue;
		codes[a] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) ncodes[a] + 1));
		for (uint32 code = 0; code < ncodes[a]; code++)
			codes[a][code] = to[a]->label_of[from[a]->first_leaf[code]];
	}
	class_counter_show(counter, tuples->ntuples, (const uint32 *const *) codes, ncodes);
	class_counter_count(counter, tuples, class_of);
	for (int a = 0; a < nattrs; a++)
		if (codes[a] != NULL)
			pfree(codes[a]);
}

/* The slot of a recoded key of one word, or the free slot where it belongs. */
static inline uint32
probe_narrow(const uint32 *slots, int bits, const uint64 *words, uint64 key)
{
	uint32		mask = (uint32) ((UINT64CONST(1) << bits) - 1);
	uint32		at = (uint32) ((key * UINT64CONST(0x9e3779b97f4a7c15)) >> (64 - bits));

	while (slots[at] != 0 && words[slots[at] - 1] != key)
		at = (at + 1) & mask;
	return at;
}

/* Counts keys of one word; compiled for a number of chunks. */
static pg_attribute_always_inline void
count_narrow(ClassCounter *counter, const TupleTable *tuples, int nchunks, uint32 *class_of)
{
	const Chunk *chunks = counter->chunks;
	uint64		stays = counter->stays[0];
	uint32	   *slots = counter->slots;
	uint64	   *words = counter->classes.keys;
	int64	   *counts = counter->classes.counts;
	int			bits = counter->bits;
	uint32		nclasses = 0;

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		uint64		key = tuples->keys[i] & stays;
		uint32		at;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int c = 0; c < nchunks; c++)
			key |= chunks[c].table[(tuples->keys[i] >> chunks[c].shift) & chunks[c].mask];
		at = probe_narrow(slots, bits, words, key);
		if (slots[at] == 0)
		{
			words[nclasses] = key;
			counts[nclasses] = 0;
			slots[at] = ++nclasses;
		}
		counts[slots[at] - 1] += tuples->counts[i];
		if (class_of != NULL)
			class_of[i] = slots[at] - 1;
	}
	counter->classes.ntuples = nclasses;
}

static void
show_key(const ClassCounter *counter, const uint64 *key, uint64 *shown)
{
	for (int word = 0; word < counter->population->nwords; word++)
		shown[word] = key[word] & counter->stays[word];
	for (int i = 0; i < counter->nchunks; i++)
	{
		const Chunk *chunk = &counter->chunks[i];

		shown[chunk->word] |= chunk->table[(key[chunk->word] >> chunk->shift) & chunk->mask];
	}
}

/* The slot of a recoded key of any width. */
static uint32
probe(const ClassCounter *counter, const uint64 *key)
{
	int			nwords = counter->population->nwords;
	const uint64 *words = counter->classes.keys;
	uint32		mask = (uint32) ((UINT64CONST(1) << counter->bits) - 1);
	uint64		hash = 0;
	uint32		at;

	if (nwords == 1)
		return probe_narrow(counter->slots, counter->bits, words, key[0]);
	for (int i = 0; i < counter->nused; i++)
		hash = word_hash(hash ^ key[counter->used[i]]);
	for (at = (uint32) (hash >> (64 - counter->bits)); counter->slots[at] != 0; at = (at + 1) & mask)
	{
		const uint64 *other = words + (Size) (counter->slots[at] - 1) * nwords;
		int			same = 0;

		while (same < counter->nused && other[counter->used[same]] == key[counter->used[same]])
			same++;
		if (same == counter->nused)
			break;
	}
	return at;
}

/* Each key is recoded to where it stays if it is a new class's. */
static void
count_wide(ClassCounter *counter, const TupleTable *tuples, uint32 *class_of)
{
	int			nwords = counter->population->nwords;
	TupleTable *classes = &counter->classes;

	classes->ntuples = 0;
	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		uint64	   *shown = classes->keys + (Size) classes->ntuples * nwords;
		uint32		at;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		show_key(counter, tuples->keys + (Size) i * nwords, shown);
		at = probe(counter, shown);
		if (counter->slots[at] == 0)
		{
			classes->counts[classes->ntuples] = 0;
			counter->slots[at] = ++classes->ntuples;
		}
		classes->counts[counter->slots[at] - 1] += tuples->counts[i];
		if (class_of != NULL)
			class_of[i] = counter->slots[at] - 1;
	}
}

void
class_counter_count(ClassCounter *counter, const TupleTable *tuples, uint32 *class_of)
{
	counter->bits = slot_bits(tuples->ntuples);
	memset(counter->slots, 0, sizeof(uint32) << counter->bits);
	if (counter->population->nwords > 1)
		count_wide(counter, tuples, class_of);
	else if (counter->nchunks == 1)
		count_narrow(counter, tuples, 1, class_of);
	else if (counter->nchunks == 2)
		count_narrow(counter, tuples, 2, class_of);
	else if (counter->nchunks == 3)
		count_narrow(counter, tuples, 3, class_of);
	else
		count_narrow(counter, tuples, counter->nchunks, class_of);
}

uint32
class_counter_shown(const ClassCounter *counter, const uint64 *key)
{
	uint32		at = probe(counter, key);

	return counter->slots[at] == 0 ? NO_CLASS : counter->slots[at] - 1;
}

void
class_counter_find(const ClassCounter *counter, const TupleTable *tuples, uint32 *class_of)
{
	uint64	   *shown = palloc(sizeof(uint64) * counter->population->nwords);

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		show_key(counter, tuples->keys + (Size) i * counter->population->nwords, shown);
		class_of[i] = class_counter_shown(counter, shown);
	}
	pfree(shown);
}

TupleTable
class_counter_end(ClassCounter *counter)
{
	TupleTable	classes = counter->classes;

	for (int i = 0; i < counter->population->nattrs; i++)
		if (counter->chunks[i].room > 0)
			pfree(counter->chunks[i].table);
	classes.keys = repalloc_huge(classes.keys, sizeof(uint64) * counter->population->nwords * ((Size) classes.ntuples + 1));
	classes.counts = repalloc_huge(classes.counts, sizeof(int64) * ((Size) classes.ntuples + 1));
	pfree(counter->chunks);
	pfree(counter->stays);
	pfree(counter->used);
	pfree(counter->slots);
	pfree(counter);
	return classes;
}
