/*
 * population.c
 *	  The data read from a relation: attributes, distinct tuples, and the
 *	  values counted beside them.
 *
 * A tuple is a packed key: the code of each attribute in as many bits as its
 * domain needs, none across two words.  Codes keep their place at every level,
 * so that generalizing a tuple means replacing fields.
 */
#include "engine/population.h"

#include "base/budget.h"
#include "engine/node_classes.h"
#include "miscadmin.h"

void *
population_alloc(const Population *population, Size element, Size n)
{
	budget_require(population->context, element * n);
	return MemoryContextAllocHuge(CurrentMemoryContext, element * n);
}

void
population_lay_out(Population *population)
{
	int			left = 0;

	population->nwords = 0;
	for (int a = 0; a < population->nattrs; a++)
	{
		Attribute  *attr = &population->attrs[a];

		attr->field = key_add_field(&population->nwords, &left, attr->hierarchy->nleaves);
	}
	population->nwords = Max(population->nwords, 1);
}

void
population_promise(Population *population, int column, const Condition *condition)
{
	histograms_add_condition(population->columns[column], condition);
	population->has_conditions = true;
	population->models |= MODEL_BIT(condition->model);
}

void
population_ask(Population *population, PromiseModel model)
{
	if (population->models & MODEL_BIT(model))
		return;
	population->models |= MODEL_BIT(model);
	for (int column = 0; column < population->nsensitive; column++)
		histograms_ask(population->columns[column], model);
}

void
population_mark(const Population *population, HistogramMark *marks)
{
	for (int column = 0; column < population->ncolumns; column++)
		marks[column] = histograms_mark(population->columns[column]);
}

void
population_release(const Population *population, const HistogramMark *marks)
{
	for (int column = 0; column < population->ncolumns; column++)
		histograms_release(population->columns[column], marks[column]);
}

Recoding *
weighed_cut(const Population *population, int a, const Recoding *finer, const bool *keep)
{
	const TupleTable *tuples = population->tuples;
	const Attribute *attr = &population->attrs[a];
	Recoding   *cut = recoding_cut(attr->hierarchy, finer, keep);
	const uint64 *key = tuples->keys;

	for (uint32 i = 0; i < tuples->ntuples; i++, key += population->nwords)
		cut->loss += (int128) tuples->counts[i] * label_lost(attr->hierarchy, cut, cut->label_of[key_get(key, &attr->field)]);
	return cut;
}

void
population_weigh(Population *population)
{
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		const uint64 *key = population->tuples->keys;
		Size		size = sizeof(int64) * attr->hierarchy->nleaves;
		int64	   *people = memset(population_alloc(population, size, 1), 0, size);

		for (uint32 i = 0; i < population->tuples->ntuples; i++, key += population->nwords)
			people[key_get(key, &attr->field)] += population->tuples->counts[i];
		for (int level = 0; level <= attr->hierarchy->height; level++)
		{
			Recoding   *recoding = &attr->hierarchy->levels[level];

			for (uint32 leaf = 0; leaf < attr->hierarchy->nleaves; leaf++)
				recoding->loss += (int128) people[leaf] *
					label_lost(attr->hierarchy, recoding, recoding->label_of[leaf]);
		}
		pfree(people);
	}
}

int
compare_levels(const int *a, const int *b, int nattrs)
{
	int			difference = 0;

	for (int i = 0; i < nattrs; i++)
		difference += a[i] - b[i];
	for (int i = 0; i < nattrs && difference == 0; i++)
		difference = a[i] - b[i];
	return difference;
}

const Recoding **
node_of_levels(const Population *population, const int *levels)
{
	const Recoding **node = palloc(sizeof(Recoding *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		/*
		 * levels were checked against a hierarchy that has since been read
		 * again
		 */
		if (levels[a] < 0 || levels[a] > attr->hierarchy->height)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("level %d of column \"%s\" is out of range", levels[a], attr->name),
					 errhint("Levels of column \"%s\" are 0 to %d.", attr->name, attr->hierarchy->height)));
		node[a] = &attr->hierarchy->levels[levels[a]];
	}
	return node;
}

TupleTable *
tuple_table_create(const Population *population, MemoryContext context, uint32 room)
{
	TupleTable *table = MemoryContextAlloc(context, sizeof(TupleTable));
	Size		size = Max(room, 1);

	budget_require(context, size * (sizeof(uint64) * population->nwords + sizeof(int64) +
									sizeof(uint32) * population->ncolumns));
	table->ntuples = 0;
	table->people = NULL;
	table->keys = MemoryContextAllocHuge(context, sizeof(uint64) * population->nwords * size);
	table->counts = MemoryContextAllocHuge(context, sizeof(int64) * size);
	table->slices = MemoryContextAlloc(context, sizeof(uint32 *) * (population->ncolumns + 1));
	for (int column = 0; column < population->ncolumns; column++)
		table->slices[column] = MemoryContextAllocHuge(context, sizeof(uint32) * size);
	return table;
}

