/*
 * class_labels.c
 *	  The labels of classes, and the order in which a release shows them.
 *
 * A class shows runs of leaves.  If labels come from the hierarchy, a run has
 * the label of its level.  Other runs are labelled like the groups of a cut:
 * different runs never look alike, although in a recoding they may overlap.
 */
#include "release/class_labels.h"

#include "base/budget.h"
#include "miscadmin.h"
#include "release/cut_bits.h"

int
compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int
compare_numbered(const void *a, const void *b, void *arg)
{
	const char *const *texts = arg;

	return compare_texts(texts[*(const uint32 *) a], texts[*(const uint32 *) b]);
}

TextIndex
index_texts(const char *const *texts, uint32 n)
{
	TextIndex	index = {n, texts, MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) n + 1))};

	for (uint32 i = 0; i < n; i++)
		index.order[i] = i;
	qsort_arg(index.order, n, sizeof(uint32), compare_numbered, (void *) texts);
	return index;
}

uint32
find_text(const TextIndex *index, const char *label)
{
	uint32		low = 0;
	uint32		high = index->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_texts(index->texts[index->order[middle]], label);

		if (order == 0)
			return index->order[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return PG_UINT32_MAX;
}

/* The rank of each label, NULL last; equal labels have that of the first. */
static uint32 *
label_places(const char *const *labels, uint32 nlabels)
{
	TextIndex	index = index_texts(labels, nlabels);
	uint32	   *places = budget_alloc(sizeof(uint32), (Size) nlabels + 1);

	for (uint32 i = 0; i < nlabels; i++)
		places[index.order[i]] = i > 0 && compare_texts(labels[index.order[i - 1]], labels[index.order[i]]) == 0 ?
			places[index.order[i - 1]] : i;
	pfree(index.order);
	return places;
}

uint32 *
number_texts(const char *const *texts, uint32 n, uint32 *nlabels, const char ***labels)
{
	uint32	   *numbers = label_places(texts, n);
	uint32	   *of_place = budget_alloc_zero(sizeof(uint32), (Size) n + 1); /* plus one */
	const char **different = budget_alloc(sizeof(char *), (Size) n + 1);

	*nlabels = 0;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		place = numbers[i];

		if (of_place[place] == 0)
		{
			different[*nlabels] = texts[i];
			of_place[place] = ++*nlabels;
		}
		numbers[i] = of_place[place] - 1;
	}
	pfree(of_place);
	*labels = different;
	return numbers;
}

void
classes_labels_create(Classes *classes)
{
	int			nattrs = classes->population->nattrs;

	classes->codes = budget_alloc(sizeof(uint32) * nattrs, (Size) classes->nboxes + 1);
	classes->nlabels = palloc0(sizeof(uint32) * (nattrs + 1));
	classes->labels = palloc0(sizeof(char **) * (nattrs + 1));
}

void
classes_label_node(Classes *classes, const char ***labels)
{
	const Population *population = classes->population;

	classes_labels_create(classes);
	for (int a = 0; a < population->nattrs; a++)
	{
		classes->nlabels[a] = classes->node[a]->nlabels;
		classes->labels[a] = labels[a];
		for (uint32 class = 0; class < classes->n; class++)
			classes->codes[(Size) class * population->nattrs + a] =
				key_get(classes->table->keys + (Size) class * population->nwords, &population->attrs[a].field);
	}
}

