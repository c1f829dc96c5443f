/*
 * regroup.c
 *	  Keys shown by other codes, and counted: classes in no order, fast.
 *
 * Fields of a key are translated several at once, a table a chunk of the
 * key's bits: two or three look-ups a tuple.  Classes are counted in a table
 * of slots that stays from one count to the next; only used slots are freed.
 */
#include "regroup.h"

#include "budget.h"
#include "port/pg_bitutils.h"

/* Bits of a key that are translated at once. */
#define CHUNK_BITS 11

static int
field_bits(const KeyField *field)
{
	return field->mask == 0 ? 0 : pg_leftmost_one_pos64(field->mask) + 1;
}

/* Parts the fields into chunks, none across two words. */
static void
lay_out_chunks(Regroup *regroup)
{
	int			bits = 0;

	regroup->chunks = palloc0(sizeof(Chunk) * regroup->nattrs);
	for (int a = 0; a < regroup->nattrs; a++)
	{
		const KeyField *field = &regroup->fields[a];
		Chunk	   *chunk = &regroup->chunks[Max(regroup->nchunks - 1, 0)];

		if (regroup->nchunks == 0 || bits + field_bits(field) > CHUNK_BITS || field->word != chunk->word)
		{
			chunk = &regroup->chunks[regroup->nchunks++];
			chunk->first = a;
			chunk->word = field->word;
			bits = 0;
		}
		bits += field_bits(field);
		chunk->last = a;
		/* the shift of a field without bits says nothing */
		if (field_bits(field) > 0)
			chunk->shift = field->shift;
		chunk->mask = (UINT64CONST(1) << bits) - 1;
	}
	for (int i = 0; i < regroup->nchunks; i++)
	{
		Size		size = sizeof(uint64) * (regroup->chunks[i].mask + 1);

		budget_require(regroup->context, 2 * size);
		regroup->chunks[i].table = MemoryContextAllocExtended(regroup->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		regroup->chunks[i].spare = MemoryContextAllocExtended(regroup->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
}

Regroup *
regroup_create(MemoryContext context, int nattrs, const KeyField *fields, int nwords, uint32 most_keys)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Regroup    *regroup = palloc0(sizeof(Regroup));
	Size		size;

	regroup->context = context;
	regroup->nattrs = nattrs;
	regroup->fields = fields;
	regroup->nwords = nwords;
	lay_out_chunks(regroup);
	/* at most four slots in five are ever used */
	regroup->bits = Max(pg_ceil_log2_32(Max(most_keys, 1) / 4 * 5 + 2), 4);
	size = (Size) 1 << regroup->bits;
	budget_require(context, size * (sizeof(Slot) + sizeof(uint32)) +
				   (nwords > 1 ? sizeof(uint64) * nwords * (Size) most_keys : 0));
	regroup->slots = MemoryContextAllocExtended(context, sizeof(Slot) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	regroup->used = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) most_keys + 1));
	if (nwords > 1)
		regroup->shown = MemoryContextAllocHuge(context, sizeof(uint64) * nwords * ((Size) most_keys + 1));
	MemoryContextSwitchTo(old);
	return regroup;
}

