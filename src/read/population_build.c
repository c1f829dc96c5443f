/*
 * population_build.c
 *	  Builds a population from the tuples read.
 *
 * Values without a hierarchy are numbered in their type's order, tuples are
 * sorted by key, and the sensitive values of equal tuples become histograms.
 */
#include "read/reading.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "miscadmin.h"
#include "read/population_read.h"

static bool
code_occurs(const Reading *reading, int column, uint32 code)
{
	for (uint32 i = 0; i < reading->tuples->counter->nkeys; i++)
		if (read_code(reading, i, column) == code)
			return true;
	return false;
}

/*
 * Numbers the values read of a column without a hierarchy, in order and
 * without gaps, NULL last.  Returns their number.
 */
static uint32
number_values(const Reading *reading, int column, uint32 **population_codes)
{
	const Dictionary *dictionary = reading->tuples->dictionaries[column];
	uint32	   *ranks = dictionary_ranks(dictionary);
	uint32		nvalues = dictionary->nvalues;

	*population_codes = budget_alloc(sizeof(uint32), (Size) nvalues + 1);
	(*population_codes)[0] = nvalues;
	for (uint32 i = 0; i < nvalues; i++)
		(*population_codes)[i + 1] = ranks[i];
	pfree(ranks);
	return nvalues + (code_occurs(reading, column, 0) ? 1 : 0);
}

/* Numbers the leaves read of a sensitive column, in the hierarchy's order. */
static uint32
number_leaves(const Reading *reading, int column, uint32 **population_codes, uint32 **leaf_of)
{
	const Hierarchy *hierarchy = reading->columns[column].loaded->hierarchy;
	bool	   *seen = budget_alloc_zero(sizeof(bool), (Size) hierarchy->nleaves + 1);
	uint32		nvalues = 0;

	for (uint32 i = 0; i < reading->tuples->counter->nkeys; i++)
		seen[read_code(reading, i, column)] = true;
	*population_codes = budget_alloc(sizeof(uint32), (Size) hierarchy->nleaves + 1);
	*leaf_of = budget_alloc(sizeof(uint32), (Size) hierarchy->nleaves + 1);
	for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
	{
		if (!seen[leaf])
			continue;
		(*leaf_of)[nvalues] = leaf;
		(*population_codes)[leaf] = nvalues++;
	}
	pfree(seen);
	return nvalues;
}

/* A value of a column read without its hierarchy, to be sorted by leaf. */
typedef struct PlacedValue
{
	uint32		leaf;
	uint32		rank;
	uint32		code;
} PlacedValue;

/*
 * Numbers the values of a sensitive column whose leaves are ranges, in the
 * hierarchy's order and within a range in the type's order.
 */
static uint32
number_values_of_ranges(const Reading *reading, int column, uint32 **population_codes, uint32 **leaf_of)
{
	int			as_is = reading->columns[column].values_column;
	uint32	   *ranks;
	uint32		nvalues = number_values(reading, as_is, &ranks);
	Size		ncodes = (Size) reading->tuples->dictionaries[as_is]->nvalues + 1;
	PlacedValue *values = budget_alloc(sizeof(PlacedValue), ncodes);

	*population_codes = budget_alloc(sizeof(uint32), ncodes);
	*leaf_of = budget_alloc(sizeof(uint32), ncodes);
	for (uint32 code = 0; code < ncodes; code++)
	{
		values[code].leaf = NO_LEAF;
		values[code].rank = ranks[code];
		values[code].code = code;
	}
	for (uint32 i = 0; i < reading->tuples->counter->nkeys; i++)
		values[read_code(reading, i, as_is)].leaf = read_code(reading, i, column);
	/* a NULL that did not occur has no leaf and so comes last */
	qsort(values, ncodes, sizeof(PlacedValue), compare_uint32_pairs);
	for (uint32 i = 0; i < ncodes; i++)
	{
		(*population_codes)[values[i].code] = i;
		(*leaf_of)[i] = values[i].leaf;
	}
	pfree(ranks);
	pfree(values);
	return nvalues;
}

/* Gives NULL a leaf if the data have a NULL and the table does not. */
static void
admit_null(const Reading *reading, int column)
{
	Hierarchy  *hierarchy = reading->columns[column].loaded->hierarchy;

	if (hierarchy->null_leaf == NO_LEAF && code_occurs(reading, column, hierarchy->nleaves))
		hierarchy_add_null(hierarchy);
}

