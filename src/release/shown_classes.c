/*
 * shown_classes.c
 *	  The classes that a release shows, in the order of their labels.
 */
#include "release/shown_classes.h"

#include "base/budget.h"
#include "base/key_counter.h"
#include "engine/persons.h"
#include "release/content.h"

/* The sort key of classes: each attribute's labels, in the order of the columns. */
typedef struct ClassOrder
{
	const uint32 *codes;		/* by class and attribute */
	int			nattrs;
	const int  *order;			/* attributes */
	int			norder;
	uint32	  **places;			/* by attribute and code: rank of its label */
} ClassOrder;

static int
compare_labels(const void *a, const void *b, void *arg)
{
	const char *const *labels = arg;
	const char *first = labels[*(const uint32 *) a];
	const char *second = labels[*(const uint32 *) b];

	if (first == NULL || second == NULL)
		return (first == NULL) - (second == NULL);
	return strcmp(first, second);
}

uint32 *
label_places(const char *const *labels, uint32 nlabels)
{
	Size		size = sizeof(uint32) * ((Size) nlabels + 1);
	uint32	   *order = MemoryContextAllocHuge(CurrentMemoryContext, size);
	uint32	   *places = MemoryContextAllocHuge(CurrentMemoryContext, size);

	for (uint32 code = 0; code < nlabels; code++)
		order[code] = code;
	qsort_arg(order, nlabels, sizeof(uint32), compare_labels, (void *) labels);
	for (uint32 i = 0; i < nlabels; i++)
		places[order[i]] = i > 0 && compare_labels(&order[i - 1], &order[i], (void *) labels) == 0 ?
			places[order[i - 1]] : i;
	pfree(order);
	return places;
}

static int
compare_classes(const void *a, const void *b, void *arg)
{
	const ClassOrder *order = arg;
	const uint32 *first = order->codes + (Size) *(const uint32 *) a * order->nattrs;
	const uint32 *second = order->codes + (Size) *(const uint32 *) b * order->nattrs;

	for (int i = 0; i < order->norder; i++)
	{
		int			attr = order->order[i];
		uint32		x = order->places[attr][first[attr]];
		uint32		y = order->places[attr][second[attr]];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

void
place_classes(ShownClasses *shown, const uint32 *codes, const int64 *people, uint32 *classes, const int *order, int norder)
{
	ClassOrder	by = {codes, shown->nattrs, order, norder, palloc(sizeof(uint32 *) * (shown->nattrs + 1))};
	Size		n = (Size) shown->n + 1;

	for (int a = 0; a < shown->nattrs; a++)
		by.places[a] = label_places(shown->labels[a], shown->nlabels[a]);
	qsort_arg(classes, shown->n, sizeof(uint32), compare_classes, &by);
	shown->codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * n * shown->nattrs);
	shown->people = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int64) * n);
	for (uint32 i = 0; i < shown->n; i++)
	{
		memcpy(shown->codes + (Size) i * shown->nattrs, codes + (Size) classes[i] * shown->nattrs,
			   sizeof(uint32) * shown->nattrs);
		shown->people[i] = people[classes[i]];
	}
	for (int a = 0; a < shown->nattrs; a++)
		pfree(by.places[a]);
	pfree(by.places);
}

void
place_tuples(ShownClasses *shown, uint32 *class_of, uint32 ntuples, const uint32 *classes, uint32 nclasses, uint32 others)
{
	uint32	   *place_of_class = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) nclasses + 1));

	for (uint32 i = 0; i < nclasses; i++)
		place_of_class[i] = others;
	for (uint32 i = 0; i < shown->n; i++)
		place_of_class[classes[i]] = i;
	for (uint32 i = 0; i < ntuples; i++)
		class_of[i] = class_of[i] == NOT_SHOWN ? others : place_of_class[class_of[i]];
	pfree(place_of_class);
	shown->place_of = class_of;
}

/* The number of people in hidden classes. */
static int64
people_of_hidden(const Population *population, const TupleTable *table, const bool *hidden)
{
	uint32	   *slices;
	uint32		n = 0;
	int64		rows = 0;

	for (uint32 i = 0; i < table->ntuples; i++)
		rows += hidden[i] ? table->counts[i] : 0;
	if (!population->has_persons)
		return rows;
	slices = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) table->ntuples + 1));
	for (uint32 i = 0; i < table->ntuples; i++)
		if (hidden[i])
			slices[n++] = table->slices[population->ncolumns - 1][i];
	return persons_together(population_persons(population), slices, n, PG_INT64_MAX);
}

