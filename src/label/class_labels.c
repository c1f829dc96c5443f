/*
 * class_labels.c
 *	  The labels of classes, and the order in which a release shows them.
 *
 * A class shows runs of leaves.  If labels come from the hierarchy, a run has
 * the label of its level.  Other runs are labelled like the groups of a cut:
 * different runs never look alike, although in a recoding they may overlap.
 */
#include "label/class_labels.h"

#include "base/budget.h"
#include "label/cut_bits.h"
#include "miscadmin.h"

/* Allocates codes and labels, which the caller sets. */
static void
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
		by.places[a] = rank_texts(classes->labels[a], classes->nlabels[a]);
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

/* -------------------------------------------- classes of tuples generalized one by one */

/* Tuples that are generalized one by one, by the labels they show. */
typedef struct RecordClasses
{
	const RecordLevels *records;
	uint32	 ***numbers;		/* by attribute, level and label */
	KeyCounter *looks;			/* combinations of labels, by class */
	Classes    *classes;		/* by look */
	bool	   *large;			/* by class: has at least k people */
} RecordClasses;

/*
 * The number of each label at each level of an attribute; labels of different
 * levels may look alike.
 */
static uint32 **
number_labels(const Hierarchy *hierarchy, uint32 *nlabels, const char ***labels)
{
	Size		n = 0;
	const char **texts;
	uint32	  **numbers = palloc(sizeof(uint32 *) * (hierarchy->height + 1));

	for (int level = 0; level <= hierarchy->height; level++)
		n += hierarchy->levels[level].nlabels;
	texts = budget_alloc(sizeof(char *), n + 1);
	n = 0;
	for (int level = 0; level <= hierarchy->height; level++)
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
			texts[n++] = hierarchy->labels[level][label];
	numbers[0] = number_texts(texts, n, nlabels, labels);
	for (int level = 1; level <= hierarchy->height; level++)
		numbers[level] = numbers[level - 1] + hierarchy->levels[level - 1].nlabels;
	pfree(texts);
	return numbers;
}

/*
 * The leaves under each class's label of an attribute: among labels that look
 * alike those of the narrowest, so that people are not overcounted.
 */
static void
put_runs(Classes *classes, int a, uint32 *const *numbers)
{
	const Hierarchy *hierarchy = classes->population->attrs[a].hierarchy;
	uint32		nlabels = classes->nlabels[a];
	uint32	   *first = budget_alloc(sizeof(uint32), (Size) nlabels + 1);
	uint32	   *leaves = budget_alloc(sizeof(uint32), (Size) nlabels + 1);

	memset(leaves, 0xff, sizeof(uint32) * nlabels);
	for (int level = 0; level <= hierarchy->height; level++)
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
		{
			uint32		number = numbers[level][label];

			if (hierarchy->levels[level].leaves[label] >= leaves[number])
				continue;
			first[number] = hierarchy->levels[level].first_leaf[label];
			leaves[number] = hierarchy->levels[level].leaves[label];
		}
	for (uint32 class = 0; class < classes->n; class++)
	{
		Size		at = class_at(classes, class, a);

		classes->first_leaf[at] = first[classes->codes[at]];
		classes->leaves[at] = leaves[classes->codes[at]];
	}
	pfree(first);
	pfree(leaves);
}

/* Writes a tuple's labels at some levels as the next look. */
static void
show_tuple(const RecordClasses *by, const Population *population, uint32 tuple, const uint16 *levels)
{
	const uint64 *tuple_key = population->tuples->keys + (Size) tuple * population->nwords;
	uint64	   *key = key_counter_candidate(by->looks);

	memset(key, 0, sizeof(uint64) * by->looks->nwords);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		uint32		label = attr->hierarchy->levels[levels[a]].label_of[key_get(tuple_key, &attr->field)];

		put_code(key, a, by->numbers[a][levels[a]][label]);
	}
}

/* The classes by the looks of all tuples. */
static Classes *
classes_by_looks(const RecordClasses *by, const Population *population)
{
	uint32		ntuples = population->tuples->ntuples;
	uint32	   *class_of = budget_alloc(sizeof(uint32), (Size) ntuples + 1);
	Classes    *classes;

	for (uint32 i = 0; i < ntuples; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		class_of[i] = NO_CLASS;
		if (by->records->levels[i] == NULL)
			continue;
		show_tuple(by, population, i, by->records->levels[i]);
		class_of[i] = key_counter_add(by->looks, 1);
	}
	classes = classes_create(population, population->tuples, by->looks->nkeys);
	classes->class_of = class_of;
	classes_labels_create(classes);
	for (uint32 class = 0; class < classes->n; class++)
		for (int a = 0; a < population->nattrs; a++)
			classes->codes[class_at(classes, class, a)] = code_at(by->looks->keys + (Size) class * by->looks->nwords, a);
	return classes;
}

