/*
 * record_classes.c
 *	  The classes that a release by records shows.
 */
#include "release/class_labels.h"

#include "base/budget.h"
#include "miscadmin.h"

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

/*
 * Lets tuples in classes that are too small join larger ones if their utility
 * allows it.  All use the sizes from before, so that their order does not
 * matter.
 */
static void
join_large(const RecordClasses *by)
{
	uint32	   *class_of = by->classes->class_of;
	uint32		nnodes;
	const uint16 **nodes = nodes_of_large(by, &nnodes);

	for (uint32 i = 0; i < by->classes->tuples->ntuples; i++)
	{
		if (class_of[i] == NO_CLASS || is_large(by, class_of[i]))
			continue;
		CHECK_FOR_INTERRUPTS();
		class_of[i] = class_to_join(by, i, nodes, nnodes);
	}
	pfree(nodes);
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
	join_large(&by);
	population_release(population, marks);
	for (int a = 0; a < nattrs; a++)
		put_runs(classes, a, by.numbers[a]);
	classes_renumber(classes, number, n);
	pfree(number);
	return classes;
}
