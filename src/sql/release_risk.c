/*
 * release_risk.c
 *	  SQL: release_risk.
 *
 * Whoever has several releases of one data set knows of a person the label
 * in each, or that it is not shown there: the classes of all labels together
 * are what hides anybody.  A snapshot shows a class if it was written down
 * then; earlier contents of a refreshed release count as releases too.
 */
#include "base/compat.h"

#include "base/budget.h"
#include "base/key_counter.h"
#include "catalog/own_tables.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "release/showing.h"
#include "sql/arguments.h"
#include "sql/cuts_argument.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/varbit.h"

PG_FUNCTION_INFO_V1(anonopt_release_risk);

/* What tells the labels of a class: a hash of them as one text, too long to be another's by chance. */
typedef struct LabelsHash
{
	uint64		words[2];
} LabelsHash;

/* A class that was shown, and how many people it had. */
typedef struct ShownClass
{
	LabelsHash	labels;
	int64		people;
} ShownClass;

/* What one snapshot, or one live view, is known to show. */
typedef struct Content
{
	Oid			relation;
	int64		k;
	bool		unknown;		/* what it shows was not written down */
	bool		same;			/* made of what is declared now */
	Datum		levels;			/* or 0 */
	Datum		cuts;			/* or 0 */
	int			nclasses;
	ShownClass *classes;		/* sorted by labels */
} Content;

/* What readers of several contents know of each tuple. */
typedef struct Combination
{
	uint32	   *group_of;		/* alike in all of them */
	bool	   *shown;			/* in any of them */
} Combination;

/* The numbers of people that a class had in the contents of one release, each once, sorted. */
typedef struct PastPeople
{
	uint32		n;
	uint32		room;
	int64	   *people;
} PastPeople;

/* Those of all classes, by a release's relation and by labels. */
typedef struct Past
{
	MemoryContext context;
	KeyCounter *classes;
	Size		room;
	PastPeople *people;
	int64		smallest_change;	/* between any two of a class; 0 for none */
} Past;

/* Adds a label so that no two lists of labels make one string. */
static void
append_key(StringInfo key, const char *label)
{
	if (label == NULL)
		appendStringInfoString(key, "-:");
	else
		appendStringInfo(key, "%zu:%s", strlen(label), label);
}

static int
compare_shown(const void *a, const void *b)
{
	return memcmp(&((const ShownClass *) a)->labels, &((const ShownClass *) b)->labels, sizeof(LabelsHash));
}

static LabelsHash
hash_labels(const char *const *labels, int nattrs)
{
	StringInfoData key;
	LabelsHash	hash;

	initStringInfo(&key);
	for (int a = 0; a < nattrs; a++)
		append_key(&key, labels[a]);
	for (int i = 0; i < lengthof(hash.words); i++)
		hash.words[i] = hash_bytes_extended((unsigned char *) key.data, key.len, i);
	pfree(key.data);
	return hash;
}

/* The classes of a two-dimensional array of labels. */
static void
take_classes(Content *content, ArrayType *array, ArrayType *people, int nattrs)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt class", ALLOCSET_DEFAULT_SIZES);
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	const char **labels = palloc(sizeof(char *) * nattrs);

	content->nclasses = Min(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) / nattrs,
							ArrayGetNItems(ARR_NDIM(people), ARR_DIMS(people)));
	content->classes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(ShownClass) * ((Size) content->nclasses + 1));
	for (int i = 0; i < content->nclasses; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		for (int a = 0; a < nattrs; a++)
		{
			Datum		label;
			bool		isnull;

			(void) array_iterate(iterator, &label, &isnull);
			labels[a] = isnull ? NULL : TextDatumGetCString(label);
		}
		content->classes[i].labels = hash_labels(labels, nattrs);
		content->classes[i].people = ((const int64 *) ARR_DATA_PTR(people))[i];
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
	qsort(content->classes, content->nclasses, sizeof(ShownClass), compare_shown);
}

static Datum
copied_field(int row, int column, bool *isnull)
{
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);

	return *isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
}

