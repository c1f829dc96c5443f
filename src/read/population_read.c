/*
 * population_read.c
 *	  From a declared relation to a population.
 *
 * One ordinary SQL statement reads the relation, so that rights, row
 * security, views and partitions hold and the planner may use workers:
 *
 *		SELECT anonopt.tuples($1, r.a, r.b::numeric, …) FROM relation r
 *
 * Its only result, the distinct tuples, arrives at a receiver of ours: a
 * cursor would forbid parallelism.  What follows is numbering: values
 * without a hierarchy get their place in their type's order, tuples are
 * sorted by key, and the sensitive values of equal tuples become histograms.
 */
#include "read/population_read.h"

#include "access/genam.h"
#include "access/relation.h"
#include "base/budget.h"
#include "catalog/namespace.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "nodes/params.h"
#include "optimizer/cost.h"
#include "parser/parse_param.h"
#include "read/read_plan.h"
#include "read/row_spool_parts.h"
#include "read/shards.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* Where groups are counted as they come. */
typedef struct GroupCounter
{
	Reading    *reading;
	const ReadPlan *plan;
	MemoryContext row;			/* reset after each */
} GroupCounter;

/* Takes the tuples out of the query's memory. */
static void
take_tuples(void *arg, const Datum *values, const bool *nulls)
{
	Reading    *reading = arg;

	if (!nulls[0])
		reading->tuples = tuples_of_value(values[0], reading->context);
}

/* The code of a column of a row that stands for several. */
static uint32
code_of_group(GroupCounter *groups, int i, Datum value, bool isnull)
{
	Reading    *reading = groups->reading;
	Encoder    *encoder = &reading->set.encoders[i];
	const Buckets *buckets = groups->plan->buckets[i];
	uint32		code;
	int			bucket;

	if (buckets == NULL || isnull)
	{
		code = encode(encoder, value, isnull);
		return code == NO_LEAF ? tuples_miss(reading->tuples, &reading->set, i, value) : code;
	}
	bucket = DatumGetInt32(value);
	code = buckets->codes[bucket];
	if (code != NO_LEAF)
		return code;
	if (encoder->miss_code != NO_LEAF)
		return encoder->miss_code;
	tuples_add_miss(reading->tuples, i, bucket == 0 ? psprintf("below %s", buckets->names[0]) :
					psprintf("%s or above", buckets->names[bucket - 1]));
	return 0;
}

/* Counts a tuple that so many rows have; returns its number. */
static uint32
count_codes(GroupCounter *groups, const Datum *values, const bool *nulls, int64 count)
{
	Reading    *reading = groups->reading;
	KeyCounter *counter = reading->tuples->counter;
	uint64	   *key = key_counter_candidate(counter);

	memset(key, 0, sizeof(uint64) * counter->nwords);
	for (int i = 0; i < reading->ncolumns; i++)
		key_put(key, &reading->set.encoders[i].field, code_of_group(groups, i, values[i], nulls[i]));
	return key_counter_add(counter, count);
}

/* Counts a distinct tuple that so many rows have. */
static void
count_group(void *arg, const Datum *values, const bool *nulls, int64 count)
{
	GroupCounter *groups = arg;
	MemoryContext old = MemoryContextSwitchTo(groups->row);

	(void) count_codes(groups, values, nulls, count);
	MemoryContextSwitchTo(old);
	MemoryContextReset(groups->row);
}

/* Takes a row of a grouped statement: the columns, and how many. */
static void
take_group(void *arg, const Datum *values, const bool *nulls)
{
	count_group(arg, values, nulls, DatumGetInt64(values[((GroupCounter *) arg)->reading->ncolumns]));
}

static void
set_parameter_types(ParseState *state, void *arg)
{
	setup_parse_fixed_parameters(state, arg, 1);
}

/* The SQL type of the parameter. */
static Oid
opaque_type(void)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("opaque"),
						   ObjectIdGetDatum(get_namespace_oid("anonopt", false)));
}