/* Gives leaves that occur the size 1, and all others 0. */
static void
count_occurring(const Reading *reading, int column)
{
	Hierarchy  *hierarchy = reading->columns[column].loaded->hierarchy;
	uint32	   *sizes = budget_alloc_zero(sizeof(uint32), (Size) hierarchy->nleaves + 1);

	for (uint32 i = 0; i < reading->tuples->counter->nkeys; i++)
		if (read_code(reading, i, column) < hierarchy->nleaves)
			sizes[read_code(reading, i, column) + 1] = 1;
	for (uint32 leaf = 0; leaf < hierarchy->nleaves; leaf++)
		sizes[leaf + 1] += sizes[leaf];
	hierarchy->sizes_before = sizes;
}

static void
make_attribute(Reading *reading, int column, Attribute *attr)
{
	ReadColumn *read = &reading->columns[column];

	attr->name = read->declared->column;
	attr->unknown_leaf = read->loaded == NULL ? NO_LEAF : read->loaded->unknown_leaf;
	attr->weight = read->declared->weight;
	if (read->loaded == NULL)
	{
		attr->hierarchy = hierarchy_flat(number_values(reading, column, &read->population_codes));
		if (read->population_codes[0] < attr->hierarchy->nleaves)
			attr->hierarchy->null_leaf = read->population_codes[0];
	}
	else
	{
		admit_null(reading, column);
		attr->hierarchy = read->loaded->hierarchy;
		attr->leaves = leaf_kind(read->loaded->rows->match.leaf_type);
		/* readers of a live view are not told losses */
		if (read->declared->loss_counts == LOSS_OCCURRING && !reading->leaves_out)
			count_occurring(reading, column);
		else if (read->declared->loss_counts == LOSS_RANGE && !reading->leaves_out)
			leaf_widths_measure(reading->dataset->relation, reading_column_name(reading, column), read->form, read->loaded);
	}
	attr->min_level = read->declared->min_level;
	attr->max_level = read->declared->max_level < 0 ? attr->hierarchy->height : read->declared->max_level;
	if (attr->max_level > attr->hierarchy->height || attr->min_level > attr->hierarchy->height)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("levels declared for column \"%s\" are not in its hierarchy", attr->name),
				 errdetail("Levels %d to %d are declared, but the hierarchy has levels 0 to %d.",
						   attr->min_level, attr->max_level, attr->hierarchy->height),
				 errhint("Call anonopt.drop_attribute and declare the column again.")));
}

static Histograms *
make_histograms(Reading *reading, int column)
{
	ReadColumn *read = &reading->columns[column];
	Histograms *histograms;
	uint32	   *leaf_of = NULL;
	uint32		nvalues;
	ColumnRole	role = read->declared->role == ROLE_SENSITIVE ? COLUMN_SENSITIVE : COLUMN_CLASS_LABEL;

	if (read->loaded == NULL)
		nvalues = number_values(reading, column, &read->population_codes);
	else
	{
		admit_null(reading, column);
		nvalues = read->values_column == column ?
			number_leaves(reading, column, &read->population_codes, &leaf_of) :
			number_values_of_ranges(reading, column, &read->population_codes, &leaf_of);
	}
	histograms = histograms_create(reading->context, read->declared->column, role, nvalues);
	histograms_set_distance(histograms, read->declared->distance,
							read->loaded != NULL ? read->loaded->hierarchy : NULL, leaf_of);
	return histograms;
}

/* A tuple read, to be sorted by the population's key. */
typedef struct SortedTuple
{
	uint64		first_word;
	uint32		number;
} SortedTuple;

typedef struct SortKeys
{
	int			nwords;
	const uint64 *keys;
} SortKeys;

