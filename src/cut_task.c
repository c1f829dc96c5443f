/*
 * cut_task.c
 *	  Cuts evaluated one by one, as a crew's work.
 *
 * What is asked of a cut are its smallest and its largest class.  All cuts of
 * a batch are coarser than one, their base, whose classes are made first.
 * As a population of cuts grows alike, its base has few classes, and every
 * evaluation is a pass over those.
 *
 * A group is named by its first label, so that classes of the base have keys
 * in the form of the tuples', and one translation serves both.  Fields of a
 * key are translated several at once: a table a chunk of the key's bits.
 */
#include "cut_task.h"

#include "budget.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

/* Bits of a key that are translated at once. */
#define CHUNK_BITS 11

/* Some neighbouring fields of a key. */
typedef struct Chunk
{
	int			first;			/* attributes, the least significant last */
	int			last;
	int			shift;
	uint64		mask;
	uint64	   *table;			/* of what its bits become */
	uint64	   *spare;
} Chunk;

/* Classes of one word's keys, with their sizes. */
typedef struct Sizes
{
	uint32		n;
	uint64	   *keys;
	int64	   *counts;
} Sizes;

/* A class that is being counted; free where the count is 0. */
typedef struct Slot
{
	uint64		key;
	int64		count;
} Slot;

typedef struct CutCounting
{
	CutSpace   *space;
	int			nwords;
	uint64	   *base_cut;
	Sizes		tuples;			/* at the lowest levels */
	Sizes		base;

	int			nchunks;
	Chunk	   *chunks;

	int			bits;			/* of a slot's number */
	Slot	   *slots;			/* a hash table of sizes */
	uint32	   *used;
	uint32		nused;
} CutCounting;

/* The shift of a field whose code needs no bit is of no use. */
static int
field_bits(const KeyField *field)
{
	return field->mask == 0 ? 0 : pg_leftmost_one_pos64(field->mask) + 1;
}

/* Parts the key's fields into chunks. */
static void
lay_out_chunks(CutCounting *counting)
{
	const Population *population = counting->space->population;
	int			bits = 0;

	counting->chunks = palloc0(sizeof(Chunk) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
	{
		const KeyField *field = &population->attrs[a].field;
		Chunk	   *chunk = &counting->chunks[Max(counting->nchunks - 1, 0)];

		if (counting->nchunks == 0 || bits + field_bits(field) > CHUNK_BITS)
		{
			chunk = &counting->chunks[counting->nchunks++];
			chunk->first = a;
			bits = 0;
		}
		bits += field_bits(field);
		chunk->last = a;
		if (field_bits(field) > 0)
			chunk->shift = field->shift;
		chunk->mask = (UINT64CONST(1) << bits) - 1;
	}
	for (int i = 0; i < counting->nchunks; i++)
	{
		Size		size = sizeof(uint64) * (counting->chunks[i].mask + 1);

		budget_require(population->context, 2 * size);
		counting->chunks[i].table = MemoryContextAllocHuge(population->context, size);
		counting->chunks[i].spare = MemoryContextAllocHuge(population->context, size);
	}
}

/* Makes a chunk's table: every code becomes its group's first label. */
static void
translate_chunk(const CutSpace *space, const uint64 *cut, Chunk *chunk)
{
	uint64		n = 1;

	chunk->table[0] = 0;
	for (int a = chunk->first; a <= chunk->last; a++)
	{
		const KeyField *field = &space->population->attrs[a].field;
		uint32		nlabels = space->first_bit[a + 1] - space->first_bit[a] + 1;
		uint64		width = field->mask + 1;
		uint64	   *swap = chunk->spare;

		for (uint64 upper = 0; upper < n; upper++)
		{
			uint64		group = 0;

			for (uint32 label = 0; label < nlabels; label++)
			{
				if (label > 0 && cut_has(cut, space->first_bit[a] + label - 1))
					group = label;
				chunk->spare[upper * width + label] = chunk->table[upper] | (group << field->shift);
			}
		}
		n *= width;
		chunk->spare = chunk->table;
		chunk->table = swap;
	}
}

static inline uint64
translate(const Chunk *chunks, int nchunks, uint64 key)
{
	uint64		translated = 0;

	for (int i = 0; i < nchunks; i++)
		translated |= chunks[i].table[(key >> chunks[i].shift) & chunks[i].mask];
	return translated;
}

/* Adds people to a class; returns how many slots are used then. */
static inline uint32
count_class(Slot *slots, int bits, uint32 *used, uint32 nused, uint64 key, int64 people)
{
	uint32		mask = (1u << bits) - 1;
	uint32		at = (uint32) ((key * UINT64CONST(0x9e3779b97f4a7c15)) >> (64 - bits));

	while (slots[at].count != 0 && slots[at].key != key)
		at = (at + 1) & mask;
	if (slots[at].count == 0)
	{
		slots[at].key = key;
		used[nused++] = at;
	}
	slots[at].count += people;
	return nused;
}

/* Counts a cut's classes, from those of a finer one. */
static void
count_classes(CutCounting *counting, const Sizes *finer, const uint64 *cut)
{
	const Chunk *chunks = counting->chunks;
	int			nchunks = counting->nchunks;
	Slot	   *slots = counting->slots;
	int			bits = counting->bits;
	uint32	   *used = counting->used;
	uint32		nused = 0;
	uint64		last = 0;
	int64		people = 0;

	for (int i = 0; i < nchunks; i++)
		translate_chunk(counting->space, cut, &counting->chunks[i]);
	for (uint32 i = 0; i < finer->n; i++)
	{
		uint64		key = translate(chunks, nchunks, finer->keys[i]);

		/* neighbours are often alike */
		if (key != last && people > 0)
		{
			nused = count_class(slots, bits, used, nused, last, people);
			people = 0;
		}
		last = key;
		people += finer->counts[i];
	}
	if (people > 0)
		nused = count_class(slots, bits, used, nused, last, people);
	counting->nused = nused;
}

/* Takes the counted classes out of the table. */
static void
take_classes(CutCounting *counting, Sizes *sizes)
{
	sizes->n = counting->nused;
	for (uint32 i = 0; i < counting->nused; i++)
	{
		Slot	   *slot = &counting->slots[counting->used[i]];

		sizes->keys[i] = slot->key;
		sizes->counts[i] = slot->count;
		slot->count = 0;
	}
}

static CutResult
take_extremes(CutCounting *counting)
{
	CutResult	result = {PG_INT64_MAX, 0};

	for (uint32 i = 0; i < counting->nused; i++)
	{
		Slot	   *slot = &counting->slots[counting->used[i]];

		result.smallest = Min(result.smallest, slot->count);
		result.largest = Max(result.largest, slot->count);
		slot->count = 0;
	}
	return result;
}

static bool
cut_covers(const uint64 *a, const uint64 *b, int nwords)
{
	for (int word = 0; word < nwords; word++)
		if (b[word] & ~a[word])
			return false;
	return true;
}

/* Makes a cut's classes the base. */
static void
change_base(CutCounting *counting, const uint64 *cut)
{
	const Sizes *from = counting->base.n > 0 && cut_covers(counting->base_cut, cut, counting->nwords) ?
	&counting->base : &counting->tuples;

	count_classes(counting, from, cut);
	take_classes(counting, &counting->base);
	memcpy(counting->base_cut, cut, sizeof(uint64) * counting->nwords);
}

static Sizes
sizes_create(MemoryContext context, uint32 room)
{
	Sizes		sizes = {0};

	budget_require(context, (sizeof(uint64) + sizeof(int64)) * ((Size) room + 1));
	sizes.keys = MemoryContextAllocHuge(context, sizeof(uint64) * ((Size) room + 1));
	sizes.counts = MemoryContextAllocHuge(context, sizeof(int64) * ((Size) room + 1));
	return sizes;
}

/* Room for twice as many classes as there are tuples. */
static void
create_table(CutCounting *counting, uint32 ntuples)
{
	MemoryContext context = counting->space->population->context;
	Size		size;

	counting->bits = Max(pg_ceil_log2_32(ntuples) + 1, 4);
	size = (Size) 1 << counting->bits;
	budget_require(context, size * (sizeof(Slot) + sizeof(uint32)));
	counting->slots = MemoryContextAllocExtended(context, sizeof(Slot) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	counting->used = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) ntuples + 1));
}