/*
 * The encoders for this process and, as bytes, for workers.  They are not
 * marked constant, so that the planner does not copy them into its plan.
 */
static ParamListInfo
read_parameters(Reading *reading)
{
	ParamListInfo params = makeParamList(1);

	reading->opaque_type = opaque_type();
	params->parserSetup = set_parameter_types;
	params->parserSetupArg = &reading->opaque_type;
	params->params[0].value = encoders_value(&reading->set, max_parallel_workers_per_gather > 0);
	params->params[0].isnull = false;
	params->params[0].pflags = 0;
	params->params[0].ptype = reading->opaque_type;
	return params;
}

/* Fails where values came that have no leaf. */
static void
refuse_misses(const Reading *reading)
{
	StringInfoData values;
	const Encoder *encoder;
	int			first;

	if (reading->tuples->nmisses == 0)
		return;
	/* tell of one column only: the others' turn comes */
	first = reading->tuples->misses[0].encoder;
	encoder = &reading->set.encoders[first];
	initStringInfo(&values);
	for (int i = 0; i < reading->tuples->nmisses; i++)
		if (reading->tuples->misses[i].encoder == first)
			appendStringInfo(&values, "%s%s", values.len > 0 ? ", " : "",
							 quote_literal_cstr(reading->tuples->misses[i].value));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" holds values without a leaf in hierarchy %s",
					encoder->column, encoder->hierarchy),
			 errdetail("Among them: %s.", values.data),
			 errhint("Add the values to the hierarchy table, or declare the column with another hierarchy.")));
}

/* Prepares to count groups as they come. */
static void
begin_groups(GroupCounter *groups)
{
	Reading    *reading = groups->reading;

	groups->row = AllocSetContextCreate(reading->context, "anonopt row", ALLOCSET_DEFAULT_SIZES);
	reading->tuples = tuples_begin(reading->context, &reading->set);
}

/* Encodes a store's rows as they come; false where a statement must add them up. */
static bool
feed_from_store(GroupCounter *groups, ReadPlan *plan)
{
	Reading    *reading = groups->reading;

	begin_groups(groups);
	if (store_read_feed(plan->store, plan->places, reading->ncolumns, reading_types(reading, NULL), count_group, groups))
		return true;
	MemoryContextDelete(reading->tuples->context);
	MemoryContextDelete(groups->row);
	reading->tuples = NULL;
	/* the encoders have numbered values that came */
	reading_make_encoders(reading);
	plan_store_statement(reading, plan);
	return false;
}

/* Groups arrive one by one. */
static void
read_groups(GroupCounter *groups, const ReadPlan *plan)
{
	Reading    *reading = groups->reading;

	begin_groups(groups);
	check_shard_collations(reading, plan);
	rows_read(plan->statement, NULL, reading->ncolumns + 1, reading_types(reading, plan), take_group, groups);
}

/* All tuples arrive as one value. */
static void
read_tuples(Reading *reading, const ReadPlan *plan)
{
	ParamListInfo params;

	reading->set.has_count = reading->dataset->count_column != NULL || plan->store != NULL;
	params = read_parameters(reading);
	if (plan->store != NULL)
		store_read_show(plan->store);
	rows_read(plan->statement, params, 1, &reading->opaque_type, take_tuples, reading);
	if (plan->store != NULL)
		store_read_end(plan->store);
}

static void
run_statement(GroupCounter *groups, const ReadPlan *plan)
{
	ErrorContextCallback telling;

	begin_telling_servers(plan, groups->reading->dataset->relation, &telling);
	if (plan->grouped)
		read_groups(groups, plan);
	else
		read_tuples(groups->reading, plan);
	error_context_stack = telling.previous;
}

static void
run_read(Reading *reading)
{
	ReadPlan   *plan = plan_read(reading);
	GroupCounter groups = {reading, plan, NULL};

	if (plan->store != NULL)
		store_read_tell(plan->store);
	if (plan->places == NULL || !feed_from_store(&groups, plan))
		run_statement(&groups, plan);
	check_leaves(plan, reading->dataset->relation);
	if (reading->tuples == NULL)
		reading->tuples = tuples_begin(reading->context, &reading->set);
	refuse_misses(reading);
}

