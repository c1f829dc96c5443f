/*
 * population_copies.c
 *	  Copies of a population: without its columns, and in shared memory.
 */
#include "engine/population.h"

/* Whether something is promised of the values in classes, or in those of some columns. */
static bool
needs_values(const Population *population)
{
	bool		needs = population->has_conditions;

	for (int i = 0; i < population->nknown; i++)
		needs = needs || population->known[i].column >= 0;
	return needs;
}

/* Every search needs the persons in a class. */
Population *
population_narrow(const Population *population)
{
	Population *narrow = palloc(sizeof(Population));

	*narrow = *population;
	if (needs_values(population))
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

/* -------------------------------------------- a population in shared memory */

/*
 * It is a sequence of arrays, written and read by the same functions.  A reader
 * points into them; it copies the structs that hold pointers, and the
 * histograms, because it adds to them.
 */

typedef struct Stream
{
	char	   *bytes;			/* NULL while only the size is computed */
	Size		size;			/* passed so far */
	bool		reads;
} Stream;

/* Writes an array, or sets a pointer to it. */
static void
pass(Stream *stream, void *pointer, Size size)
{
	void	  **array = pointer;

	if (stream->reads)
		*array = stream->bytes + stream->size;
	else if (stream->bytes != NULL && size > 0)
		memcpy(stream->bytes + stream->size, *array, size);
	stream->size += MAXALIGN(size);
}

/* Does so with structs whose pointers a reader will set. */
static void
pass_copied(Stream *stream, void *pointer, Size size)
{
	void	  **array = pointer;

	pass(stream, pointer, size);
	if (stream->reads)
		*array = memcpy(palloc(size), *array, size);
}

static void
pass_hierarchy(Stream *stream, Hierarchy **pointer)
{
	Hierarchy  *hierarchy;

	pass_copied(stream, pointer, sizeof(Hierarchy));
	hierarchy = *pointer;
	if (stream->reads)
		hierarchy->labels = NULL;
	pass_copied(stream, &hierarchy->levels, sizeof(Recoding) * (hierarchy->height + 1));
	for (int level = 0; level <= hierarchy->height; level++)
	{
		Recoding   *recoding = &hierarchy->levels[level];

		pass(stream, &recoding->label_of, sizeof(uint32) * hierarchy->nleaves);
		pass(stream, &recoding->first_leaf, sizeof(uint32) * recoding->nlabels);
		pass(stream, &recoding->leaves, sizeof(uint32) * recoding->nlabels);
	}
	if (hierarchy->sizes_before != NULL)
		pass(stream, &hierarchy->sizes_before, sizeof(uint32) * ((Size) hierarchy->nleaves + 1));
}

static void
pass_column(Stream *stream, Histograms **column, MemoryContext context)
{
	Histograms *h;

	pass_copied(stream, column, sizeof(Histograms));
	h = *column;
	if (h->role == COLUMN_PERSON)
	{
		pass(stream, &h->listed, sizeof(uint32) * h->nentries);
		pass(stream, &h->classes, sizeof(PersonClass) * h->nslices);
		if (stream->reads)
			persons_resume(h, context);
		return;
	}
	pass(stream, &h->entries, sizeof(ValueCount) * h->nentries);
	pass(stream, &h->slices, sizeof(ClassHistogram) * h->nslices);
	pass(stream, &h->total, sizeof(int64) * h->nvalues);
	if (h->tree != NULL)
	{
		pass_hierarchy(stream, &h->tree);
		pass(stream, &h->leaf_of, sizeof(uint32) * h->nvalues);
	}
	if (stream->reads)
		histograms_resume(h, context);
}

static void
pass_rows(Stream *stream, PersonRows **pointer, int ncolumns)
{
	PersonRows *rows;

	pass_copied(stream, pointer, sizeof(PersonRows));
	rows = *pointer;
	pass(stream, &rows->tuple, sizeof(uint32) * (Size) rows->n);
	pass(stream, &rows->person, sizeof(uint32) * (Size) rows->n);
	pass(stream, &rows->count, sizeof(int64) * (Size) rows->n);
	pass_copied(stream, &rows->values, sizeof(uint32 *) * ncolumns);
	for (int column = 0; column < ncolumns; column++)
		pass(stream, &rows->values[column], sizeof(uint32) * (Size) rows->n);
}

static void
pass_population(Stream *stream, Population **pointer, MemoryContext context)
{
	Population *population;
	TupleTable *tuples;

	pass_copied(stream, pointer, sizeof(Population));
	population = *pointer;
	pass_copied(stream, &population->attrs, sizeof(Attribute) * population->nattrs);
	for (int a = 0; a < population->nattrs; a++)
	{
		if (stream->reads)
			population->attrs[a].name = NULL;
		pass_hierarchy(stream, &population->attrs[a].hierarchy);
	}
	pass_copied(stream, &population->tuples, sizeof(TupleTable));
	tuples = population->tuples;
	pass(stream, &tuples->keys, sizeof(uint64) * population->nwords * (Size) tuples->ntuples);
	pass(stream, &tuples->counts, sizeof(int64) * (Size) tuples->ntuples);
	pass_copied(stream, &tuples->slices, sizeof(uint32 *) * population->ncolumns);
	pass_copied(stream, &population->columns, sizeof(Histograms *) * population->ncolumns);
	for (int column = 0; column < population->ncolumns; column++)
	{
		pass(stream, &tuples->slices[column], sizeof(uint32) * (Size) tuples->ntuples);
		pass_column(stream, &population->columns[column], context);
	}
	if (population->rows != NULL)
		pass_rows(stream, &population->rows, population->ncolumns - 1);
	for (int i = 0; i < OTHERS_MODELS; i++)
	{
		Outsiders  *outsiders = &population->outside[i].people;

		if (stream->reads)
			population->outside[i].boxes = NULL;
		if (!population->outside[i].given)
			continue;
		pass(stream, &outsiders->keys, sizeof(uint64) * population->nwords * (Size) outsiders->ntuples);
		pass(stream, &outsiders->counts, sizeof(int64) * (Size) outsiders->ntuples);
		if (outsiders->unknown != NULL)
			pass(stream, &outsiders->unknown, sizeof(uint64) * (Size) outsiders->ntuples);
	}
}

Size
shared_population_write(const Population *population, char *bytes)
{
	Stream		stream = {.bytes = bytes};
	Population *written = unconstify(Population *, population);

	pass_population(&stream, &written, NULL);
	return stream.size;
}

Population *
shared_population_read(char *bytes, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Stream		stream = {.bytes = bytes,.reads = true};
	Population *population;

	pass_population(&stream, &population, context);
	population->context = context;
	population->sets = NULL;
	population->tuples->people = NULL;
	MemoryContextSwitchTo(old);
	return population;
}