void
tuple_table_free(const Population *population, TupleTable *table)
{
	if (table->keys != NULL)
		pfree(table->keys);
	pfree(table->counts);
	for (int column = 0; column < population->ncolumns; column++)
		pfree(table->slices[column]);
	pfree(table->slices);
	pfree(table);
}

void
group_by_class(const uint32 *class_of, uint32 n, uint32 nclasses, const uint32 *values, uint32 *start, uint32 *grouped)
{
	memset(start, 0, sizeof(uint32) * ((Size) nclasses + 1));
	for (uint32 i = 0; i < n; i++)
		start[class_of[i] + 1]++;
	for (uint32 c = 0; c < nclasses; c++)
		start[c + 1] += start[c];
	for (uint32 i = 0; i < n; i++)
		grouped[start[class_of[i]]++] = values != NULL ? values[i] : i;
	memmove(start + 1, start, sizeof(uint32) * (Size) nclasses);
	start[0] = 0;
}

void
count_class_persons(const Population *population, const uint32 *class_of, const uint32 *persons, uint32 n, uint32 nclasses,
					uint32 *start, uint32 *together, int64 *people)
{
	group_by_class(class_of, n, nclasses, persons, start, together);
	for (uint32 class = 0; class < nclasses; class++)
		people[class] = persons_together(population_persons(population), together + start[class],
										 start[class + 1] - start[class], PG_INT64_MAX);
}

/* Creates a table of classes without their keys and counts: merges the histograms of the tuples in each. */
static TupleTable *
group_columns(const Population *population, const TupleTable *finer, const uint32 *class_of, uint32 nclasses,
			  MemoryContext context)
{
	TupleTable *classes = MemoryContextAllocZero(context, sizeof(TupleTable));
	Size		n = finer->ntuples;
	uint32	   *start;
	uint32	   *order;
	uint32	   *together;

	classes->ntuples = nclasses;
	classes->slices = MemoryContextAlloc(context, sizeof(uint32 *) * (population->ncolumns + 1));
	for (int column = 0; column < population->ncolumns; column++)
		classes->slices[column] = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) nclasses + 1));
	if (population->ncolumns == 0)
		return classes;
	start = population_alloc(population, sizeof(uint32), (Size) nclasses + 1);
	order = population_alloc(population, sizeof(uint32), n + 1);
	together = population_alloc(population, sizeof(uint32), n + 1);
	group_by_class(class_of, finer->ntuples, nclasses, NULL, start, order);
	for (int column = 0; column < population->ncolumns; column++)
		for (uint32 c = 0; c < nclasses; c++)
		{
			uint32		ntogether = 0;

			if (c % 4096 == 0)
				CHECK_FOR_INTERRUPTS();
			for (uint32 i = start[c]; i < start[c + 1]; i++)
				together[ntogether++] = finer->slices[column][order[i]];
			classes->slices[column][c] = histograms_merge(population->columns[column], together, ntogether);
		}
	pfree(start);
	pfree(order);
	pfree(together);
	return classes;
}

TupleTable *
tuple_table_group(const Population *population, const TupleTable *finer, const uint32 *class_of, uint32 nclasses,
				  MemoryContext context)
{
	TupleTable *classes = group_columns(population, finer, class_of, nclasses, context);

	budget_require(population->context, sizeof(int64) * ((Size) nclasses + 1));
	classes->counts = MemoryContextAllocExtended(context, sizeof(int64) * ((Size) nclasses + 1),
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < finer->ntuples; i++)
		classes->counts[class_of[i]] += finer->counts[i];
	return classes;
}

TupleTable *
tuple_table_recode(const Population *population, const TupleTable *finer,
				   Recodings from, Recodings to, MemoryContext context, uint32 **wanted)
{
	ClassCounter *counter = class_counter_create(context, population, finer->ntuples);
	uint32	   *class_of = MemoryContextAllocHuge(context, sizeof(uint32) * ((Size) finer->ntuples + 1));
	TupleTable	counted;
	TupleTable *classes;

	class_counter_recode(counter, finer, from, to, class_of);
	counted = class_counter_end(counter);
	classes = group_columns(population, finer, class_of, counted.ntuples, context);
	classes->keys = counted.keys;
	classes->counts = counted.counts;
	if (wanted != NULL)
		*wanted = class_of;
	else
		pfree(class_of);
	return classes;
}

TupleTable *
population_classes(const Population *population, Recodings node, MemoryContext context)
{
	int			bottom[MAX_ATTRIBUTES] = {0};
	const Recoding **leaves = node_of_levels(population, bottom);

	return tuple_table_recode(population, population->tuples, leaves, node, context, NULL);
}
