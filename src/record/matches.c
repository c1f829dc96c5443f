/*
 * matches.c
 *	  Counts the entries of a dictionary that match a generalized tuple.
 *
 * A node's classes are counted once for all tuples.  If labels need only be
 * similar, the classes that match one are found by trying all combinations of
 * similar labels, or all classes, whichever are fewer, and only once per
 * class.
 */
#include "record/matches.h"

#include "base/budget.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* For each label of a level, the similar labels. */
typedef struct AlikeLabels
{
	uint32	   *start;			/* by label, in others */
	uint32	   *others;
} AlikeLabels;

struct Matches
{
	MemoryContext context;
	const Population *population;
	const EntryTable *entries;	/* NULL for the population's own */
	KeyField   *fields;
	int			nwords;
	Keys		entry_keys;
	Keys		tuple_keys;
	ClassCounter *class_counter;
	uint32	   *slot_of;		/* by tuple */

	/* for the population's own entries, if a person may have several */
	int64	   *people;			/* by slot: different people */
	uint32	   *ends;			/* by slot: of its tuples in together */
	uint32	   *together;		/* persons' classes, slot by slot */

	const int  *levels;

	double		similarity;		/* 0 if labels must be equal */
	AlikeLabels **alike;		/* by attribute and level; made when needed */
	int64	   *fitting;		/* by slot, -1 if not known yet */
	Keys		one;			/* a key to look up */
};

/*
 * Lays out keys with one additional code per attribute, for values without a
 * leaf.
 */
static void
lay_out(Matches *m)
{
	int			left = 0;

	m->fields = palloc(sizeof(KeyField) * m->population->nattrs);
	m->nwords = 0;
	for (int a = 0; a < m->population->nattrs; a++)
		m->fields[a] = key_add_field(&m->nwords, &left, (uint64) m->population->attrs[a].hierarchy->nleaves + 1);
}

