/*
 * combination.c
 *	  What readers of several contents know together: the label of a person in
 *	  each of them, and so a smaller class than any of them shows, counted on
 *	  the current data.
 */
#include "release/composition.h"

#include "base/budget.h"
#include "engine/population_copies.h"
#include "miscadmin.h"
#include "release/pseudonym.h"

Composition *
composition_begin(const Dataset *dataset, const Population *population)
{
	Composition *composition = palloc0(sizeof(Composition));
	Size		n = population == NULL ? 0 : population->tuples->ntuples;

	composition->context = CurrentMemoryContext;
	composition->dataset = dataset;
	composition->population = population;
	composition->group_of = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	composition->shown = MemoryContextAllocExtended(CurrentMemoryContext, n + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return composition;
}

/* The classes of a node that a content shows. */
static bool *
classes_shown(const Population *population, const KnownContent *placed, const TupleTable *classes)
{
	bool	   *shown = MemoryContextAllocHuge(CurrentMemoryContext, (Size) classes->ntuples + 1);
	KeyCounter *keys = content_classes(placed->content);
	uint32	   *labels[MAX_ATTRIBUTES]; /* by code of the recoding: of the
										 * content, or PG_UINT32_MAX */

	for (int i = 0; i < placed->release.ngeneralized; i++)
	{
		TextIndex	index = index_texts(placed->content->labels[i], placed->content->nlabels[i]);
		const char *const *texts = labels_of_recoding(placed, population, i);

		labels[i] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) placed->recodings[i]->nlabels + 1));
		for (uint32 code = 0; code < placed->recodings[i]->nlabels; code++)
			labels[i][code] = find_text(&index, texts[code]);
	}
	for (uint32 c = 0; c < classes->ntuples; c++)
	{
		uint64	   *key = key_counter_candidate(keys);

		memset(key, 0, sizeof(uint64) * keys->nwords);
		shown[c] = true;
		for (int i = 0; i < placed->release.ngeneralized; i++)
		{
			uint32		code = key_get(classes->keys + (Size) c * population->nwords, &population->attrs[placed->attr_of[i]].field);

			shown[c] = shown[c] && labels[i][code] != PG_UINT32_MAX;
			key[i / 2] |= (uint64) labels[i][code] << (i % 2 * 32);
		}
		shown[c] = shown[c] && key_counter_find(keys) != PG_UINT32_MAX;
	}
	return shown;
}

/*
 * The recodings with which a content shows a population's attributes; an
 * attribute that it lacks has a single label.
 */
static const Recoding **
node_of_content(const Population *population, const KnownContent *placed)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Hierarchy *hierarchy = population->attrs[a].hierarchy;

		node[a] = NULL;
		for (int i = 0; i < placed->release.ngeneralized; i++)
			if (placed->attr_of[i] == a)
				node[a] = placed->recodings[i];
		if (node[a] == NULL)
			node[a] = recoding_cut(hierarchy, &hierarchy->levels[0], palloc0(sizeof(bool) * (hierarchy->nleaves + 1)));
	}
	return node;
}

/*
 * The class of each tuple, counted from 1, or 0 if it is not shown, for a
 * recoding.
 */
static uint32 *
tuples_by_recoding(const Population *population, const KnownContent *placed)
{
	uint64	  **digests = leaf_digests(population);
	uint32	   *class_of = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		class_of[i] = content_class_of(placed->content, tuple_digest(population, (const uint64 *const *) digests, placed->attr_of,
																	 placed->release.ngeneralized, i));
	return class_of;
}

/* The class of each tuple, counted from 1, or 0 if it is not shown, for a node or cuts. */
static uint32 *
tuples_by_node(const Population *population, const KnownContent *placed)
{
	int			bottom[MAX_ATTRIBUTES] = {0};
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	uint32	   *class_of;
	TupleTable *classes;
	bool	   *shown;

	population_mark(population, marks);
	classes = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom),
								 node_of_content(population, placed), CurrentMemoryContext, &class_of);
	population_release(population, marks);
	shown = classes_shown(population, placed, classes);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		class_of[i] = shown[class_of[i]] ? class_of[i] + 1 : 0;
	return class_of;
}

/* The number of people in each of a number of groups of tuples. */
static int64 *
people_of_groups(const Population *population, const uint32 *group_of, uint32 ngroups)
{
	Population *narrow = population_narrow(population);
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (narrow->ncolumns + 1));
	int64	   *people = budget_alloc(sizeof(int64), (Size) ngroups + 1);
	TupleTable *groups;

	population_mark(narrow, marks);
	groups = tuple_table_group(narrow, narrow->tuples, group_of, ngroups, CurrentMemoryContext);
	for (uint32 group = 0; group < ngroups; group++)
		people[group] = class_people(narrow, groups, group);
	population_release(narrow, marks);
	pfree(marks);
	return people;
}

int64
composition_add(Composition *composition, const KnownContent *placed)
{
	const Population *population = composition->population;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	KeyCounter *groups = key_counter_create(context, 1, 1024);
	uint32	   *class_of = placed->release.by.kind == BY_RECODING ? tuples_by_recoding(population, placed) :
	tuples_by_node(population, placed);
	const int64 *people_of;
	int64		smallest = 0;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		*key_counter_candidate(groups) = (uint64) composition->group_of[i] << 32 | class_of[i];
		composition->group_of[i] = key_counter_add(groups, population->tuples->counts[i]);
		composition->shown[i] |= class_of[i] > 0;
	}
	people_of = population->has_persons ? people_of_groups(population, composition->group_of, groups->nkeys) : groups->counts;
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		int64		people = people_of[composition->group_of[i]];

		if (composition->shown[i])
			smallest = least_people(smallest, people);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return smallest;
}