static const Recoding **
lowest_node(const Population *population)
{
	int			levels[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		levels[a] = population->attrs[a].min_level;
	return node_of_levels(population, levels);
}

static void *
begin_counting(Population *population, const void *argument)
{
	CutCounting *counting = palloc0(sizeof(CutCounting));
	TupleTable *lowest;

	counting->space = cut_space_create(population, false);
	counting->nwords = *(const int *) argument;
	counting->base_cut = palloc0(sizeof(uint64) * counting->nwords);
	if (population->nwords > 1)
		return counting;
	lowest = population_classes(population, lowest_node(population), population->context);
	counting->tuples.n = lowest->ntuples;
	counting->tuples.keys = lowest->keys;
	counting->tuples.counts = lowest->counts;
	counting->base = sizes_create(population->context, lowest->ntuples);
	create_table(counting, lowest->ntuples);
	lay_out_chunks(counting);
	return counting;
}

/* How an attribute is shown by a cut. */
static Recoding *
recoding_of_cut(const CutSpace *space, const uint64 *cut, int a)
{
	const Attribute *attr = &space->population->attrs[a];
	int			nbits = space->first_bit[a + 1] - space->first_bit[a];
	bool	   *keep = palloc(sizeof(bool) * (nbits + 1));

	for (int i = 0; i < nbits; i++)
		keep[i] = cut_has(cut, space->first_bit[a] + i);
	return recoding_cut(attr->hierarchy, &attr->hierarchy->levels[attr->min_level], keep);
}

/* The same where keys are wider than a word. */
static CutResult
count_wide(CutCounting *counting, const uint64 *cut)
{
	const Population *population = counting->space->population;
	MemoryContext context = AllocSetContextCreate(population->context, "anonopt cut", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);
	CutResult	result = {PG_INT64_MAX, 0};
	TupleTable *classes;

	for (int a = 0; a < population->nattrs; a++)
		node[a] = recoding_of_cut(counting->space, cut, a);
	classes = population_classes(population, node, context);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		result.smallest = Min(result.smallest, classes->counts[i]);
		result.largest = Max(result.largest, classes->counts[i]);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return result;
}

static void
evaluate_item(void *state, const void *item, void *result)
{
	CutCounting *counting = state;
	const uint64 *base = item;
	const uint64 *cut = base + counting->nwords;

	if (counting->space->population->nwords > 1)
	{
		*(CutResult *) result = count_wide(counting, cut);
		return;
	}
	if (counting->base.n == 0 || memcmp(base, counting->base_cut, sizeof(uint64) * counting->nwords) != 0)
		change_base(counting, base);
	count_classes(counting, &counting->base, cut);
	*(CutResult *) result = take_extremes(counting);
}

const CrewWork evaluate_cuts_work = {begin_counting, evaluate_item};