static uint64 *
new_words(const Matches *m, uint32 n)
{
	Size		size = sizeof(uint64) * m->nwords * ((Size) n + 1);

	budget_require(m->population->context, size);
	return MemoryContextAllocExtended(m->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* The population's tuples in that layout. */
static void
make_tuple_keys(Matches *m)
{
	const Population *population = m->population;
	const TupleTable *tuples = population->tuples;

	m->tuple_keys.n = tuples->ntuples;
	m->tuple_keys.counts = tuples->counts;
	m->tuple_keys.words = new_words(m, tuples->ntuples);
	for (uint32 i = 0; i < tuples->ntuples; i++)
		for (int a = 0; a < population->nattrs; a++)
			key_put(m->tuple_keys.words + (Size) i * m->nwords, &m->fields[a],
					key_get(tuples->keys + (Size) i * population->nwords, &population->attrs[a].field));
}

/* The population is its own dictionary, so its keys are used. */
static void
take_own_keys(Matches *m)
{
	const Population *population = m->population;

	m->fields = palloc(sizeof(KeyField) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
		m->fields[a] = population->attrs[a].field;
	m->nwords = population->nwords;
	m->tuple_keys.n = population->tuples->ntuples;
	m->tuple_keys.counts = population->tuples->counts;
	m->tuple_keys.words = population->tuples->keys;
	m->entry_keys = m->tuple_keys;
}

static void
make_entry_keys(Matches *m)
{
	const EntryTable *entries = m->entries;
	int			nattrs = m->population->nattrs;

	m->entry_keys.n = entries->nentries;
	m->entry_keys.counts = entries->counts;
	m->entry_keys.words = new_words(m, entries->nentries);
	for (uint32 i = 0; i < entries->nentries; i++)
		for (int a = 0; a < nattrs; a++)
		{
			uint32		leaf = entries->leaves[(Size) i * nattrs + a];

			key_put(m->entry_keys.words + (Size) i * m->nwords, &m->fields[a],
					leaf == NO_LEAF ? m->population->attrs[a].hierarchy->nleaves : leaf);
		}
}

/* Prepares to count different people. */
static void
prepare_people(Matches *m)
{
	Size		nslots = (Size) 1 << m->class_counter->bits;
	Size		ntuples = m->population->tuples->ntuples;

	budget_require(m->population->context, (sizeof(int64) + sizeof(uint32)) * nslots + sizeof(uint32) * (ntuples + 1));
	m->people = MemoryContextAllocHuge(m->context, sizeof(int64) * nslots);
	m->ends = MemoryContextAllocHuge(m->context, sizeof(uint32) * nslots);
	m->together = MemoryContextAllocHuge(m->context, sizeof(uint32) * (ntuples + 1));
}

bool
counts_persons(const Population *population, const EntryTable *entries)
{
	return entries == NULL && population->has_persons;
}

Matches *
matches_create(const Population *population, const EntryTable *entries, double similarity)
{
	Matches    *m = palloc0(sizeof(Matches));
	uint32		ntuples = population->tuples->ntuples;

	m->context = CurrentMemoryContext;
	m->population = population;
	m->entries = entries;
	m->similarity = similarity;
	if (entries == NULL)
		take_own_keys(m);
	else
	{
		lay_out(m);
		make_tuple_keys(m);
		make_entry_keys(m);
	}
	m->class_counter = class_counter_create(m->context, population->nattrs, m->fields, m->nwords, m->entry_keys.n);
	budget_require(population->context, sizeof(uint32) * (Size) ntuples);
	m->slot_of = MemoryContextAllocHuge(m->context, sizeof(uint32) * ((Size) ntuples + 1));
	if (counts_persons(population, entries))
		prepare_people(m);
	if (similarity > 0)
	{
		Size		nslots = (Size) 1 << m->class_counter->bits;

		m->alike = palloc0(sizeof(AlikeLabels *) * population->nattrs);
		for (int a = 0; a < population->nattrs; a++)
			m->alike[a] = palloc0(sizeof(AlikeLabels) * (population->attrs[a].hierarchy->height + 1));
		budget_require(population->context, sizeof(int64) * nslots);
		m->fitting = MemoryContextAllocHuge(m->context, sizeof(int64) * nslots);
		m->one.n = 1;
		m->one.words = palloc(sizeof(uint64) * m->nwords);
	}
	return m;
}

/* Counts the different people of every class. */
static void
count_people(Matches *m)
{
	const Population *population = m->population;
	const uint32 *slices = population->tuples->slices[population->ncolumns - 1];
	const uint32 *used = m->class_counter->used;
	uint32		nused = m->class_counter->nused;
	uint32		start = 0;

	for (uint32 i = 0; i < nused; i++)
		m->ends[used[i]] = 0;
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		m->ends[m->slot_of[i]]++;
	for (uint32 i = 0; i < nused; i++)
	{
		uint32		ntuples = m->ends[used[i]];

		m->ends[used[i]] = start;
		start += ntuples;
	}
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		m->together[m->ends[m->slot_of[i]]++] = slices[i];
	start = 0;
	for (uint32 i = 0; i < nused; i++)
	{
		m->people[used[i]] = persons_together(population_persons(population), m->together + start, m->ends[used[i]] - start,
											  PG_INT64_MAX);
		start = m->ends[used[i]];
	}
}

/* A label's characters; NULL is similar only to itself. */
typedef struct Spelling
{
	bool		isnull;
	int			n;
	uint32	   *characters;
} Spelling;

static bool
are_alike(const Spelling *a, const Spelling *b, double similarity)
{
	if (a->isnull || b->isnull)
		return false;
	return jaro(a->characters, a->n, b->characters, b->n) >= similarity;
}

/* Finds the similar labels of a level. */
static void
compare_labels(Matches *m, int a, int level)
{
	const Hierarchy *hierarchy = m->population->attrs[a].hierarchy;
	uint32		nlabels = hierarchy->levels[level].nlabels;
	MemoryContext context = AllocSetContextCreate(m->context, "anonopt labels", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Spelling   *spellings = MemoryContextAllocHuge(context, sizeof(Spelling) * ((Size) nlabels + 1));
	AlikeLabels *alike = &m->alike[a][level];
	Size		capacity = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < nlabels; i++)
	{
		const char *label = hierarchy->labels[level][i];

		spellings[i].isnull = label == NULL;
		if (label != NULL)
			spellings[i].n = characters_of(label, strlen(label), &spellings[i].characters);
	}
	alike->start = MemoryContextAllocHuge(m->context, sizeof(uint32) * ((Size) nlabels + 1));
	for (uint32 i = 0; i < nlabels; i++)
	{
		CHECK_FOR_INTERRUPTS();
		alike->start[i] = n;
		for (uint32 j = 0; j < nlabels; j++)
		{
			if (i != j && !are_alike(&spellings[i], &spellings[j], m->similarity))
				continue;
			if (n == capacity)
				alike->others = budget_grow(m->context, alike->others, sizeof(uint32), &capacity);
			alike->others[n++] = j;
		}
	}
	alike->start[nlabels] = n;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Maps an attribute's leaves to labels; a value without a leaf stays separate. */
static void
show_attribute(const Matches *m, int a, int level, uint32 **codes, uint32 *ncodes)
{
	const Hierarchy *hierarchy = m->population->attrs[a].hierarchy;
	const Recoding *recoding = &hierarchy->levels[level];

	*ncodes = hierarchy->nleaves + (m->entries == NULL ? 0 : 1);
	*codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) *ncodes + 1));
	memcpy(*codes, recoding->label_of, sizeof(uint32) * hierarchy->nleaves);
	/* unless the label covers the whole domain */
	if (m->entries != NULL)
		(*codes)[hierarchy->nleaves] = recoding->nlabels == 1 ? 0 : hierarchy->nleaves;
}

void
matches_go(Matches *m, const int *levels)
{
	uint32	   *codes[MAX_ATTRIBUTES];
	uint32		ncodes[MAX_ATTRIBUTES];

	m->levels = levels;
	for (int a = 0; a < m->population->nattrs; a++)
	{
		show_attribute(m, a, levels[a], &codes[a], &ncodes[a]);
		if (m->similarity > 0 && m->alike[a][levels[a]].start == NULL)
			compare_labels(m, a, levels[a]);
	}
	class_counter_show(m->class_counter, (const uint32 *const *) codes, ncodes);
	class_counter_clear(m->class_counter);
	class_counter_count(m->class_counter, &m->entry_keys, m->entries == NULL ? m->slot_of : NULL);
	if (m->similarity > 0)
		memset(m->fitting, 0xff, sizeof(int64) * ((Size) 1 << m->class_counter->bits));
	if (m->entries != NULL)
		class_counter_find(m->class_counter, &m->tuple_keys, m->slot_of);
	if (m->people != NULL)
		count_people(m);
	for (int a = 0; a < m->population->nattrs; a++)
		pfree(codes[a]);
}

/* Adds up the classes whose labels are similar from an attribute on. */
static int64
count_combinations(Matches *m, const uint32 *labels, int a)
{
	const AlikeLabels *alike;
	int64		count = 0;

	if (a == m->population->nattrs)
	{
		uint32		slot = class_counter_shown(m->class_counter, m->one.words);

		return slot == NO_SLOT ? 0 : m->class_counter->slots[slot].count;
	}
	alike = &m->alike[a][m->levels[a]];
	for (uint32 i = alike->start[labels[a]]; i < alike->start[labels[a] + 1]; i++)
	{
		uint64	   *word = &m->one.words[m->fields[a].word];
		uint64		kept = *word;

		key_put(m->one.words, &m->fields[a], alike->others[i]);
		count += count_combinations(m, labels, a + 1);
		*word = kept;
	}
	return count;
}

static bool
is_alike(const AlikeLabels *alike, uint32 label, uint32 other)
{
	for (uint32 i = alike->start[label]; i < alike->start[label + 1]; i++)
		if (alike->others[i] == other)
			return true;
	return false;
}

/* The same by checking every class. */
static int64
count_classes(const Matches *m, const uint32 *labels)
{
	int64		count = 0;

	for (uint32 i = 0; i < m->class_counter->nused; i++)
	{
		uint32		slot = m->class_counter->used[i];
		const uint64 *key = class_counter_key(m->class_counter, slot);
		int			a = 0;

		while (a < m->population->nattrs &&
			   is_alike(&m->alike[a][m->levels[a]], labels[a], key_get(key, &m->fields[a])))
			a++;
		if (a == m->population->nattrs)
			count += m->class_counter->slots[slot].count;
	}
	return count;
}

static int64
count_alike(Matches *m, uint32 tuple)
{
	uint32		labels[MAX_ATTRIBUTES];
	double		combinations = 1;

	CHECK_FOR_INTERRUPTS();
	for (int a = 0; a < m->population->nattrs; a++)
	{
		const AlikeLabels *alike = &m->alike[a][m->levels[a]];
		uint32		leaf = key_get(m->tuple_keys.words + (Size) tuple * m->nwords, &m->fields[a]);

		labels[a] = m->population->attrs[a].hierarchy->levels[m->levels[a]].label_of[leaf];
		combinations *= alike->start[labels[a] + 1] - alike->start[labels[a]];
	}
	if (combinations > m->class_counter->nused)
		return count_classes(m, labels);
	memset(m->one.words, 0, sizeof(uint64) * m->nwords);
	return count_combinations(m, labels, 0);
}

int64
matches_of(Matches *m, uint32 tuple)
{
	uint32		slot = m->slot_of[tuple];

	if (m->people != NULL)
		return m->people[slot];
	if (m->similarity == 0)
		return slot == NO_SLOT ? 1 : m->class_counter->slots[slot].count;
	if (slot == NO_SLOT)
		return Max(count_alike(m, tuple), 1);
	if (m->fitting[slot] < 0)
		m->fitting[slot] = Max(count_alike(m, tuple), 1);
	return m->fitting[slot];
}

const uint32 *
matches_classes(const Matches *m, uint32 *most)
{
	*most = (uint32) 1 << m->class_counter->bits;
	return m->entries == NULL && m->similarity == 0 ? m->slot_of : NULL;
}

/* ----------------------------------------- jaro's similarity of two strings */

/*
 * Characters match if they are equal and no further apart than half of the
 * longer string minus one; each matches at most once, with the first possible
 * one.  The number of transpositions is half the number of matches in a
 * different order.
 */
double
jaro(const uint32 *a, int na, const uint32 *b, int nb)
{
	int			window = Max(Max(na, nb) / 2 - 1, 0);
	bool	   *matched_a = palloc0(na + 1);
	bool	   *matched_b = palloc0(nb + 1);
	int			matches = 0;
	int			moved = 0;

	if (na == 0 && nb == 0)
		return 1;
	for (int i = 0; i < na; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = Max(i - window, 0); j < Min(i + window + 1, nb); j++)
		{
			if (matched_b[j] || a[i] != b[j])
				continue;
			matched_a[i] = matched_b[j] = true;
			matches++;
			break;
		}
	}
	for (int i = 0, j = 0; i < na; i++)
	{
		if (!matched_a[i])
			continue;
		while (!matched_b[j])
			j++;
		moved += a[i] != b[j++];
	}
	pfree(matched_a);
	pfree(matched_b);
	if (matches == 0)
		return 0;
	return ((double) matches / na + (double) matches / nb + (matches - moved / 2.0) / matches) / 3;
}

int
characters_of(const char *string, int length, uint32 **characters)
{
	int			n = 0;
	const char *end = string + length;

	*characters = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) length + 1));
	while (string < end)
	{
		int			bytes = pg_mblen(string);
		uint32		character = 0;

		/* the bytes of a character, at most four, identify it */
		for (int i = 0; i < bytes; i++)
			character = (character << 8) | (unsigned char) string[i];
		(*characters)[n++] = character;
		string += bytes;
	}
	return n;
}
