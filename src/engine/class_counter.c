/*
 * class_counter.c
 *	  Recodes keys and counts them: a fast way to unordered classes.
 *
 * Several fields of a key are translated at once, with one table per chunk of
 * the key's bits: two or three lookups per tuple.  Classes are counted in a
 * table of slots that is reused from one count to the next; only used slots
 * are cleared.
 */
#include "engine/node_classes.h"

#include "base/budget.h"
#include "port/pg_bitutils.h"

/* Bits of a key translated at once. */
#define CHUNK_BITS 11

static int
field_bits(const KeyField *field)
{
	return field->mask == 0 ? 0 : pg_leftmost_one_pos64(field->mask) + 1;
}

/* Divides the fields into chunks, none across two words. */
static void
lay_out_chunks(ClassCounter *counter)
{
	int			bits = 0;

	counter->chunks = palloc0(sizeof(Chunk) * counter->nattrs);
	for (int a = 0; a < counter->nattrs; a++)
	{
		const KeyField *field = &counter->fields[a];
		Chunk	   *chunk = &counter->chunks[Max(counter->nchunks - 1, 0)];

		if (counter->nchunks == 0 || bits + field_bits(field) > CHUNK_BITS || field->word != chunk->word)
		{
			chunk = &counter->chunks[counter->nchunks++];
			chunk->first = a;
			chunk->word = field->word;
			bits = 0;
		}
		bits += field_bits(field);
		chunk->last = a;
		/* the shift of a field without bits is meaningless */
		if (field_bits(field) > 0)
			chunk->shift = field->shift;
		chunk->mask = (UINT64CONST(1) << bits) - 1;
	}
	for (int i = 0; i < counter->nchunks; i++)
	{
		Size		size = sizeof(uint64) * (counter->chunks[i].mask + 1);

		budget_require(counter->context, 2 * size);
		counter->chunks[i].table = MemoryContextAllocExtended(counter->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		counter->chunks[i].spare = MemoryContextAllocExtended(counter->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
}

ClassCounter *
class_counter_create(MemoryContext context, int nattrs, const KeyField *fields, int nwords, uint32 most_keys)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ClassCounter *counter = palloc0(sizeof(ClassCounter));
	Size		size;

	counter->context = context;
	counter->nattrs = nattrs;
	counter->fields = fields;
	counter->nwords = nwords;
	lay_out_chunks(counter);
	/* at most four slots in five are ever used */
	counter->bits = Max(pg_ceil_log2_32(Max(most_keys, 1) / 4 * 5 + 2), 4);
	size = (Size) 1 << counter->bits;
	budget_require(context, size * (sizeof(Slot) + sizeof(uint32)) +
				   (nwords > 1 ? sizeof(uint64) * nwords * (Size) most_keys : 0));
	counter->slots = MemoryContextAllocExtended(context, sizeof(Slot) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	counter->used = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) most_keys + 1));
	if (nwords > 1)
		counter->shown = MemoryContextAllocHuge(context, sizeof(uint64) * nwords * ((Size) most_keys + 1));
	MemoryContextSwitchTo(old);
	return counter;
}

/*
 * Builds a chunk's table, which maps each combination of its fields' codes to
 * the new codes.
 */
static void
show_chunk(const ClassCounter *counter, Chunk *chunk, const uint32 *const *codes, const uint32 *ncodes)
{
	uint64		n = 1;

	chunk->table[0] = 0;
	for (int a = chunk->first; a <= chunk->last; a++)
	{
		const KeyField *field = &counter->fields[a];
		uint64		width = field->mask + 1;
		uint64	   *swap = chunk->spare;

		for (uint64 upper = 0; upper < n; upper++)
			for (uint32 code = 0; code < ncodes[a]; code++)
				chunk->spare[upper * width + code] = chunk->table[upper] | ((uint64) codes[a][code] << field->shift);
		n *= width;
		chunk->spare = chunk->table;
		chunk->table = swap;
	}
}

void
class_counter_show(ClassCounter *counter, const uint32 *const *codes, const uint32 *ncodes)
{
	for (int i = 0; i < counter->nchunks; i++)
		show_chunk(counter, &counter->chunks[i], codes, ncodes);
}

static inline uint64
show_word(const Chunk *chunks, int nchunks, uint64 word)
{
	uint64		shown = 0;

	for (int i = 0; i < nchunks; i++)
		shown |= chunks[i].table[(word >> chunks[i].shift) & chunks[i].mask];
	return shown;
}

