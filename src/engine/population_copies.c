/*
 * population_copies.c
 *	  Copies of a population: without its columns, and in shared memory.
 */
#include "engine/population_copies.h"

#include "engine/node_classes.h"
#include "engine/persons.h"
#include "miscadmin.h"

/* ---------------- lets searches that need no sensitive or class column work */

/*
 * Every search needs the persons in a class.
 */

Population *
population_narrow(const Population *population)
{
	Population *narrow = palloc(sizeof(Population));

	*narrow = *population;
	if (population->has_conditions)
		return narrow;
	narrow->ncolumns = 0;
	narrow->nsensitive = 0;
	narrow->has_label = false;
	if (population->has_persons)
	{
		int			column = population->ncolumns - 1;

		narrow->ncolumns = 1;
		narrow->columns = &population->columns[column];
		narrow->tuples = palloc(sizeof(TupleTable));
		*narrow->tuples = *population->tuples;
		narrow->tuples->slices = &population->tuples->slices[column];
	}
	return narrow;
}

static int
compare_nodes(const void *a, const void *b, void *arg)
{
	const Population *population = arg;
	const MeasuredNode *const *x = a;
	const MeasuredNode *const *y = b;

	return compare_levels((*x)->levels, (*y)->levels, population->nattrs);
}

/* Finest nodes first, since the classes of others are computed from theirs. */
void
remeasure_nodes(Population *population, const Promise *promise, int nnodes, MeasuredNode *nodes)
{
	ClassCache *cache = class_cache_create(population);
	Measurer   *measurer = measurer_create(population, promise);
	MeasuredNode **order = palloc(sizeof(MeasuredNode *) * (nnodes + 1));

	for (int i = 0; i < nnodes; i++)
		order[i] = &nodes[i];
	if (nnodes > 1)
		qsort_arg(order, nnodes, sizeof(MeasuredNode *), compare_nodes, population);
	for (int i = 0; i < nnodes; i++)
	{
		Recodings	node;
		const TupleTable *classes = class_cache_classes(cache, order[i]->levels, &node);

		CHECK_FOR_INTERRUPTS();
		measure(measurer, node, classes, &order[i]->measures);
	}
	class_cache_free(cache);
	pfree(order);
}

/* -------------------------------------------- A population in shared memory */

/*
 * It is written as a sequence of arrays and read as pointers into it.  Workers
 * copy only the histograms, because they add to them.
 */

/* The position of the next array; NULL while only the size is computed. */
typedef struct Writer
{
	char	   *at;
	Size		size;
} Writer;

static void
put(Writer *writer, const void *bytes, Size size)
{
	if (writer->at != NULL && size > 0)
		memcpy(writer->at + writer->size, bytes, size);
	writer->size += MAXALIGN(size);
}

/* The next array of a number of bytes. */
static void *
take(char **at, Size size)
{
	void	   *bytes = *at;

	*at += MAXALIGN(size);
	return bytes;
}

static void
put_recoding(Writer *writer, const Recoding *recoding, uint32 nleaves)
{
	put(writer, recoding, sizeof(Recoding));
	put(writer, recoding->label_of, sizeof(uint32) * nleaves);
	put(writer, recoding->first_leaf, sizeof(uint32) * recoding->nlabels);
	put(writer, recoding->leaves, sizeof(uint32) * recoding->nlabels);
}

static void
take_recoding(char **at, Recoding *recoding, uint32 nleaves)
{
	*recoding = *(Recoding *) take(at, sizeof(Recoding));
	recoding->label_of = take(at, sizeof(uint32) * nleaves);
	recoding->first_leaf = take(at, sizeof(uint32) * recoding->nlabels);
	recoding->leaves = take(at, sizeof(uint32) * recoding->nlabels);
}

static void
put_hierarchy(Writer *writer, const Hierarchy *hierarchy)
{
	put(writer, hierarchy, sizeof(Hierarchy));
	for (int level = 0; level <= hierarchy->height; level++)
		put_recoding(writer, &hierarchy->levels[level], hierarchy->nleaves);
	if (hierarchy->widths_before != NULL)
		put(writer, hierarchy->widths_before, sizeof(uint32) * ((Size) hierarchy->nleaves + 1));
}

static Hierarchy *
take_hierarchy(char **at)
{
	Hierarchy  *hierarchy = palloc(sizeof(Hierarchy));

	*hierarchy = *(Hierarchy *) take(at, sizeof(Hierarchy));
	hierarchy->levels = palloc(sizeof(Recoding) * (hierarchy->height + 1));
	hierarchy->labels = NULL;
	for (int level = 0; level <= hierarchy->height; level++)
		take_recoding(at, &hierarchy->levels[level], hierarchy->nleaves);
	if (hierarchy->widths_before != NULL)
		hierarchy->widths_before = take(at, sizeof(uint32) * ((Size) hierarchy->nleaves + 1));
	return hierarchy;
}

static void
put_column(Writer *writer, const Histograms *h)
{
	put(writer, h, sizeof(Histograms));
	if (h->role == COLUMN_PERSON)
	{
		put(writer, h->listed, sizeof(uint32) * h->nentries);
		put(writer, h->classes, sizeof(PersonClass) * h->nslices);
		return;
	}
	put(writer, h->entries, sizeof(ValueCount) * h->nentries);
	put(writer, h->slices, sizeof(Slice) * h->nslices);
	put(writer, h->total, sizeof(int64) * h->nvalues);
	if (h->tree == NULL)
		return;
	put_hierarchy(writer, h->tree);
	put(writer, h->leaf_of, sizeof(uint32) * h->nvalues);
}