static inline uint32
read_code(const Reading *reading, uint32 tuple, int column)
{
	const KeyCounter *counter = reading->tuples->counter;

	return key_get(counter->keys + (Size) tuple * counter->nwords, &reading->set.encoders[column].field);
}

/* Whether a code was read in a column. */
static bool *
codes_seen(const Reading *reading, int column, uint32 ncodes)
{
	bool	   *seen = budget_alloc_zero(sizeof(bool), (Size) ncodes + 1);

	for (uint32 i = 0; i < reading->tuples->counter->nkeys; i++)
		seen[read_code(reading, i, column)] = true;
	return seen;
}

/*
 * Numbers what was read of a column without a hierarchy: values in their
 * order, NULL last, as codes without gaps.  Returns how many there are.
 */
static uint32
number_values(const Reading *reading, int column, uint32 **population_codes)
{
	const Dictionary *dictionary = reading->tuples->dictionaries[column];
	uint32	   *ranks = dictionary_ranks(dictionary);
	uint32		nvalues = dictionary->nvalues;
	bool	   *seen = codes_seen(reading, column, nvalues + 1);

	*population_codes = budget_alloc(sizeof(uint32), (Size) nvalues + 1);
	(*population_codes)[0] = nvalues;
	for (uint32 i = 0; i < nvalues; i++)
		(*population_codes)[i + 1] = ranks[i];
	nvalues += seen[0] ? 1 : 0;
	pfree(ranks);
	pfree(seen);
	return nvalues;
}

/* Numbers the leaves that were read of a sensitive column, in the hierarchy's order. */
static uint32
number_leaves(const Reading *reading, int column, uint32 **population_codes, uint32 **leaf_of)
{
	const Hierarchy *hierarchy = reading->columns[column].loaded->hierarchy;
	bool	   *seen = codes_seen(reading, column, hierarchy->nleaves);
	uint32		nvalues = 0;

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

/* A value of a column read as is, to be put in the order of its leaves. */
typedef struct PlacedValue
{
	uint32		leaf;
	uint32		rank;
	uint32		code;
} PlacedValue;

static int
compare_places(const void *a, const void *b)
{
	const PlacedValue *x = a;
	const PlacedValue *y = b;

	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/*
 * Numbers the values of a sensitive column whose leaves are ranges: in the
 * hierarchy's order, within a range in their own.
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
	/* a NULL that never came has no leaf, and so stands last */
	qsort(values, ncodes, sizeof(PlacedValue), compare_places);
	for (uint32 i = 0; i < ncodes; i++)
	{
		(*population_codes)[values[i].code] = i;
		(*leaf_of)[i] = values[i].leaf;
	}
	pfree(ranks);
	pfree(values);
	return nvalues;
}

/* Gives NULL a leaf where the data had one and the table did not name it. */
static void
admit_null(const Reading *reading, int column)
{
	Hierarchy  *hierarchy = reading->columns[column].loaded->hierarchy;
	bool	   *seen;

	if (hierarchy->null_leaf != NO_LEAF)
		return;
	seen = codes_seen(reading, column, hierarchy->nleaves + 1);
	if (seen[hierarchy->nleaves])
		hierarchy_add_null(hierarchy);
	pfree(seen);
}

static void
make_attribute(Reading *reading, int column, Attribute *attr)
{
	ReadColumn *read = &reading->columns[column];

	attr->name = read->declared->column;
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
	}
	attr->min_level = read->declared->min_level;
	attr->max_level = read->declared->max_level < 0 ? attr->hierarchy->height : read->declared->max_level;
	if (attr->max_level > attr->hierarchy->height || attr->min_level > attr->hierarchy->height)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("levels declared for column \"%s\" are not in its hierarchy", attr->name),
				 errdetail("Levels %d to %d are declared, the hierarchy has 0 to %d.",
						   attr->min_level, attr->max_level, attr->hierarchy->height),
				 errhint("Call anonopt.drop_attribute and declare the column anew.")));
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