/* The number of all hidden people, if they would keep the promise as one class, or else 0. */
static int64
people_to_star(const Population *population, const Promise *promise, const TupleTable *table, const bool *hidden)
{
	uint32	   *slices = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) table->ntuples + 1));

	int64		people = people_of_hidden(population, table, hidden);

	if (people < Max(promise->k, 1))
		return 0;
	/* everybody outside matches its labels */
	if (population_asks_outside(population))
		return 0;
	/* one more class, whose risk must not exceed that allowed for all */
	for (int i = 0; i < population->nlimits; i++)
		if ((double) models[population->limits[i].model]->of_all(people, population->limits[i].c) / people > population->limits[i].threshold)
			return 0;
	for (int j = 0; j < population->nsensitive; j++)
	{
		uint32		n = 0;
		uint32		merged;
		const Slice *slice;

		for (uint32 i = 0; i < table->ntuples; i++)
			if (hidden[i])
				slices[n++] = table->slices[j][i];
		/* merging may reallocate the slices */
		merged = histograms_merge(population->columns[j], slices, n);
		slice = &population->columns[j]->slices[merged];
		if (slice->breaks != 0)
			return 0;
	}
	return people;
}

/* Finds the classes of a node, or else of boxes, that break the promise. */
static bool *
hidden_classes(const Population *population, Recodings node, const LeafBoxes *boxes, const Promise *promise, const TupleTable *table)
{
	Measurer   *measurer = measurer_create(population, promise);
	int64		threshold = size_threshold(measurer, table);
	bool	   *hidden = MemoryContextAllocHuge(CurrentMemoryContext, (Size) table->ntuples + 1);

	if (node != NULL)
		measurer_look_outside(measurer, node, table);
	else
		measurer_look_into_boxes(measurer, boxes);
	for (uint32 i = 0; i < table->ntuples; i++)
		hidden[i] = class_breaks(measurer, table, i, threshold) != 0;
	return hidden;
}

/* The codes of every class's labels, class by class. */
static uint32 *
codes_of_classes(const Population *population, const TupleTable *table)
{
	Size		size = sizeof(uint32) * ((Size) table->ntuples + 1) * population->nattrs;
	uint32	   *codes;

	budget_require(population->context, size);
	codes = MemoryContextAllocHuge(CurrentMemoryContext, size);
	for (uint32 i = 0; i < table->ntuples; i++)
		for (int a = 0; a < population->nattrs; a++)
			codes[(Size) i * population->nattrs + a] = key_get(table->keys + (Size) i * population->nwords,
															   &population->attrs[a].field);
	return codes;
}

ShownClasses *
shown_create(int nattrs)
{
	ShownClasses *shown = palloc0(sizeof(ShownClasses));

	shown->nattrs = nattrs;
	shown->nlabels = palloc0(sizeof(uint32) * (nattrs + 1));
	shown->labels = palloc0(sizeof(char **) * (nattrs + 1));
	return shown;
}

ShownClasses *
shown_classes_of_node(const Population *population, Recodings node, const char *const *const *labels, const Promise *promise,
					  bool star, const int *order, int norder)
{
	ShownClasses *shown = shown_create(population->nattrs);
	int			bottom[MAX_ATTRIBUTES] = {0};
	uint32	   *class_of;
	uint32	   *classes;
	TupleTable *table = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom), node,
										   CurrentMemoryContext, &class_of);
	bool	   *hidden = hidden_classes(population, node, NULL, promise, table);
	uint32	   *codes = codes_of_classes(population, table);

	for (int a = 0; a < population->nattrs; a++)
	{
		shown->nlabels[a] = node[a]->nlabels;
		shown->labels[a] = (const char **) labels[a];
	}
	classes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) table->ntuples + 1));
	for (uint32 i = 0; i < table->ntuples; i++)
		if (!hidden[i])
			classes[shown->n++] = i;
	place_classes(shown, codes, table->counts, classes, order, norder);
	shown->starred_people = star ? people_to_star(population, promise, table, hidden) : 0;
	place_tuples(shown, class_of, population->tuples->ntuples, classes, table->ntuples, shown->starred_people > 0 ? shown->n : NOT_SHOWN);
	tuple_table_free(population, table);
	pfree(codes);
	pfree(classes);
	pfree(hidden);
	return shown;
}