/* Numbers the distinct runs of an attribute, which are the boxes' codes for now. */
static KeyCounter *
number_runs(const Classes *classes, int a)
{
	KeyCounter *runs = key_counter_create(CurrentMemoryContext, 2, 1024);

	for (Size box = 0; box < classes->nboxes; box++)
	{
		Size		at = box * classes->population->nattrs + a;
		uint64	   *key = key_counter_candidate(runs);

		if (box % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		key[0] = (uint64) classes->first_leaf[at] << 32 | classes->leaves[at];
		key[1] = (uint64) (int64) classes->level[at];
		classes->codes[at] = key_counter_add(runs, 1);
	}
	return runs;
}

/* Labels of runs from the levels of the hierarchy, or as for a cut's groups. */
static const char *const *
labels_of_runs(const Attribute *attr, const KeyCounter *runs, RecodingLabels mode)
{
	Recoding	groups = {.nlabels = runs->nkeys};
	const char **labels = budget_alloc(sizeof(char *), (Size) runs->nkeys + 1);

	groups.first_leaf = budget_alloc(sizeof(uint32), (Size) runs->nkeys + 1);
	groups.leaves = budget_alloc(sizeof(uint32), (Size) runs->nkeys + 1);
	for (Size run = 0; run < runs->nkeys; run++)
	{
		int			level = (int) (int64) runs->keys[run * 2 + 1];

		groups.first_leaf[run] = (uint32) (runs->keys[run * 2] >> 32);
		groups.leaves[run] = (uint32) runs->keys[run * 2];
		if (mode == LABELS_HIERARCHY)
			labels[run] = attr->hierarchy->labels[level][attr->hierarchy->levels[level].label_of[groups.first_leaf[run]]];
	}
	return mode == LABELS_HIERARCHY ? labels : (const char *const *) group_labels(attr, &groups);
}

void
classes_label_recoding(Classes *classes, RecodingLabels mode)
{
	const Population *population = classes->population;

	classes_labels_create(classes);
	for (int a = 0; a < population->nattrs; a++)
	{
		KeyCounter *runs = number_runs(classes, a);
		uint32	   *number = number_texts(labels_of_runs(&population->attrs[a], runs, mode), runs->nkeys,
										  &classes->nlabels[a], &classes->labels[a]);

		for (Size box = 0; box < classes->nboxes; box++)
			classes->codes[box * population->nattrs + a] = number[classes->codes[box * population->nattrs + a]];
		pfree(number);
	}
}

void
classes_unite_alike(Classes *classes)
{
	int			nattrs = classes->population->nattrs;
	KeyCounter *looks = key_counter_create(CurrentMemoryContext, code_words(nattrs), Max(classes->n, 16));
	uint32	   *number = budget_alloc(sizeof(uint32), (Size) classes->n + 1);

	for (uint32 class = 0; class < classes->n; class++)
	{
		uint64	   *key = key_counter_candidate(looks);

		memset(key, 0, sizeof(uint64) * looks->nwords);
		for (int a = 0; a < nattrs; a++)
			put_code(key, a, classes->codes[class_at(classes, class, a)]);
		number[class] = key_counter_add(looks, 1);
	}
	if (looks->nkeys < classes->n)
		classes_renumber(classes, number, looks->nkeys);
	pfree(number);
}

/* How classes are sorted: by each attribute's labels, in the order of the columns. */
typedef struct ClassOrder
{
	const Classes *classes;
	const int  *order;			/* attributes */
	int			norder;
	uint32	  **places;			/* by attribute and code: rank of its label */
} ClassOrder;

static int
compare_classes(const void *a, const void *b, void *arg)
{
	const ClassOrder *by = arg;

	for (int i = 0; i < by->norder; i++)
	{
		int			attr = by->order[i];
		uint32		x = by->places[attr][by->classes->codes[class_at(by->classes, *(const uint32 *) a, attr)]];
		uint32		y = by->places[attr][by->classes->codes[class_at(by->classes, *(const uint32 *) b, attr)]];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

void
classes_sort(Classes *classes, const int *order, int norder)
{
	int			nattrs = classes->population->nattrs;
	ClassOrder	by = {classes, order, norder, palloc(sizeof(uint32 *) * (nattrs + 1))};
	uint32	   *sorted = budget_alloc(sizeof(uint32), (Size) classes->n + 1);
	uint32	   *number = budget_alloc(sizeof(uint32), (Size) classes->n + 1);

	for (int a = 0; a < nattrs; a++)
		by.places[a] = label_places(classes->labels[a], classes->nlabels[a]);
	for (uint32 class = 0; class < classes->n; class++)
		sorted[class] = class;
	qsort_arg(sorted, classes->n, sizeof(uint32), compare_classes, &by);
	for (uint32 i = 0; i < classes->n; i++)
		number[sorted[i]] = i;
	classes_renumber(classes, number, classes->n);
	for (int a = 0; a < nattrs; a++)
		pfree(by.places[a]);
	pfree(by.places);
	pfree(sorted);
	pfree(number);
}