/* A tuple that was read, to be sorted by the population's key. */
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

/* The population's key of every tuple that was read. */
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

static SortedTuple *
sorted_tuples(const Reading *reading, const Population *population, const uint64 *keys)
{
	uint32		ntuples = reading->tuples->counter->nkeys;
	SortKeys	sort = {population->nwords, keys};
	SortedTuple *sorted;

	budget_require(population->context, sizeof(SortedTuple) * (Size) ntuples);
	sorted = MemoryContextAllocHuge(population->context, sizeof(SortedTuple) * (Size) ntuples);
	for (uint32 i = 0; i < ntuples; i++)
	{
		sorted[i].first_word = keys[(Size) i * population->nwords];
		sorted[i].number = i;
	}
	sort_tuples(sorted, ntuples, &sort);
	return sorted;
}

/* Adds a run of equal tuples as one, its sensitive values as histograms. */
static void
add_run(const Reading *reading, Population *population, const SortedTuple *run, uint32 length,
		const uint64 *keys)
{
	TupleTable *table = population->tuples;
	uint32		at = table->ntuples++;
	const KeyCounter *counter = reading->tuples->counter;

	for (uint32 i = 0; i < length && reading->tuple_of != NULL; i++)
		reading->tuple_of[run[i].number] = at;
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
		const ReadColumn *read = &reading->columns[population->nattrs + column];

		for (uint32 i = 0; i < length; i++)
			histograms_count(population->columns[column],
							 read->population_codes[read_code(reading, run[i].number, read->values_column)],
							 counter->counts[run[i].number]);
		table->slices[column][at] = histograms_close(population->columns[column]);
	}
}