uint32 *
codes_of_keys(const KeyCounter *counter, int nattrs)
{
	uint32	   *codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) counter->nkeys + 1) * nattrs);

	for (uint32 i = 0; i < counter->nkeys; i++)
		for (int a = 0; a < nattrs; a++)
			codes[(Size) i * nattrs + a] = (uint32) (counter->keys[(Size) i * counter->nwords + a / 2] >> (a % 2 * 32));
	return codes;
}

/* The classes of a recoding; classes whose labels look alike are one. */
typedef struct LabelledClasses
{
	uint32		n;
	uint32	   *codes;			/* by class and attribute */
	uint32	   *class_of;		/* by tuple; n if in none */
	LeafBoxes	boxes;
} LabelledClasses;

static LabelledClasses
unite_alike(const Population *population, const RecodedClasses *classes, const RecodedLabels *labels)
{
	int			nattrs = population->nattrs;
	uint32		ntuples = population->tuples->ntuples;
	KeyCounter *looks = key_counter_create(CurrentMemoryContext, Max(content_code_words(nattrs), 1), Max(classes->nclasses, 16));
	uint32	   *number = budget_alloc(sizeof(uint32), (Size) classes->nclasses + 1);
	LabelledClasses united;

	for (uint32 class = 0; class < classes->nclasses; class++)
	{
		uint64	   *key = key_counter_candidate(looks);

		memset(key, 0, sizeof(uint64) * looks->nwords);
		for (int a = 0; a < nattrs; a++)
			key[a / 2] |= (uint64) labels->codes[(Size) class * nattrs + a] << (a % 2 * 32);
		number[class] = key_counter_add(looks, 1);
	}
	united.n = looks->nkeys;
	united.codes = codes_of_keys(looks, nattrs);
	united.class_of = budget_alloc(sizeof(uint32), (Size) ntuples + 1);
	for (uint32 i = 0; i < ntuples; i++)
		united.class_of[i] = classes->class_of[i] == NO_CLASS ? united.n : number[classes->class_of[i]];
	united.boxes = recoding_boxes(classes);
	united.boxes.nclasses = united.n;
	united.boxes.class_of = number;
	return united;
}

/* The same boxes, by the positions of their classes. */
static LeafBoxes
place_boxes(const LeafBoxes *boxes, const uint32 *classes, uint32 n)
{
	LeafBoxes	placed = *boxes;
	uint32	   *place_of_class = budget_alloc(sizeof(uint32), (Size) boxes->nclasses + 1);
	uint32	   *places = budget_alloc(sizeof(uint32), (Size) boxes->nboxes + 1);

	memset(place_of_class, 0xff, sizeof(uint32) * boxes->nclasses);
	for (uint32 i = 0; i < n; i++)
		place_of_class[classes[i]] = i;
	for (uint32 box = 0; box < boxes->nboxes; box++)
		places[box] = place_of_class[boxes->class_of[box]];
	pfree(place_of_class);
	placed.nclasses = n;
	placed.class_of = places;
	return placed;
}

ShownClasses *
shown_classes_of_recoding(const Population *population, const RecodedClasses *classes, const RecodedLabels *labels,
						  const Promise *promise, bool star, const int *order, int norder)
{
	ShownClasses *shown = shown_create(population->nattrs);
	LabelledClasses united = unite_alike(population, classes, labels);
	uint32		ntuples = population->tuples->ntuples;
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	uint32		nall = united.n + (classes->suppressed > 0 ? 1 : 0);
	TupleTable *table;
	bool	   *hidden;
	uint32	   *kept = budget_alloc(sizeof(uint32), (Size) united.n + 1);

	population_mark(population, marks);
	/* people in no class form a last one, which is hidden */
	table = recoding_class_table(population, united.class_of, nall);
	table->ntuples = united.n;
	hidden = hidden_classes(population, NULL, &united.boxes, promise, table);
	hidden[united.n] = true;
	table->ntuples = nall;
	for (int a = 0; a < population->nattrs; a++)
	{
		shown->nlabels[a] = labels->nlabels[a];
		shown->labels[a] = labels->labels[a];
	}
	for (uint32 class = 0; class < united.n; class++)
		if (!hidden[class])
			kept[shown->n++] = class;
	place_classes(shown, united.codes, table->counts, kept, order, norder);
	shown->boxes = place_boxes(&united.boxes, kept, shown->n);
	shown->starred_people = star ? people_to_star(population, promise, table, hidden) : 0;
	place_tuples(shown, united.class_of, ntuples, kept, nall, shown->starred_people > 0 ? shown->n : NOT_SHOWN);
	population_release(population, marks);
	pfree(hidden);
	pfree(kept);
	return shown;
}