/* Whether a release was made of the columns and hierarchies that are declared now. */
#define SAME_DECLARATION " p.generalized OPERATOR(pg_catalog.=) ARRAY(SELECT a.column_name FROM anonopt.attribute a" \
	" WHERE a.dataset OPERATOR(pg_catalog.=) $1 AND a.role OPERATOR(pg_catalog.=) 'quasi_identifier' ORDER BY a.ordinal)" \
	" AND ARRAY(SELECT pg_catalog.to_regclass(x.h)::pg_catalog.oid FROM pg_catalog.unnest(p.hierarchies[1:$2])" \
	" WITH ORDINALITY x (h, i) ORDER BY x.i) OPERATOR(pg_catalog.=) ARRAY(SELECT a.hierarchy::pg_catalog.oid FROM anonopt.attribute a" \
	" WHERE a.dataset OPERATOR(pg_catalog.=) $1 AND a.role OPERATOR(pg_catalog.=) 'quasi_identifier' ORDER BY a.ordinal)" \
	" AND COALESCE(pg_catalog.array_length(p.levels, 1), pg_catalog.array_length(p.cuts, 1)) OPERATOR(pg_catalog.=) $2"

/* Fails unless the caller may read what the releases were made of. */
static void
require_reading(const Dataset *dataset)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT 1");
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			appendStringInfo(&sql, ", r.%s", quote_identifier(dataset->attributes[i].column));
	appendStringInfo(&sql, " FROM %s r LIMIT 0", relation_sql_name(dataset->relation));
	sql_connect();
	sql_read(sql.data, 0, NULL, NULL);
	sql_finish();
}

/* All contents of a data set's releases, in the order they were published. */
static Content *
read_contents(const Dataset *dataset, int *ncontents)
{
	MemoryContext context = CurrentMemoryContext;
	int			nattrs = dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER);
	Oid			types[2] = {TEXTOID, INT4OID};
	Datum		values[2] = {CStringGetTextDatum(dataset->name), Int32GetDatum(nattrs)};
	Content    *contents;

	sql_connect();
	read_catalog_rows("SELECT COALESCE(anonopt.find_release(p.id, p.relation, p.row_type, p.made_in, p.published_by), p.relation::pg_catalog.oid),"
					  " p.k, c.id IS NULL, p.levels, p.cuts, c.labels, c.people, c.id IS NULL OR (" SAME_DECLARATION ")"
					  " FROM anonopt.published p LEFT JOIN anonopt.published_content c ON c.id OPERATOR(pg_catalog.=) p.id"
					  " WHERE p.dataset OPERATOR(pg_catalog.=) $1"
					  " ORDER BY COALESCE(c.made_at, p.published_at), p.id", 2, types, values);
	MemoryContextSwitchTo(context);
	*ncontents = (int) SPI_processed;
	contents = palloc0(sizeof(Content) * (SPI_processed + 1));
	for (int i = 0; i < *ncontents; i++)
	{
		bool		isnull;
		Datum		labels;
		Datum		people;

		contents[i].relation = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		contents[i].k = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull));
		contents[i].unknown = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 3, &isnull));
		contents[i].levels = copied_field(i, 4, &isnull);
		contents[i].cuts = copied_field(i, 5, &isnull);
		contents[i].same = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 8, &isnull)) && !isnull;
		if (contents[i].unknown || !contents[i].same)
			continue;
		labels = copied_field(i, 6, &isnull);
		people = copied_field(i, 7, &isnull);
		take_classes(&contents[i], DatumGetArrayTypeP(labels), DatumGetArrayTypeP(people), nattrs);
		pfree(DatumGetPointer(labels));
		pfree(DatumGetPointer(people));
	}
	sql_finish();
	return contents;
}

/* Whether levels or cuts still fit their hierarchies. */
static bool
still_fits(const Population *population, const Content *content)
{
	const int32 *levels = content->levels == 0 ? NULL : (const int32 *) ARR_DATA_PTR(DatumGetArrayTypeP(content->levels));
	Datum	   *cuts = NULL;
	bool	   *nulls;
	int			n;

	if (content->unknown)
		return true;
	if (content->cuts != 0)
		deconstruct_array(DatumGetArrayTypeP(content->cuts), VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &n);
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		if (levels != NULL && (levels[a] < 0 || levels[a] > attr->hierarchy->height))
			return false;
		if (levels == NULL && VARBITLEN(DatumGetVarBitP(cuts[a])) != attr->hierarchy->levels[attr->min_level].nlabels - 1)
			return false;
	}
	return true;
}

static const Recoding **
node_of_content(const Population *population, const Content *content)
{
	Datum	   *cuts;
	bool	   *nulls;
	int			n;

	if (content->levels != 0)
		return node_of_levels(population, (const int *) ARR_DATA_PTR(DatumGetArrayTypeP(content->levels)));
	deconstruct_array(DatumGetArrayTypeP(content->cuts), VARBITOID, -1, false, TYPALIGN_INT, &cuts, &nulls, &n);
	return node_of_cuts(population, cuts);
}

