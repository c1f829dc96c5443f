/*
 * shown_records.c
 *	  The classes that a release by records shows.
 */
#include "release/shown_classes.h"

#include "base/budget.h"
#include "base/key_counter.h"
#include "miscadmin.h"
#include "release/content.h"
#include "search/recoding.h"

/*
 * The number of each label at each level of an attribute; labels of different
 * levels may look alike.
 */
static uint32 **
number_labels(ShownClasses *shown, const Hierarchy *hierarchy, int a)
{
	Size		n = 0;
	const char **texts;
	uint32	   *places;
	uint32	   *number_at;
	uint32	  **numbers = palloc(sizeof(uint32 *) * (hierarchy->height + 1));

	for (int level = 0; level <= hierarchy->height; level++)
		n += hierarchy->levels[level].nlabels;
	texts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (n + 1));
	n = 0;
	for (int level = 0; level <= hierarchy->height; level++)
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
			texts[n++] = hierarchy->labels[level][label];
	places = label_places(texts, n);
	/* the first label represents all that look alike */
	number_at = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	shown->labels[a] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * (n + 1));
	for (Size i = 0; i < n; i++)
		if (number_at[places[i]] == 0)
		{
			shown->labels[a][shown->nlabels[a]] = texts[i];
			number_at[places[i]] = ++shown->nlabels[a];
		}
	n = 0;
	for (int level = 0; level <= hierarchy->height; level++)
	{
		numbers[level] = MemoryContextAllocHuge(CurrentMemoryContext,
												sizeof(uint32) * ((Size) hierarchy->levels[level].nlabels + 1));
		for (uint32 label = 0; label < hierarchy->levels[level].nlabels; label++)
			numbers[level][label] = number_at[places[n++]] - 1;
	}
	pfree(texts);
	pfree(places);
	pfree(number_at);
	return numbers;
}

/*
 * The leaves under each label, by its number: among labels that look alike
 * those of the narrowest, so that people are not overcounted.
 */
static LeafBoxes
runs_of_numbers(const Hierarchy *hierarchy, uint32 *const *numbers, uint32 nlabels)
{
	uint32	   *first = budget_alloc(sizeof(uint32), (Size) nlabels + 1);
	uint32	   *leaves = budget_alloc(sizeof(uint32), (Size) nlabels + 1);
	LeafBoxes	runs = {.nboxes = nlabels,.first_leaf = first,.leaves = leaves};

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
	return runs;
}

/* The leaves under each class's labels. */
static LeafBoxes
boxes_of_classes(const Population *population, const ShownClasses *shown, uint32 **const *numbers)
{
	int			nattrs = population->nattrs;
	uint32	   *first = budget_alloc(sizeof(uint32) * nattrs, (Size) shown->n + 1);
	uint32	   *leaves = budget_alloc(sizeof(uint32) * nattrs, (Size) shown->n + 1);
	LeafBoxes	boxes = {.nclasses = shown->n,.nboxes = shown->n,.first_leaf = first,.leaves = leaves};

	for (int a = 0; a < nattrs; a++)
	{
		LeafBoxes	runs = runs_of_numbers(population->attrs[a].hierarchy, numbers[a], shown->nlabels[a]);

		for (Size at = a; at < (Size) shown->n * nattrs; at += nattrs)
		{
			first[at] = runs.first_leaf[shown->codes[at]];
			leaves[at] = runs.leaves[shown->codes[at]];
		}
	}
	return boxes;
}

/* Tuples that are generalized one by one, by the labels they show. */
typedef struct RecordClasses
{
	const Population *population;
	const RecordLevels *records;
	int64		k;
	uint32	 ***numbers;		/* by attribute, level and label */
	int64	   *sizes;			/* by class: different people */
	KeyCounter *counter;		/* people with the same labels */
	uint32	   *class_of;		/* by tuple: a number of the counter's, or
								 * NOT_SHOWN */
} RecordClasses;

/* Writes a tuple's labels at some levels as the counter's candidate. */
static void
show_tuple(const RecordClasses *classes, uint32 tuple, const uint16 *levels)
{
	const Population *population = classes->population;
	const uint64 *tuple_key = population->tuples->keys + (Size) tuple * population->nwords;
	uint64	   *key = key_counter_candidate(classes->counter);

	memset(key, 0, sizeof(uint64) * classes->counter->nwords);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		uint32		label = attr->hierarchy->levels[levels[a]].label_of[key_get(tuple_key, &attr->field)];

		key[a / 2] |= (uint64) classes->numbers[a][levels[a]][label] << (a % 2 * 32);
	}
}

static void
count_records(RecordClasses *classes)
{
	const TupleTable *tuples = classes->population->tuples;

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		classes->class_of[i] = NOT_SHOWN;
		if (classes->records->levels[i] == NULL)
			continue;
		show_tuple(classes, i, classes->records->levels[i]);
		classes->class_of[i] = key_counter_add(classes->counter, tuples->counts[i]);
	}
}

