/*
 * matches.c
 *	  Counts the entries of a dictionary that match a generalized tuple.
 *
 * A node's classes are counted once for all tuples.  If labels need only be
 * similar, the classes that match one are found by trying all combinations of
 * similar labels, or all classes, whichever are fewer, once per class.
 */
#include "record/matches.h"

#include "base/budget.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* The similar labels of each label of a level. */
typedef List **AlikeLabels;

struct Matches
{
	const Population *population;
	OutsideCounter *outside;	/* of a dictionary's entries; NULL for the
								 * population's own */
	ClassCounter *own;
	const ClassCounter *counted;	/* either, at the node */
	uint32		most_classes;
	uint32	   *class_of;		/* by tuple */
	/* for the population's own entries, if a person may have several */
	int64	   *people;			/* by class: different people */
	uint32	   *start;			/* by class: of its tuples' in together */
	uint32	   *together;		/* persons' numbers, class by class */
	Recodings	leaves;
	const int  *levels;
	double		similarity;		/* 0 if labels must be equal */
	AlikeLabels **alike;		/* by attribute and level; made when needed */
	int64	   *fitting;		/* by class, -1 if not known yet */
	uint64	   *one;			/* a key to look up */
	MemoryContext context;
};

bool
counts_persons(const Population *population, const Outsiders *entries)
{
	return entries == NULL && population->has_persons;
}

Matches *
matches_create(const Population *population, const Outsiders *entries, double similarity)
{
	Matches    *m = palloc0(sizeof(Matches));
	Size		ntuples = population->tuples->ntuples;
	int			bottom[MAX_ATTRIBUTES] = {0};

	m->context = CurrentMemoryContext;
	m->population = population;
	m->leaves = node_of_levels(population, bottom);
	m->similarity = similarity;
	m->most_classes = entries != NULL ? entries->ntuples : population->tuples->ntuples;
	if (entries != NULL)
		m->outside = outside_counter_create(population, entries, m->context);
	else
		m->own = class_counter_create(m->context, population, population->tuples->ntuples);
	m->class_of = population_alloc(population, sizeof(uint32), ntuples + 1);
	if (counts_persons(population, entries))
	{
		m->people = population_alloc(population, sizeof(int64), ntuples + 1);
		m->start = population_alloc(population, sizeof(uint32), ntuples + 1);
		m->together = population_alloc(population, sizeof(uint32), ntuples + 1);
	}
	if (similarity > 0)
	{
		m->alike = palloc0(sizeof(AlikeLabels *) * population->nattrs);
		for (int a = 0; a < population->nattrs; a++)
			m->alike[a] = palloc0(sizeof(AlikeLabels) * (population->attrs[a].hierarchy->height + 1));
		m->fitting = population_alloc(population, sizeof(int64), (Size) m->most_classes + 1);
		m->one = palloc(sizeof(uint64) * population->nwords);
	}
	return m;
}

/* A label's characters; NULL is similar only to itself. */
typedef struct Spelling
{
	int			n;
	uint32	   *characters;		/* or NULL */
} Spelling;