/* The labels of an attribute that a content shows, by code. */
static const char *const *
labels_of_content(const Population *population, const Content *content, Recodings node, int a)
{
	const Attribute *attr = &population->attrs[a];

	if (content->levels == 0)
		return (const char *const *) group_labels(attr, node[a]);
	return attr->hierarchy->labels[((const int *) ARR_DATA_PTR(DatumGetArrayTypeP(content->levels)))[a]];
}

/* Which classes of a node a content shows. */
static bool *
classes_shown(const Population *population, const Content *content, Recodings node, const TupleTable *classes)
{
	bool	   *shown = MemoryContextAllocHuge(CurrentMemoryContext, (Size) classes->ntuples + 1);
	const char *const *labels[MAX_ATTRIBUTES];
	const char *own[MAX_ATTRIBUTES];

	for (int a = 0; a < population->nattrs; a++)
		labels[a] = labels_of_content(population, content, node, a);
	for (uint32 i = 0; i < classes->ntuples; i++)
	{
		ShownClass	wanted;

		for (int a = 0; a < population->nattrs; a++)
			own[a] = labels[a][key_get(classes->keys + (Size) i * population->nwords, &population->attrs[a].field)];
		wanted.labels = hash_labels(own, population->nattrs);
		shown[i] = bsearch(&wanted, content->classes, content->nclasses, sizeof(ShownClass), compare_shown) != NULL;
	}
	return shown;
}

static Combination
begin_combination(const Population *population)
{
	Size		n = (Size) population->tuples->ntuples + 1;
	Combination combination;

	combination.group_of = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	combination.shown = MemoryContextAllocExtended(CurrentMemoryContext, n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return combination;
}

/* Parts what is alike so far by one content more; returns the smallest group of people who are shown anywhere, 0 for none. */
static int64
combine(Combination *combination, const Population *population, const Content *content)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int			bottom[MAX_ATTRIBUTES] = {0};
	HistogramMark *marks = palloc(sizeof(HistogramMark) * (population->ncolumns + 1));
	const Recoding **node = node_of_content(population, content);
	KeyCounter *groups = key_counter_create(context, 1, 1024);
	TupleTable *classes;
	uint32	   *class_of;
	bool	   *shown;
	int64		smallest = 0;

	population_mark(population, marks);
	classes = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom), node, context, &class_of);
	population_release(population, marks);
	shown = classes_shown(population, content, node, classes);
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		bool		is_shown = shown[class_of[i]];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		*key_counter_candidate(groups) = (uint64) combination->group_of[i] << 32 | (is_shown ? class_of[i] + 1 : 0);
		combination->group_of[i] = key_counter_add(groups, population->tuples->counts[i]);
		combination->shown[i] |= is_shown;
	}
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		int64		people = groups->counts[combination->group_of[i]];

		if (combination->shown[i])
			smallest = smallest == 0 ? people : Min(smallest, people);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return smallest;
}

/* The smallest class of a content when it was made; 0 for none. */
static int64
smallest_shown(const Content *content)
{
	int64		smallest = 0;

	for (int i = 0; i < content->nclasses; i++)
		smallest = smallest == 0 ? content->classes[i].people : Min(smallest, content->classes[i].people);
	return smallest;
}

static Past
begin_past(void)
{
	Past		past = {0};

	past.context = AllocSetContextCreate(CurrentMemoryContext, "anonopt past", ALLOCSET_DEFAULT_SIZES);
	past.classes = key_counter_create(past.context, 3, 1024);
	return past;
}

/* What is known of a class's people. */
static PastPeople *
past_of(Past *past, Oid relation, const LabelsHash *labels)
{
	uint32		known = past->classes->nkeys;
	uint64	   *key = key_counter_candidate(past->classes);
	uint32		number;

	key[0] = relation;
	memcpy(key + 1, labels->words, sizeof(LabelsHash));
	number = key_counter_add(past->classes, 1);
	if (number >= past->room)
		past->people = budget_grow(past->context, past->people, sizeof(PastPeople), &past->room);
	if (number == known)
		memset(&past->people[number], 0, sizeof(PastPeople));
	return &past->people[number];
}

static void
note_change(Past *past, int64 change)
{
	past->smallest_change = past->smallest_change == 0 ? change : Min(past->smallest_change, change);
}

/*
 * Adds a content.  Who has two contents of a release knows what those show
 * by whom a class grew or shrank: the fewest are what matters.
 */