static Histograms *
take_persons(char **at, const Histograms *shared, MemoryContext context)
{
	Histograms *h = persons_create(context, NULL, shared->nvalues);
	const uint32 *listed = take(at, sizeof(uint32) * shared->nentries);

	persons_resume(h, listed, shared->nentries, take(at, sizeof(PersonClass) * shared->nslices), shared->nslices);
	return h;
}

static Histograms *
take_values(char **at, const Histograms *shared, MemoryContext context)
{
	Histograms *h = histograms_create(context, NULL, shared->role, shared->nvalues);
	bool		has_tree = shared->tree != NULL;
	const ValueCount *entries = take(at, sizeof(ValueCount) * shared->nentries);
	const Slice *slices = take(at, sizeof(Slice) * shared->nslices);

	h->people = shared->people;
	h->nconditions = shared->nconditions;
	memcpy(h->conditions, shared->conditions, sizeof(h->conditions));
	h->models = shared->models;
	h->lenient = shared->lenient;
	h->total = take(at, sizeof(int64) * shared->nvalues);
	if (has_tree)
	{
		Hierarchy  *tree = take_hierarchy(at);

		histograms_set_distance(h, shared->metric, tree, take(at, sizeof(uint32) * shared->nvalues));
	}
	else
		histograms_set_distance(h, shared->metric, NULL, NULL);
	histograms_resume(h, entries, shared->nentries, slices, shared->nslices);
	return h;
}

static Histograms *
take_column(char **at, MemoryContext context)
{
	const Histograms *shared = take(at, sizeof(Histograms));

	return shared->role == COLUMN_PERSON ? take_persons(at, shared, context) : take_values(at, shared, context);
}

static void
put_outsiders(Writer *writer, const Outsiders *outsiders, int nwords)
{
	put(writer, outsiders->keys, sizeof(uint64) * nwords * (Size) outsiders->ntuples);
	put(writer, outsiders->counts, sizeof(int64) * (Size) outsiders->ntuples);
	if (outsiders->unknown != NULL)
		put(writer, outsiders->unknown, sizeof(uint64) * (Size) outsiders->ntuples);
}

static void
take_outsiders(char **at, Outsiders *outsiders, int nwords)
{
	outsiders->keys = take(at, sizeof(uint64) * nwords * (Size) outsiders->ntuples);
	outsiders->counts = take(at, sizeof(int64) * (Size) outsiders->ntuples);
	if (outsiders->unknown != NULL)
		outsiders->unknown = take(at, sizeof(uint64) * (Size) outsiders->ntuples);
}

static void
put_population(Writer *writer, const Population *population)
{
	const TupleTable *tuples = population->tuples;

	put(writer, population, sizeof(Population));
	put(writer, population->attrs, sizeof(Attribute) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
		put_hierarchy(writer, population->attrs[a].hierarchy);
	put(writer, &tuples->ntuples, sizeof(uint32));
	put(writer, tuples->keys, sizeof(uint64) * population->nwords * (Size) tuples->ntuples);
	put(writer, tuples->counts, sizeof(int64) * (Size) tuples->ntuples);
	for (int column = 0; column < population->ncolumns; column++)
	{
		put(writer, tuples->slices[column], sizeof(uint32) * (Size) tuples->ntuples);
		put_column(writer, population->columns[column]);
	}
	for (int i = 0; i < OTHERS_MODELS; i++)
		if (population->outside[i].given)
			put_outsiders(writer, &population->outside[i].people, population->nwords);
}

Size
shared_population_size(const Population *population)
{
	Writer		writer = {NULL, 0};

	put_population(&writer, population);
	return writer.size;
}

void
shared_population_write(const Population *population, char *bytes)
{
	Writer		writer = {bytes, 0};

	put_population(&writer, population);
}

Population *
shared_population_read(char *bytes, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Population *population = palloc(sizeof(Population));
	TupleTable *tuples = palloc(sizeof(TupleTable));

	*population = *(Population *) take(&bytes, sizeof(Population));
	population->context = context;
	population->attrs = palloc(sizeof(Attribute) * population->nattrs);
	memcpy(population->attrs, take(&bytes, sizeof(Attribute) * population->nattrs),
		   sizeof(Attribute) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
	{
		population->attrs[a].name = NULL;
		population->attrs[a].hierarchy = take_hierarchy(&bytes);
	}
	tuples->ntuples = *(uint32 *) take(&bytes, sizeof(uint32));
	tuples->keys = take(&bytes, sizeof(uint64) * population->nwords * (Size) tuples->ntuples);
	tuples->counts = take(&bytes, sizeof(int64) * (Size) tuples->ntuples);
	tuples->slices = palloc(sizeof(uint32 *) * (population->ncolumns + 1));
	population->columns = palloc(sizeof(Histograms *) * (population->ncolumns + 1));
	for (int column = 0; column < population->ncolumns; column++)
	{
		tuples->slices[column] = take(&bytes, sizeof(uint32) * (Size) tuples->ntuples);
		population->columns[column] = take_column(&bytes, context);
	}
	for (int i = 0; i < OTHERS_MODELS; i++)
	{
		population->outside[i].boxes = NULL;
		if (population->outside[i].given)
			take_outsiders(&bytes, &population->outside[i].people, population->nwords);
	}
	tuples->people = NULL;
	population->tuples = tuples;
	MemoryContextSwitchTo(old);
	return population;
}