/* Sorts what was read into the population's table. */
static void
make_tuple_table(const Reading *reading, Population *population)
{
	uint32		ntuples = reading->tuples->counter->nkeys;
	uint64	   *keys;
	SortedTuple *sorted;
	SortKeys	sort = {population->nwords, NULL};
	uint32		next;

	key_counter_close(reading->tuples->counter);
	keys = population_keys(reading, population);
	sort.keys = keys;
	sorted = sorted_tuples(reading, population, keys);
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

static Population *
make_population(Reading *reading)
{
	Population *population = palloc0(sizeof(Population));
	const Dataset *dataset = reading->dataset;

	population->context = reading->context;
	population->nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	population->nsensitive = dataset_count_role(dataset, ROLE_SENSITIVE);
	population->ncolumns = population->nsensitive + dataset_count_role(dataset, ROLE_CLASS_LABEL);
	population->attrs = palloc0(sizeof(Attribute) * (population->nattrs + 1));
	population->columns = palloc0(sizeof(Histograms *) * (population->ncolumns + 1));
	for (int a = 0; a < population->nattrs; a++)
		make_attribute(reading, a, &population->attrs[a]);
	for (int column = 0; column < population->ncolumns; column++)
		population->columns[column] = make_histograms(reading, population->nattrs + column);
	population_lay_out(population);
	make_tuple_table(reading, population);
	for (int column = 0; column < population->ncolumns; column++)
		histograms_finish(population->columns[column]);
	population_weigh(population);
	pfree(reading->tuples->counter->keys);
	if (reading->tuple_of == NULL)
		pfree(reading->tuples->counter->counts);
	return population;
}

/* The quasi-identifiers of a declaration, as another relation's. */
static Dataset *
dataset_over(const Dataset *dataset, Oid relation)
{
	Dataset    *other = palloc0(sizeof(Dataset));

	other->name = dataset->name;
	other->relation = relation;
	other->attributes = palloc(sizeof(Declared) * (dataset->nattributes + 1));
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			other->attributes[other->nattributes++] = dataset->attributes[i];
	return other;
}

/* Entries by the population's leaves. */
static EntryTable *
make_entries(const Reading *reading, const Population *population)
{
	EntryTable *entries = palloc(sizeof(EntryTable));
	const KeyCounter *counter = reading->tuples->counter;
	Size		n = counter->nkeys;

	budget_require(population->context, (sizeof(uint32) * population->nattrs + sizeof(int64)) * (n + 1));
	entries->nentries = counter->nkeys;
	entries->leaves = MemoryContextAllocHuge(population->context, sizeof(uint32) * population->nattrs * (n + 1));
	entries->counts = MemoryContextAllocHuge(population->context, sizeof(int64) * (n + 1));
	for (uint32 i = 0; i < counter->nkeys; i++)
	{
		entries->counts[i] = counter->counts[i];
		for (int a = 0; a < population->nattrs; a++)
		{
			uint32		code = read_code(reading, i, a);

			/* a NULL is a leaf only where the population has one */
			if (code == reading->set.encoders[a].miss_code || code >= population->attrs[a].hierarchy->nleaves)
				code = NO_LEAF;
			entries->leaves[(Size) i * population->nattrs + a] = code;
		}
	}
	return entries;
}

EntryTable *
reading_entries(const Dataset *dataset, Oid relation, const Population *population)
{
	Reading    *reading;
	EntryTable *entries;
	MemoryContext old;

	sql_connect();
	old = MemoryContextSwitchTo(population->context);
	reading = palloc0(sizeof(Reading));
	reading->dataset = dataset_over(dataset, relation);
	reading->context = population->context;
	reading->admits_misses = true;
	reading_prepare(reading);
	run_read(reading);
	entries = make_entries(reading, population);
	reading_close(reading);
	MemoryContextDelete(reading->tuples->context);
	MemoryContextSwitchTo(old);
	sql_finish();
	return entries;
}

const char *const one_row_a_person = "Aggregate to one row a person first, in a view or a table.";

Population *
reading_population(const Dataset *dataset, const int *levels, bool may_use_store, Reading **result)
{
	Reading    *reading;
	Population *population;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	sql_connect();
	old = MemoryContextSwitchTo(context);
	reading = palloc0(sizeof(Reading));
	reading->dataset = dataset;
	reading->context = context;
	reading->levels = levels;
	reading->may_use_store = may_use_store;
	if (dataset->person != NULL)
		require_unique(dataset->relation, dataset->person, ERRCODE_CHECK_VIOLATION, one_row_a_person);
	reading_prepare(reading);
	run_read(reading);
	population = make_population(reading);
	reading_close(reading);
	MemoryContextSwitchTo(old);
	sql_finish();
	*result = reading;
	return population;
}

/* Takes a row: the columns that are kept, then those that are encoded. */
typedef struct RowSpooler
{
	GroupCounter groups;
	RowSpool   *spool;
	Datum	   *values;
	bool	   *nulls;
} RowSpooler;

static void
take_spooled(void *arg, const Datum *values, const bool *nulls)
{
	RowSpooler *spooler = arg;
	Reading    *reading = spooler->groups.reading;
	int			ncolumns = spooler->spool->ncolumns;
	MemoryContext old = MemoryContextSwitchTo(spooler->groups.row);
	uint32		group = count_codes(&spooler->groups, values + ncolumns, nulls + ncolumns, 1);

	memcpy(spooler->values + 1, values, sizeof(Datum) * ncolumns);
	memcpy(spooler->nulls + 1, nulls, sizeof(bool) * ncolumns);
	spool_put(spooler->spool, reading->context, group, spooler->values, spooler->nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(spooler->groups.row);
}

/* Finds the columns that are kept, as the statement is to say them. */
static void
append_kept_columns(const Reading *reading, RowSpool *spool, StringInfo sql, Oid *types)
{
	AttrNumber *numbers = palloc(sizeof(AttrNumber) * (spool->ncolumns + 1));

	for (int i = 0; i < spool->ncolumns; i++)
	{
		numbers[i] = get_attnum(reading->dataset->relation, spool->columns[i].name);
		if (numbers[i] <= 0)
			relation_has_changed(reading->dataset->relation);
		types[i] = get_atttype(reading->dataset->relation, numbers[i]);
		appendStringInfo(sql, ", r.%s", quote_identifier(spool->columns[i].name));
	}
	spool_begin_rows(spool, reading->relation, numbers);
}

static void
run_spooling(Reading *reading, RowSpool *spool)
{
	ReadPlan	plan = {0};
	RowSpooler	spooler = {.groups = {.reading = reading,.plan = &plan},.spool = spool};
	Oid		   *types = palloc(sizeof(Oid) * (spool->ncolumns + reading->ncolumns + 1));
	StringInfoData columns;

	plan.buckets = palloc0(sizeof(Buckets *) * (reading->ncolumns + 1));
	spooler.values = palloc(sizeof(Datum) * (spool->ncolumns + 1));
	spooler.nulls = palloc(sizeof(bool) * (spool->ncolumns + 1));
	begin_groups(&spooler.groups);
	initStringInfo(&columns);
	append_kept_columns(reading, spool, &columns, types);
	append_read_columns(reading, reading->ncolumns, &columns);
	memcpy(types + spool->ncolumns, reading_types(reading, NULL), sizeof(Oid) * reading->ncolumns);
	rows_read(psprintf("SELECT %s FROM %s r", columns.data + 2, relation_sql_name(reading->dataset->relation)), NULL,
			  spool->ncolumns + reading->ncolumns, types, take_spooled, &spooler);
	refuse_misses(reading);
}

/* The texts of a sensitive column's values, by their numbers in the population. */
static char **
value_texts(const Reading *reading, const ReadColumn *read, uint32 nvalues)
{
	const Dictionary *dictionary = reading->tuples->dictionaries[read->values_column];
	char	  **texts = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(char *) * ((Size) nvalues + 1),
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(dictionary->type.type, &output, &varlena);
	for (uint32 i = 0; i < dictionary->nvalues; i++)
		if (read->population_codes[i + 1] < nvalues)
			texts[read->population_codes[i + 1]] = OidOutputFunctionCall(output, dictionary->values[i]);
	return texts;
}

/* The labels of their leaves. */
static char **
leaf_texts(const Histograms *histograms)
{
	char	  **texts = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(char *) * ((Size) histograms->nvalues + 1));

	for (uint32 value = 0; value < histograms->nvalues; value++)
		texts[value] = unconstify(char *, histograms->tree->labels[0][histograms->leaf_of[value]]);
	return texts;
}

static void
keep_values(const Reading *reading, RowSpool *spool)
{
	const Population *population = spool->population;

	spool->values = palloc0(sizeof(char **) * (population->nsensitive + 1));
	spool->leaves = palloc0(sizeof(char **) * (population->nsensitive + 1));
	for (int j = 0; j < population->nsensitive; j++)
	{
		const ReadColumn *read = &reading->columns[population->nattrs + j];

		if (read->loaded != NULL)
			spool->leaves[j] = leaf_texts(population->columns[j]);
		spool->values[j] = reading->tuples->dictionaries[read->values_column] == NULL ? spool->leaves[j] :
			value_texts(reading, read, population->columns[j]->nvalues);
	}
}

void
spool_read(RowSpool *spool, const Dataset *dataset, const int *levels)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	Reading    *reading;

	sql_connect();
	old = MemoryContextSwitchTo(context);
	reading = palloc0(sizeof(Reading));
	reading->dataset = dataset;
	reading->context = context;
	reading->levels = levels;
	if (dataset->person != NULL)
		require_unique(dataset->relation, dataset->person, ERRCODE_CHECK_VIOLATION, one_row_a_person);
	reading_prepare(reading);
	run_spooling(reading, spool);
	if (spool->ngroups > 0)
	{
		spool->tuple_of = reading->tuple_of = MemoryContextAllocHuge(context, sizeof(uint32) * (Size) spool->ngroups);
		spool->people = reading->tuples->counter->counts;
		spool->population = make_population(reading);
		if (spool->wants_values)
			keep_values(reading, spool);
	}
	reading_close(reading);
	MemoryContextSwitchTo(old);
	sql_finish();
}