/* Makes a chunk's table: for all codes of its fields together, what they become. */
static void
show_chunk(const Regroup *regroup, Chunk *chunk, const uint32 *const *codes, const uint32 *ncodes)
{
	uint64		n = 1;

	chunk->table[0] = 0;
	for (int a = chunk->first; a <= chunk->last; a++)
	{
		const KeyField *field = &regroup->fields[a];
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
regroup_show(Regroup *regroup, const uint32 *const *codes, const uint32 *ncodes)
{
	for (int i = 0; i < regroup->nchunks; i++)
		show_chunk(regroup, &regroup->chunks[i], codes, ncodes);
}

static inline uint64
show_word(const Chunk *chunks, int nchunks, uint64 word)
{
	uint64		shown = 0;

	for (int i = 0; i < nchunks; i++)
		shown |= chunks[i].table[(word >> chunks[i].shift) & chunks[i].mask];
	return shown;
}

/* The slot that holds a key of one word, or the free one where it would stand. */
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
count_narrow(Regroup *regroup, const Keys *keys, uint32 *slot_of)
{
	const Chunk *chunks = regroup->chunks;
	int			nchunks = regroup->nchunks;
	Slot	   *slots = regroup->slots;
	int			bits = regroup->bits;
	uint32	   *used = regroup->used;
	uint32		nused = 0;
	uint64		last = 0;
	uint32		at = 0;

	for (uint32 i = 0; i < keys->n; i++)
	{
		uint64		key = show_word(chunks, nchunks, keys->words[i]);

		/* neighbours are often alike */
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
	regroup->nused = nused;
}

static void
show_key(const Regroup *regroup, const uint64 *key, uint64 *shown)
{
	memset(shown, 0, sizeof(uint64) * regroup->nwords);
	for (int i = 0; i < regroup->nchunks; i++)
	{
		const Chunk *chunk = &regroup->chunks[i];

		shown[chunk->word] |= chunk->table[(key[chunk->word] >> chunk->shift) & chunk->mask];
	}
}

/* The same as probe for a key of several words. */
static uint32
probe_wide(const Regroup *regroup, const uint64 *key)
{
	uint32		mask = (1u << regroup->bits) - 1;
	uint64		hash = word_hash(key[0]);
	uint32		at;

	for (int word = 1; word < regroup->nwords; word++)
		hash = word_hash(hash ^ key[word]);
	for (at = (uint32) (hash >> 32) & mask; regroup->slots[at].count != 0; at = (at + 1) & mask)
		if (memcmp(regroup_key(regroup, at), key, sizeof(uint64) * regroup->nwords) == 0)
			break;
	return at;
}

static void
count_wide(Regroup *regroup, const Keys *keys, uint32 *slot_of)
{
	regroup->nused = 0;
	for (uint32 i = 0; i < keys->n; i++)
	{
		uint64	   *shown = regroup->shown + (Size) i * regroup->nwords;
		uint32		at;

		show_key(regroup, keys->words + (Size) i * regroup->nwords, shown);
		at = probe_wide(regroup, shown);
		if (regroup->slots[at].count == 0)
		{
			regroup->slots[at].key = i;
			regroup->used[regroup->nused++] = at;
		}
		regroup->slots[at].count += keys->counts[i];
		if (slot_of != NULL)
			slot_of[i] = at;
	}
}

void
regroup_count(Regroup *regroup, const Keys *keys, uint32 *slot_of)
{
	if (regroup->nwords == 1)
		count_narrow(regroup, keys, slot_of);
	else
		count_wide(regroup, keys, slot_of);
}

uint32
regroup_shown(const Regroup *regroup, const uint64 *key)
{
	uint32		at = regroup->nwords == 1 ? probe(regroup->slots, regroup->bits, key[0]) : probe_wide(regroup, key);

	return regroup->slots[at].count == 0 ? NO_SLOT : at;
}

void
regroup_find(Regroup *regroup, const Keys *keys, uint32 *slot_of)
{
	uint64	   *shown = palloc(sizeof(uint64) * regroup->nwords);

	for (uint32 i = 0; i < keys->n; i++)
	{
		show_key(regroup, keys->words + (Size) i * regroup->nwords, shown);
		slot_of[i] = regroup_shown(regroup, shown);
	}
	pfree(shown);
}

const uint64 *
regroup_key(const Regroup *regroup, uint32 slot)
{
	const Slot *at = &regroup->slots[slot];

	return regroup->nwords == 1 ? &at->key : regroup->shown + at->key * regroup->nwords;
}

void
regroup_clear(Regroup *regroup)
{
	for (uint32 i = 0; i < regroup->nused; i++)
		regroup->slots[regroup->used[i]].count = 0;
	regroup->nused = 0;
}