/* The slot of a key of one word, or the free slot where it belongs. */
static inline uint32
probe(const Slot *slots, int bits, uint64 key)
{
	uint32		mask = (1u << bits) - 1;
	uint32		at = (uint32) ((key * UINT64CONST(0x9e3779b97f4a7c15)) >> (64 - bits));

	while (slots[at].count != 0 && slots[at].key != key)
		at = (at + 1) & mask;
	return at;
}

static void
count_narrow(ClassCounter *counter, const Keys *keys, uint32 *slot_of)
{
	const Chunk *chunks = counter->chunks;
	int			nchunks = counter->nchunks;
	Slot	   *slots = counter->slots;
	int			bits = counter->bits;
	uint32	   *used = counter->used;
	uint32		nused = 0;
	uint64		last = 0;
	uint32		at = 0;

	for (uint32 i = 0; i < keys->n; i++)
	{
		uint64		key = show_word(chunks, nchunks, keys->words[i]);

		/* neighbours are often equal */
		if (i == 0 || key != last)
		{
			at = probe(slots, bits, key);
			if (slots[at].count == 0)
			{
				slots[at].key = key;
				used[nused++] = at;
			}
			last = key;
		}
		slots[at].count += keys->counts[i];
		if (slot_of != NULL)
			slot_of[i] = at;
	}
	counter->nused = nused;
}

static void
show_key(const ClassCounter *counter, const uint64 *key, uint64 *shown)
{
	memset(shown, 0, sizeof(uint64) * counter->nwords);
	for (int i = 0; i < counter->nchunks; i++)
	{
		const Chunk *chunk = &counter->chunks[i];

		shown[chunk->word] |= chunk->table[(key[chunk->word] >> chunk->shift) & chunk->mask];
	}
}

/* The same as probe for a key of several words. */
static uint32
probe_wide(const ClassCounter *counter, const uint64 *key)
{
	uint32		mask = (1u << counter->bits) - 1;
	uint64		hash = word_hash(key[0]);
	uint32		at;

	for (int word = 1; word < counter->nwords; word++)
		hash = word_hash(hash ^ key[word]);
	for (at = (uint32) (hash >> 32) & mask; counter->slots[at].count != 0; at = (at + 1) & mask)
		if (memcmp(class_counter_key(counter, at), key, sizeof(uint64) * counter->nwords) == 0)
			break;
	return at;
}

static void
count_wide(ClassCounter *counter, const Keys *keys, uint32 *slot_of)
{
	counter->nused = 0;
	for (uint32 i = 0; i < keys->n; i++)
	{
		uint64	   *shown = counter->shown + (Size) i * counter->nwords;
		uint32		at;

		show_key(counter, keys->words + (Size) i * counter->nwords, shown);
		at = probe_wide(counter, shown);
		if (counter->slots[at].count == 0)
		{
			counter->slots[at].key = i;
			counter->used[counter->nused++] = at;
		}
		counter->slots[at].count += keys->counts[i];
		if (slot_of != NULL)
			slot_of[i] = at;
	}
}

void
class_counter_count(ClassCounter *counter, const Keys *keys, uint32 *slot_of)
{
	if (counter->nwords == 1)
		count_narrow(counter, keys, slot_of);
	else
		count_wide(counter, keys, slot_of);
}

uint32
class_counter_shown(const ClassCounter *counter, const uint64 *key)
{
	uint32		at = counter->nwords == 1 ? probe(counter->slots, counter->bits, key[0]) : probe_wide(counter, key);

	return counter->slots[at].count == 0 ? NO_SLOT : at;
}

void
class_counter_find(ClassCounter *counter, const Keys *keys, uint32 *slot_of)
{
	uint64	   *shown = palloc(sizeof(uint64) * counter->nwords);

	for (uint32 i = 0; i < keys->n; i++)
	{
		show_key(counter, keys->words + (Size) i * counter->nwords, shown);
		slot_of[i] = class_counter_shown(counter, shown);
	}
	pfree(shown);
}

const uint64 *
class_counter_key(const ClassCounter *counter, uint32 slot)
{
	const Slot *at = &counter->slots[slot];

	return counter->nwords == 1 ? &at->key : counter->shown + at->key * counter->nwords;
}

void
class_counter_clear(ClassCounter *counter)
{
	for (uint32 i = 0; i < counter->nused; i++)
		counter->slots[counter->used[i]].count = 0;
	counter->nused = 0;
}