static inline int
compare_tuples(const SortedTuple *a, const SortedTuple *b, SortKeys *sort)
{
	if (a->first_word != b->first_word)
		return a->first_word < b->first_word ? -1 : 1;
	for (int word = 1; word < sort->nwords; word++)
	{
		uint64		x = sort->keys[(Size) a->number * sort->nwords + word];
		uint64		y = sort->keys[(Size) b->number * sort->nwords + word];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

#define ST_SORT sort_tuples
#define ST_ELEMENT_TYPE SortedTuple
#define ST_COMPARE(a, b, arg) compare_tuples(a, b, arg)
#define ST_COMPARE_ARG_TYPE SortKeys
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

/* The population's key of every tuple read. */
static uint64 *
population_keys(const Reading *reading, const Population *population)
{
	uint32		ntuples = reading->tuples->counter->nkeys;
	Size		size = sizeof(uint64) * population->nwords * (Size) ntuples;
	uint64	   *keys;
	uint64	   *key;

	budget_require(population->context, size);
	key = keys = MemoryContextAllocExtended(population->context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < ntuples; i++, key += population->nwords)
		for (int a = 0; a < population->nattrs; a++)
		{
			const uint32 *population_codes = reading->columns[a].population_codes;
			uint32		code = read_code(reading, i, a);

			key_put(key, &population->attrs[a].field, population_codes == NULL ? code : population_codes[code]);
		}
	return keys;
}

/* Notes whose rows there are, and with which values, which their tuples do not tell. */
static void
make_person_rows(const Reading *reading, Population *population)
{
	MemoryContext old = MemoryContextSwitchTo(population->context);
	Size		n = (Size) reading->tuples->counter->nkeys + 1;
	PersonRows *rows = palloc0(sizeof(PersonRows));

	rows->npersons = reading->tuples->dictionaries[reading->person->values_column]->nvalues + 1;
	rows->tuple = budget_alloc(sizeof(uint32), n);
	rows->person = budget_alloc(sizeof(uint32), n);
	rows->count = budget_alloc(sizeof(int64), n);
	rows->group = budget_alloc(sizeof(uint32), n);
	rows->values = palloc(sizeof(uint32 *) * population->ncolumns);
	for (int column = 0; column < population->ncolumns - 1; column++)
		rows->values[column] = budget_alloc(sizeof(uint32), n);
	population->rows = rows;
	MemoryContextSwitchTo(old);
}

static void
add_person_row(const Reading *reading, Population *population, uint32 tuple, uint32 group)
{
	PersonRows *rows = population->rows;
	uint32		at = rows->n++;

	rows->tuple[at] = tuple;
	rows->person[at] = read_code(reading, group, reading->person->values_column);
	rows->count[at] = reading->tuples->counter->counts[group];
	rows->group[at] = group;
	for (int column = 0; column < population->ncolumns - 1; column++)
	{
		const ReadColumn *read = &reading->columns[population->nattrs + column];

		rows->values[column][at] = read->population_codes[read_code(reading, group, read->values_column)];
	}
}

/*
 * Adds a run of equal tuples as one tuple, with its sensitive values as
 * histograms.
 */
static void
add_run(const Reading *reading, Population *population, const SortedTuple *run, uint32 length,
		const uint64 *keys)
{
	TupleTable *table = population->tuples;
	uint32		at = table->ntuples++;
	const KeyCounter *counter = reading->tuples->counter;

	for (uint32 i = 0; i < length && reading->tuple_of != NULL; i++)
		reading->tuple_of[run[i].number] = at;
	for (uint32 i = 0; i < length && reading->value_of != NULL; i++)
	{
		const ReadColumn *read = &reading->columns[population->nattrs];

		reading->value_of[run[i].number] = population->nsensitive == 0 ? 0 :
			read->population_codes[read_code(reading, run[i].number, read->values_column)];
	}
	for (uint32 i = 0; i < length && population->rows != NULL; i++)
		add_person_row(reading, population, at, run[i].number);
	memcpy(table->keys + (Size) at * population->nwords,
		   keys + (Size) run->number * population->nwords, sizeof(uint64) * population->nwords);
	table->counts[at] = 0;
	for (uint32 i = 0; i < length; i++)
	{
		int64		count = counter->counts[run[i].number];

		if (count > MAX_PEOPLE - population->people)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("data set stands for too many people"),
					 errdetail("At most " INT64_FORMAT " can be counted exactly.", MAX_PEOPLE)));
		table->counts[at] += count;
		population->people += count;
	}
	for (int column = 0; column < population->ncolumns; column++)
	{
		Histograms *histograms = population->columns[column];
		const ReadColumn *read = &reading->columns[population->nattrs + column];

		if (histograms->role == COLUMN_PERSON)
			for (uint32 i = 0; i < length; i++)
				persons_count(histograms, read_code(reading, run[i].number, reading->person->values_column));
		else
			for (uint32 i = 0; i < length; i++)
				histograms_count(histograms, read->population_codes[read_code(reading, run[i].number, read->values_column)],
								 counter->counts[run[i].number]);
		table->slices[column][at] = histograms_close(histograms);
	}
}