char *
reading_statement(const Dataset *dataset)
{
	Reading    *reading = palloc0(sizeof(Reading));
	MemoryContext context = CurrentMemoryContext;
	ReadPlan   *plan;

	sql_connect();
	MemoryContextSwitchTo(context);
	reading->dataset = dataset;
	reading->context = context;
	reading->may_use_store = true;
	reading_prepare(reading);
	plan = plan_read(reading);
	if (plan->places != NULL)
		plan_store_statement(reading, plan);
	reading_close(reading);
	sql_finish();
	if (plan->store == NULL)
		return plan->statement;
	store_read_end(plan->store);
	return psprintf("-- stored_tuples are the rows of %s\n%s", relation_sql_name(plan->store->table), plan->statement);
}

Population *
population_read(const Dataset *dataset)
{
	Reading    *reading;
	Population *population = reading_population(dataset, NULL, true, &reading);

	/* nobody asks for its dictionaries any more */
	MemoryContextDelete(reading->tuples->context);
	return population;
}

/* The people that a share of them is at most, as SQL computes it. */
int64
share_of_people(double share, int64 people)
{
	Datum		limit = DirectFunctionCall2(numeric_mul,
											DirectFunctionCall1(float8_numeric, Float8GetDatum(share)),
											NumericGetDatum(int64_to_numeric(people)));

	return DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall1(numeric_floor, limit)));
}