static bool
is_large(const RecordClasses *by, uint32 class)
{
	return class != NO_CLASS && by->large[class];
}

static int
compare_nodes(const void *a, const void *b, void *arg)
{
	const uint16 *x = *(const uint16 *const *) a;
	const uint16 *y = *(const uint16 *const *) b;

	for (int i = 0; i < *(const int *) arg; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* The nodes of the tuples in large classes, each once. */
static const uint16 **
nodes_of_large(const RecordClasses *by, uint32 *nnodes)
{
	int			nattrs = by->classes->population->nattrs;
	uint32		ntuples = by->classes->tuples->ntuples;
	const uint16 **nodes = budget_alloc(sizeof(uint16 *), (Size) ntuples + 1);
	uint32		n = 0;

	for (uint32 i = 0; i < ntuples; i++)
		if (is_large(by, by->classes->class_of[i]))
			nodes[n++] = by->records->levels[i];
	qsort_arg(nodes, n, sizeof(uint16 *), compare_nodes, &nattrs);
	*nnodes = 0;
	for (uint32 i = 0; i < n; i++)
		if (i == 0 || compare_nodes(&nodes[i], &nodes[*nnodes - 1], &nattrs) != 0)
			nodes[(*nnodes)++] = nodes[i];
	return nodes;
}

/* The class with the most rows that a tuple can join with enough utility, or NO_CLASS. */
static uint32
class_to_join(const RecordClasses *by, uint32 tuple, const uint16 *const *nodes, uint32 nnodes)
{
	const Population *population = by->classes->population;
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	const int64 *rows = by->classes->table->counts;
	uint32		leaves[MAX_ATTRIBUTES];
	uint32		best = NO_CLASS;

	for (int a = 0; a < population->nattrs; a++)
		leaves[a] = key_get(key, &population->attrs[a].field);
	for (uint32 i = 0; i < nnodes; i++)
	{
		int			levels[MAX_ATTRIBUTES];
		uint32		class;

		for (int a = 0; a < population->nattrs; a++)
			levels[a] = nodes[i][a];
		if (!(record_utility(by->records->model, leaves, levels) >= by->records->min_utility))
			continue;
		show_tuple(by, population, tuple, nodes[i]);
		class = key_counter_find(by->looks);
		if (is_large(by, class) && (best == NO_CLASS || rows[class] > rows[best]))
			best = class;
	}
	return best;
}

Classes *
classes_of_records(const Population *population, const RecordLevels *records, int64 k)
{
	RecordClasses by = {.records = records};
	int			nattrs = population->nattrs;
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	uint32	   *nlabels = palloc(sizeof(uint32) * (nattrs + 1));
	const char ***labels = palloc(sizeof(char **) * (nattrs + 1));
	uint32	   *number;
	uint32		n = 0;
	uint32		nnodes;
	const uint16 **nodes;
	Classes    *classes;

	by.numbers = palloc(sizeof(uint32 **) * (nattrs + 1));
	for (int a = 0; a < nattrs; a++)
		by.numbers[a] = number_labels(population->attrs[a].hierarchy, &nlabels[a], &labels[a]);
	by.looks = key_counter_create(CurrentMemoryContext, code_words(nattrs), 1024);
	by.classes = classes = classes_by_looks(&by, population);
	classes->nlabels = nlabels;
	classes->labels = labels;
	population_mark(population, marks);
	classes_count(classes);
	by.large = budget_alloc(sizeof(bool), (Size) classes->n + 1);
	number = budget_alloc(sizeof(uint32), (Size) classes->n + 1);
	for (uint32 i = 0; i < classes->n; i++)
	{
		by.large[i] = class_people(population, classes->table, i) >= k;
		number[i] = by.large[i] ? n++ : NO_CLASS;
	}

	/*
	 * tuples in classes that are too small join larger ones if their utility
	 * allows it; all use the sizes from before, so that their order does not
	 * matter
	 */
	nodes = nodes_of_large(&by, &nnodes);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		if (classes->class_of[i] != NO_CLASS && !by.large[classes->class_of[i]])
		{
			CHECK_FOR_INTERRUPTS();
			classes->class_of[i] = class_to_join(&by, i, nodes, nnodes);
		}
	pfree(nodes);
	population_release(population, marks);
	for (int a = 0; a < nattrs; a++)
		put_runs(classes, a, by.numbers[a]);
	classes_renumber(classes, number, n);
	pfree(number);
	return classes;
}