/* Counts the different people of each class. */
static void
count_people(RecordClasses *classes)
{
	const Population *population = classes->population;
	uint32		nclasses = classes->counter->nkeys;
	TupleTable *table;
	HistogramMark *marks;

	classes->sizes = budget_alloc(sizeof(int64), (Size) nclasses + 1);
	if (!population->has_persons)
	{
		memcpy(classes->sizes, classes->counter->counts, sizeof(int64) * nclasses);
		return;
	}
	marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	population_mark(population, marks);
	table = recoding_class_table(population, classes->class_of, nclasses);
	for (uint32 i = 0; i < nclasses; i++)
		classes->sizes[i] = class_people(population, table, i);
	population_release(population, marks);
}

static bool
is_large_enough(const RecordClasses *classes, uint32 class)
{
	return class != NOT_SHOWN && classes->sizes[class] >= classes->k;
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

/* The nodes of the tuples in large enough classes, each once. */
static const uint16 **
nodes_of_large(const RecordClasses *classes, uint32 *nnodes)
{
	const Population *population = classes->population;
	int			nattrs = population->nattrs;
	Size		size = sizeof(uint16 *) * ((Size) population->tuples->ntuples + 1);
	const uint16 **nodes;
	uint32		n = 0;

	budget_require(population->context, size);
	nodes = MemoryContextAllocHuge(CurrentMemoryContext, size);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		if (is_large_enough(classes, classes->class_of[i]))
			nodes[n++] = classes->records->levels[i];
	qsort_arg(nodes, n, sizeof(uint16 *), compare_nodes, &nattrs);
	*nnodes = 0;
	for (uint32 i = 0; i < n; i++)
		if (i == 0 || compare_nodes(&nodes[i], &nodes[*nnodes - 1], &nattrs) != 0)
			nodes[(*nnodes)++] = nodes[i];
	return nodes;
}

/* The largest class that a tuple can join with enough utility, or NOT_SHOWN. */
static uint32
class_to_join(const RecordClasses *classes, uint32 tuple, const uint16 *const *nodes, uint32 nnodes)
{
	const Population *population = classes->population;
	const uint64 *key = population->tuples->keys + (Size) tuple * population->nwords;
	uint32		leaves[MAX_ATTRIBUTES];
	uint32		best = NOT_SHOWN;

	for (int a = 0; a < population->nattrs; a++)
		leaves[a] = key_get(key, &population->attrs[a].field);
	for (uint32 i = 0; i < nnodes; i++)
	{
		int			levels[MAX_ATTRIBUTES];
		uint32		class;

		for (int a = 0; a < population->nattrs; a++)
			levels[a] = nodes[i][a];
		if (!(record_utility(classes->records->model, leaves, levels) >= classes->records->min_utility))
			continue;
		show_tuple(classes, tuple, nodes[i]);
		class = key_counter_find(classes->counter);
		if (is_large_enough(classes, class) &&
			(best == NOT_SHOWN || classes->counter->counts[class] > classes->counter->counts[best]))
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
join_large(RecordClasses *classes)
{
	const TupleTable *tuples = classes->population->tuples;
	uint32		nnodes;
	const uint16 **nodes = nodes_of_large(classes, &nnodes);
	uint32	   *joined = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) tuples->ntuples + 1));

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		joined[i] = NOT_SHOWN;
		if (classes->class_of[i] == NOT_SHOWN || is_large_enough(classes, classes->class_of[i]))
			continue;
		CHECK_FOR_INTERRUPTS();
		joined[i] = class_to_join(classes, i, nodes, nnodes);
	}
	for (uint32 i = 0; i < tuples->ntuples; i++)
		if (joined[i] != NOT_SHOWN)
		{
			classes->counter->counts[classes->class_of[i]] -= tuples->counts[i];
			classes->counter->counts[joined[i]] += tuples->counts[i];
			classes->class_of[i] = joined[i];
		}
	pfree(joined);
	pfree(nodes);
}

ShownClasses *
shown_classes_of_records(const Population *population, const RecordLevels *records, int64 k, const int *order, int norder)
{
	uint32		ntuples = population->tuples->ntuples;
	ShownClasses *shown = shown_create(population->nattrs);
	RecordClasses classes = {.population = population,.records = records,.k = k};
	uint32	   *codes;
	uint32	   *large;

	classes.numbers = palloc(sizeof(uint32 **) * (population->nattrs + 1));
	for (int a = 0; a < population->nattrs; a++)
		classes.numbers[a] = number_labels(shown, population->attrs[a].hierarchy, a);
	classes.counter = key_counter_create(CurrentMemoryContext, Max(content_code_words(population->nattrs), 1), 1024);
	classes.class_of = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) ntuples + 1));
	count_records(&classes);
	count_people(&classes);
	join_large(&classes);
	codes = codes_of_keys(classes.counter, population->nattrs);
	large = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) classes.counter->nkeys + 1));
	for (uint32 i = 0; i < classes.counter->nkeys; i++)
		if (is_large_enough(&classes, i))
			large[shown->n++] = i;
	place_classes(shown, codes, classes.counter->counts, large, order, norder);
	shown->boxes = boxes_of_classes(population, shown, classes.numbers);
	place_tuples(shown, classes.class_of, ntuples, large, classes.counter->nkeys, NOT_SHOWN);
	pfree(codes);
	pfree(large);
	return shown;
}
