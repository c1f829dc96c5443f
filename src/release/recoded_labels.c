/*
 * recoded_labels.c
 *	  The labels of a recoding's classes.
 *
 * A class shows a run of leaves.  If labels come from the hierarchy, a run has
 * the label of its level.  Other runs are labelled like the groups of a cut:
 * different runs never look alike, although here they may overlap.
 */
#include "release/shown_classes.h"

#include "base/budget.h"
#include "base/key_counter.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "read/value.h"
#include "release/specification.h"
#include "utils/builtins.h"

/*
 * Numbers the distinct runs of an attribute; codes receives the number for
 * each class.
 */
static KeyCounter *
number_runs(const Population *population, const RecodedClasses *shown, int a, uint32 *codes)
{
	KeyCounter *runs = key_counter_create(CurrentMemoryContext, 2, 1024);

	for (Size class = 0; class < shown->nclasses; class++)
	{
		Size		at = class * population->nattrs + a;
		uint64	   *key = key_counter_candidate(runs);

		if (class % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		key[0] = (uint64) shown->first_leaf[at] << 32 | shown->leaves[at];
		key[1] = (uint64) (int64) shown->level[at];
		codes[at] = key_counter_add(runs, 1);
	}
	return runs;
}

static inline uint32
run_first(const KeyCounter *runs, uint32 run)
{
	return (uint32) (runs->keys[(Size) run * 2] >> 32);
}

/* Labels of runs from the levels of the hierarchy. */
static const char **
labels_of_levels(const Attribute *attr, const KeyCounter *runs)
{
	const char **labels = budget_alloc(sizeof(char *), (Size) runs->nkeys + 1);

	for (uint32 run = 0; run < runs->nkeys; run++)
	{
		int			level = (int) (int64) runs->keys[(Size) run * 2 + 1];

		labels[run] = attr->hierarchy->labels[level][attr->hierarchy->levels[level].label_of[run_first(runs, run)]];
	}
	return labels;
}

/* Labels of runs as for a cut's groups. */
static const char **
labels_of_ranges(const Attribute *attr, const KeyCounter *runs)
{
	Recoding	groups = {.nlabels = runs->nkeys};

	groups.first_leaf = budget_alloc(sizeof(uint32), (Size) runs->nkeys + 1);
	groups.leaves = budget_alloc(sizeof(uint32), (Size) runs->nkeys + 1);
	for (uint32 run = 0; run < runs->nkeys; run++)
	{
		groups.first_leaf[run] = run_first(runs, run);
		groups.leaves[run] = (uint32) runs->keys[(Size) run * 2];
	}
	return (const char **) group_labels(attr, &groups);
}

/* Gives equal labels the same number; returns the number of each run. */
static uint32 *
number_labels(const char **texts, uint32 n, uint32 *nlabels, const char ***labels)
{
	uint32	   *number = budget_alloc(sizeof(uint32), (Size) n + 1);
	uint32	   *of_text = budget_alloc(sizeof(uint32), (Size) n + 1);
	uint32		null_number = PG_UINT32_MAX;
	ValueType	type;
	Dictionary *dictionary;

	value_type_init(&type, TEXTOID);
	dictionary = dictionary_create(CurrentMemoryContext, &type);
	*labels = budget_alloc(sizeof(char *), (Size) n + 1);
	*nlabels = 0;
	for (uint32 run = 0; run < n; run++)
	{
		bool		known = null_number != PG_UINT32_MAX;
		uint32	   *found = &null_number;

		if (texts[run] != NULL)
			found = &of_text[dictionary_add(dictionary, CStringGetTextDatum(texts[run]), &known)];
		if (!known)
		{
			(*labels)[*nlabels] = texts[run];
			*found = (*nlabels)++;
		}
		number[run] = *found;
	}
	return number;
}

RecodedLabels *
recoded_labels(const Population *population, const RecodedClasses *shown, RecodingLabels mode)
{
	RecodedLabels *result = palloc0(sizeof(RecodedLabels));
	int			nattrs = population->nattrs;

	result->nattrs = nattrs;
	result->codes = budget_alloc(sizeof(uint32) * nattrs, (Size) shown->nclasses + 1);
	result->nlabels = palloc0(sizeof(uint32) * (nattrs + 1));
	result->labels = palloc0(sizeof(char **) * (nattrs + 1));
	for (int a = 0; a < nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		KeyCounter *runs = number_runs(population, shown, a, result->codes);
		const char **texts = mode == LABELS_RANGE ? labels_of_ranges(attr, runs) : labels_of_levels(attr, runs);
		uint32	   *number = number_labels(texts, runs->nkeys, &result->nlabels[a], &result->labels[a]);

		for (Size class = 0; class < shown->nclasses; class++)
			result->codes[class * nattrs + a] = number[result->codes[class * nattrs + a]];
		pfree(number);
	}
	return result;
}