/* Whether an index alone keeps a column's values apart. */
static bool
is_unique_over(Relation index, AttrNumber attnum)
{
	Form_pg_index form = index->rd_index;

	return form->indisunique && form->indisvalid && form->indimmediate &&
		form->indnkeyatts == 1 && form->indkey.values[0] == attnum &&
		RelationGetIndexPredicate(index) == NIL;
}

/* Whether a relation lets no two rows have the same person. */
static bool
has_unique_index(Oid relation, const char *person)
{
	Relation	rel = relation_open_existing(relation);
	AttrNumber	attnum = get_attnum(relation, person);
	bool		found = false;
	ListCell   *cell;

	/*
	 * an index says nothing of the rows of children; a column that is gone is
	 * found by the statement
	 */
	if (attnum > 0 && TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attnotnull &&
		(!rel->rd_rel->relhassubclass || rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE))
		foreach(cell, RelationGetIndexList(rel))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		found = found || is_unique_over(index, attnum);
		index_close(index, AccessShareLock);
	}
	relation_close(rel, AccessShareLock);
	return found;
}

/* Fails with an SQLSTATE where two rows have one name; SPI is connected. */
void
require_unique(Oid relation, const char *column, int sqlstate, const char *hint)
{
	StringInfoData sql;
	int64		duplicates;
	bool		isnull;

	if (has_unique_index(relation, column))
		return;
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM %s r GROUP BY r.%s"
					 " HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1) s",
					 relation_sql_name(relation), quote_identifier(column));
	sql_read(sql.data, 0, NULL, NULL);
	duplicates = DatumGetInt64(sql_value(1, INT8OID, &isnull));
	if (duplicates > 0)
		ereport(ERROR,
				(errcode(sqlstate),
				 errmsg("column \"%s\" does not tell rows of %s apart", column, relation_sql_name(relation)),
				 errdetail_plural(INT64_FORMAT " of its values is in more than one row.",
								  INT64_FORMAT " of its values are in more than one row.", duplicates, duplicates),
				 errhint("%s", hint)));
}

void
require_weights(const Dataset *dataset, const Population *population)
{
	double		weights = 0;

	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	if (weights <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("all quasi-identifiers of data set \"%s\" have weight 0", dataset->name),
				 errhint("Declare at least one of them with a positive weight.")));
}