/* Sorts the tuples read into the population's table. */
static void
make_tuple_table(const Reading *reading, Population *population)
{
	uint32		ntuples = reading->tuples->counter->nkeys;
	uint64	   *keys;
	SortedTuple *sorted;
	SortKeys	sort = {population->nwords, NULL};
	uint32		next;

	key_counter_close(reading->tuples->counter);
	sort.keys = keys = population_keys(reading, population);
	budget_require(population->context, sizeof(SortedTuple) * (Size) ntuples);
	sorted = MemoryContextAllocHuge(population->context, sizeof(SortedTuple) * (Size) ntuples);
	for (uint32 i = 0; i < ntuples; i++)
	{
		sorted[i].first_word = keys[(Size) i * population->nwords];
		sorted[i].number = i;
	}
	sort_tuples(sorted, ntuples, &sort);
	population->tuples = tuple_table_create(population, population->context, ntuples);
	for (uint32 i = 0; i < ntuples; i = next)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (next = i + 1; next < ntuples; next++)
			if (compare_tuples(&sorted[i], &sorted[next], &sort) != 0)
				break;
		add_run(reading, population, &sorted[i], next - i, keys);
	}
	pfree(sorted);
	pfree(keys);
}

/*
 * Computes once what is needed of the histograms, after everybody has been
 * counted.
 */
static void
finish_columns(Population *population)
{
	int			last = population->ncolumns - 1;
	Histograms *persons;

	population->persons = population->people;
	for (int column = 0; column < population->nsensitive + (population->has_label ? 1 : 0); column++)
		histograms_finish(population->columns[column]);
	if (!population->has_persons)
		return;
	persons = population->columns[last];
	population->persons = persons_finish(persons, population->tuples->slices[last], population->tuples->ntuples);
	if (population->persons != population->people)
		return;
	/* nobody has two rows: each row is a person, and the column is not needed */
	persons_forget(persons);
	pfree(persons->stamps);
	pfree(persons);
	pfree(population->tuples->slices[last]);
	population->ncolumns--;
	population->has_persons = false;
	/* then k people have each row of everybody, which is all they have */
	population->rows = NULL;
}

int64
population_unknown(const Population *population, int attr)
{
	const Attribute *attribute = &population->attrs[attr];
	const uint64 *key = population->tuples->keys;
	int64		people = 0;

	if (attribute->unknown_leaf == NO_LEAF)
		return 0;
	for (uint32 i = 0; i < population->tuples->ntuples; i++, key += population->nwords)
		if (key_get(key, &attribute->field) == attribute->unknown_leaf)
			people += population->tuples->counts[i];
	return people;
}

/*
 * Reports how many people are shown as the last label because their value has
 * no leaf.
 */
static void
tell_unknown(const Population *population)
{
	for (int a = 0; a < population->nattrs; a++)
	{
		int64		people = population_unknown(population, a);

		if (people > 0)
			ereport(NOTICE,
					(errmsg_plural("column \"%s\": the value of " INT64_FORMAT " person has no leaf and is shown as the last label",
								   "column \"%s\": the values of " INT64_FORMAT " people have no leaf and are shown as the last label",
								   (unsigned long) people, population->attrs[a].name, people)));
	}
}

Population *
make_population(Reading *reading)
{
	Population *population = palloc0(sizeof(Population));
	const Dataset *dataset = reading->dataset;

	population->context = reading->context;
	population->nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	population->nsensitive = dataset_count_role(dataset, ROLE_SENSITIVE);
	population->has_label = dataset_count_role(dataset, ROLE_CLASS_LABEL) > 0;
	population->has_persons = reading->person != NULL;
	population->ncolumns = population->nsensitive + population->has_label + population->has_persons;
	population->attrs = palloc0(sizeof(Attribute) * (population->nattrs + 1));
	population->columns = palloc0(sizeof(Histograms *) * (population->ncolumns + 1));
	for (int a = 0; a < population->nattrs; a++)
		make_attribute(reading, a, &population->attrs[a]);
	for (int column = 0; column < population->nsensitive + population->has_label; column++)
		population->columns[column] = make_histograms(reading, population->nattrs + column);
	population_add_declared(population, dataset);
	if (population->has_persons)
	{
		/* they keep the codes assigned on arrival; NULL is one of them */
		const Dictionary *dictionary = reading->tuples->dictionaries[reading->person->values_column];

		population->columns[population->ncolumns - 1] =
			persons_create(reading->context, reading->person->declared->column, dictionary->nvalues + 1);
		if (population->nrows_known > 0)
			make_person_rows(reading, population);
	}
	population_lay_out(population);
	make_tuple_table(reading, population);
	finish_columns(population);
	population_weigh(population);
	if (!reading->leaves_out)
		tell_unknown(population);
	pfree(reading->tuples->counter->keys);
	if (reading->tuple_of == NULL)
		pfree(reading->tuples->counter->counts);
	return population;
}