static void
add_past(Past *past, const Content *content)
{
	for (int i = 0; i < content->nclasses; i++)
	{
		PastPeople *class = past_of(past, content->relation, &content->classes[i].labels);
		int64		people = content->classes[i].people;
		uint32		at = class->n;

		while (at > 0 && class->people[at - 1] > people)
			at--;
		if (at > 0 && class->people[at - 1] == people)
			continue;
		if (at > 0)
			note_change(past, people - class->people[at - 1]);
		if (at < class->n)
			note_change(past, class->people[at] - people);
		if (class->n == class->room)
		{
			class->room = Max(class->room * 2, 2);
			class->people = class->people == NULL ? MemoryContextAlloc(past->context, sizeof(int64) * class->room) :
				repalloc(class->people, sizeof(int64) * class->room);
		}
		memmove(class->people + at + 1, class->people + at, sizeof(int64) * (class->n++ - at));
		class->people[at] = people;
	}
}

/* Whether a release has several contents. */
static bool
is_repeated(const Content *contents, int n, Oid relation)
{
	int			times = 0;

	for (int i = 0; i < n && times < 2; i++)
		times += contents[i].relation == relation;
	return times > 1;
}

static Datum
relations_datum(const Content *contents, int n)
{
	Datum	   *relations = palloc(sizeof(Datum) * n);
	int			nrelations = 0;

	for (int i = 0; i < n; i++)
	{
		int			j = 0;

		while (j < nrelations && DatumGetObjectId(relations[j]) != contents[i].relation)
			j++;
		if (j == nrelations)
			relations[nrelations++] = ObjectIdGetDatum(contents[i].relation);
	}
	return PointerGetDatum(construct_array(relations, nrelations, REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT));
}

static void
tell_left_out(int n)
{
	if (n > 0)
		ereport(NOTICE,
				(errmsg_plural("%d content of a release is left out", "%d contents of releases are left out", n, n),
				 errdetail("Made of other columns or hierarchies than are declared now, or of a domain that has changed, they cannot be combined.")));
}

/* Leaves out what nobody knows; returns how many contents remain. */
static int
keep_known(Content *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (!contents[i].unknown)
			contents[kept++] = contents[i];
	return kept;
}

/* Leaves out what was made of another declaration; returns how many contents remain. */
static int
keep_same(Content *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (contents[i].same)
			contents[kept++] = contents[i];
	tell_left_out(n - kept);
	return kept;
}

static int
keep_fitting(const Population *population, Content *contents, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (still_fits(population, &contents[i]))
			contents[kept++] = contents[i];
	tell_left_out(n - kept);
	return kept;
}

/*
 * The combinations of the first release, the first two, and so on; with a
 * second argument that is true only of those that are known.
 */
Datum
anonopt_release_risk(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	Dataset    *dataset;
	Population *population;
	Content    *contents;
	Combination combination;
	Past		past = begin_past();
	int			ncontents;
	int64		k = PG_INT64_MAX;
	bool		any_unknown = false;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = dataset_argument(fcinfo, 0);
	require_reading(dataset);
	contents = read_contents(dataset, &ncontents);
	if (PG_NARGS() > 1 && PG_GETARG_BOOL(1))
		ncontents = keep_known(contents, ncontents);
	ncontents = keep_same(contents, ncontents);
	/* a single one is as safe as it was made */
	population = ncontents < 2 ? NULL : population_argument(dataset);
	if (population != NULL)
		ncontents = keep_fitting(population, contents, ncontents);
	if (ncontents == 0 || (ncontents > 1 && population == NULL))
		return (Datum) 0;
	if (population != NULL)
		combination = begin_combination(population);
	for (int i = 0; i < ncontents; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {0};
		int64		smallest = 0;

		any_unknown = any_unknown || contents[i].unknown;
		k = Min(k, contents[i].k);
		if (!any_unknown)
		{
			smallest = population == NULL ? smallest_shown(&contents[i]) : combine(&combination, population, &contents[i]);
			if (is_repeated(contents, ncontents, contents[i].relation))
				add_past(&past, &contents[i]);
		}
		/* contents of one release before its last one are no row of their own */
		if (i + 1 < ncontents && contents[i + 1].relation == contents[i].relation)
			continue;
		values[0] = relations_datum(contents, i + 1);
		values[1] = Int64GetDatum(k);
		nulls[2] = any_unknown;
		values[2] = Int64GetDatum(past.smallest_change > 0 ? Min(smallest, past.smallest_change) : smallest);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	if (any_unknown)
		ereport(NOTICE,
				(errmsg("what a release of data set \"%s\" showed is not known", dataset->name),
				 errdetail("A live view or a table of a generalization per record is among the releases.")));
	return (Datum) 0;
}