/* Finds the similar labels of a level. */
static void
compare_labels(Matches *m, int a, int level)
{
	const Hierarchy *hierarchy = m->population->attrs[a].hierarchy;
	uint32		nlabels = hierarchy->levels[level].nlabels;
	MemoryContext context = AllocSetContextCreate(m->context, "anonopt labels", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Spelling   *spellings = MemoryContextAllocExtended(context, sizeof(Spelling) * ((Size) nlabels + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	AlikeLabels alike = MemoryContextAllocExtended(m->context, sizeof(List *) * ((Size) nlabels + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (uint32 i = 0; i < nlabels; i++)
	{
		const char *label = hierarchy->labels[level][i];

		if (label != NULL)
			spellings[i].n = characters_of(label, strlen(label), &spellings[i].characters);
	}
	MemoryContextSwitchTo(m->context);
	for (uint32 i = 0; i < nlabels; i++)
	{
		CHECK_FOR_INTERRUPTS();
		budget_require(m->context, sizeof(ListCell) * nlabels);
		for (uint32 j = 0; j < nlabels; j++)
		{
			const Spelling *one = &spellings[i];
			const Spelling *other = &spellings[j];

			if (i != j && (one->characters == NULL || other->characters == NULL ||
						   jaro(one->characters, one->n, other->characters, other->n) < m->similarity))
				continue;
			alike[i] = lappend_int(alike[i], j);
		}
	}
	m->alike[a][level] = alike;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
matches_go(Matches *m, const int *levels)
{
	const Population *population = m->population;
	const TupleTable *tuples = population->tuples;
	const Recoding *node[MAX_ATTRIBUTES];

	m->levels = levels;
	for (int a = 0; a < population->nattrs; a++)
	{
		node[a] = &population->attrs[a].hierarchy->levels[levels[a]];
		if (m->similarity > 0 && m->alike[a][levels[a]] == NULL)
			compare_labels(m, a, levels[a]);
	}
	if (m->outside != NULL)
	{
		m->counted = outside_counter_go(m->outside, node);
		class_counter_find(m->counted, tuples, m->class_of);
	}
	else
	{
		class_counter_recode(m->own, tuples, m->leaves, node, m->class_of);
		m->counted = m->own;
	}
	if (m->similarity > 0)
		memset(m->fitting, 0xff, sizeof(int64) * m->counted->classes.ntuples);
	if (m->people != NULL)
		count_class_persons(m->population, m->class_of, m->population->tuples->slices[m->population->ncolumns - 1],
							m->population->tuples->ntuples, m->counted->classes.ntuples, m->start, m->together, m->people);
}

/* Adds up the classes whose labels are similar from an attribute on. */
static int64
count_combinations(Matches *m, const uint32 *labels, int a)
{
	const KeyField *field = &m->population->attrs[a].field;
	const ListCell *cell;
	uint64		kept;
	int64		count = 0;

	if (a == m->population->nattrs)
	{
		uint32		class = class_counter_shown(m->counted, m->one);

		return class == NO_CLASS ? 0 : m->counted->classes.counts[class];
	}
	kept = m->one[field->word];
	foreach(cell, m->alike[a][m->levels[a]][labels[a]])
	{
		key_put(m->one, field, lfirst_int(cell));
		count += count_combinations(m, labels, a + 1);
		m->one[field->word] = kept;
	}
	return count;
}

/* Adds them up by checking every class. */
static int64
count_classes(const Matches *m, const uint32 *labels)
{
	int64		count = 0;

	for (uint32 class = 0; class < m->counted->classes.ntuples; class++)
	{
		const uint64 *key = m->counted->classes.keys + (Size) class * m->population->nwords;
		int			a = 0;

		while (a < m->population->nattrs &&
			   list_member_int(m->alike[a][m->levels[a]][labels[a]], key_get(key, &m->population->attrs[a].field)))
			a++;
		if (a == m->population->nattrs)
			count += m->counted->classes.counts[class];
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
		uint32		leaf = key_get(m->population->tuples->keys + (Size) tuple * m->population->nwords, &m->population->attrs[a].field);

		labels[a] = m->population->attrs[a].hierarchy->levels[m->levels[a]].label_of[leaf];
		combinations *= list_length(m->alike[a][m->levels[a]][labels[a]]);
	}
	if (combinations > m->counted->classes.ntuples)
		return count_classes(m, labels);
	memset(m->one, 0, sizeof(uint64) * m->population->nwords);
	return count_combinations(m, labels, 0);
}

int64
matches_of(Matches *m, uint32 tuple)
{
	uint32		class = m->class_of[tuple];

	if (m->people != NULL)
		return m->people[class];
	if (m->similarity == 0)
		return class == NO_CLASS ? 1 : m->counted->classes.counts[class];
	if (class == NO_CLASS)
		return Max(count_alike(m, tuple), 1);
	if (m->fitting[class] < 0)
		m->fitting[class] = Max(count_alike(m, tuple), 1);
	return m->fitting[class];
}

const uint32 *
matches_classes(const Matches *m, uint32 *limit)
{
	*limit = m->most_classes;
	return m->outside == NULL && m->similarity == 0 ? m->class_of : NULL;
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
	bool	   *matched_a;
	bool	   *matched_b;
	int			matches = 0;
	int			moved = 0;

	if (na == 0 && nb == 0)
		return 1;
	matched_a = palloc0(na + 1);
	matched_b = palloc0(nb + 1);
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
