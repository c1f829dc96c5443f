/*
 * release_risk.c
 *	  SQL: release_risk.
 *
 * Goes through the releases of a data set's relation, one after another: finds
 * the smallest class that those so far single out together, or by which two of
 * their contents differ.
 */
#include "base/compat.h"

#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "release/composition.h"
#include "release/pseudonym.h"
#include "sql/arguments.h"
#include "utils/builtins.h"

OWN_FUNCTION(anonopt_release_risk);

/*
 * Fails unless the caller may read the relations that the releases were made
 * from.
 */
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
	(void) rows_of_query(sql.data, list_make1_oid(dataset->relation), NULL, NULL, 0, NULL);
}

static Datum
relations_datum(const PlacedContent *contents, int n)
{
	List	   *relations = NIL;

	for (int i = 0; i < n; i++)
		relations = list_append_unique_oid(relations, contents[i].known->relation);
	return oids_datum(relations, REGCLASSOID);
}

/* Whether a person's class in it is unknown: it is a live view, or by records. */
static bool
is_unknown(const PlacedContent *content)
{
	return content->known->version < 0 || content->known->by.kind == BY_RECORDS;
}

/* Whether a content can be combined with others: labels of the data set's hierarchies. */
static bool
is_combinable(const PlacedContent *placed, const Population *population)
{
	if (population != NULL && placed->known->by.kind != BY_RECODING)
		return content_is_placed(placed);
	for (int i = 0; i < placed->known->nattrs; i++)
		if (placed->attr_of[i] < 0)
			return false;
	return true;
}

/*
 * Leaves out contents that cannot be combined, which for other data sets'
 * releases includes unknown ones, without reporting these.  Returns how many
 * remain.
 */
static int
keep_combinable(PlacedContent *contents, int n, const Dataset *dataset, const Population *population)
{
	int			kept = 0;
	int			left = 0;

	for (int i = 0; i < n; i++)
	{
		bool		own = strcmp(contents[i].known->dataset, dataset->name) == 0;

		if (is_unknown(&contents[i]) ? own : is_combinable(&contents[i], population))
			contents[kept++] = contents[i];
		else if (own)
			left++;
	}
	if (left > 0)
		ereport(NOTICE,
				(errmsg_plural("%d content of a release is left out", "%d contents of releases are left out", left, left),
				 errdetail("They cannot be combined, because columns, hierarchies or a domain have changed since they were made.")));
	return kept;
}

static void
place_all(PlacedContent *contents, int n, const Dataset *dataset, const Population *population)
{
	for (int i = 0; i < n; i++)
		content_place(&contents[i], dataset, population);
}

/* The smallest class of a content when it was made, or 0. */
static int64
smallest_shown(const PlacedContent *placed)
{
	const Content *content = placed->content;
	KeyCounter *classes = key_counter_create(CurrentMemoryContext, Max(content_code_words(content->nattrs), 1), 1024);
	int64		smallest = 0;

	for (uint32 i = 0; i < content->rows->nkeys; i++)
	{
		uint64	   *key = key_counter_candidate(classes);

		if (content_code(content, content_row(content, i), 0) == STARRED)
			continue;
		*key = 0;
		memcpy(key, content_row(content, i), sizeof(uint64) * content_code_words(content->nattrs));
		(void) key_counter_add(classes, content->rows->counts[i]);
	}
	for (uint32 i = 0; i < classes->nkeys; i++)
		smallest = smallest == 0 ? classes->counts[i] : Min(smallest, classes->counts[i]);
	return smallest;
}

/* The minimum of the values that are not 0, or 0. */
static int64
least(int64 a, int64 b)
{
	return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Loads one content in its own memory context, which the caller deletes. */
static MemoryContext
load_content(PlacedContent *placed)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content", ALLOCSET_DEFAULT_SIZES);

	placed->content = placed->known->version < 0 ? NULL : known_content_load(placed->known, context);
	return context;
}

/* The people by which a content differs from earlier ones, or 0. */
static int64
difference_before(PlacedContent *contents, int at, KnownHierarchies *hierarchies)
{
	int64		smallest = 0;
	const char *unseen;

	if (contents[at].content == NULL)
		return 0;
	if (contents[at].known->difference >= 0)
		return contents[at].known->difference;
	for (int i = 0; i < at; i++)
	{
		MemoryContext context = load_content(&contents[i]);

		CHECK_FOR_INTERRUPTS();
		if (contents[i].content != NULL)
			smallest = least(smallest, contents_difference(&contents[i], &contents[at], hierarchies, &unseen));
		MemoryContextDelete(context);
	}
	return smallest;
}

/*
 * Adds a row for all releases, of any data sets, whose pseudonyms use the
 * secrets of this relation's releases.
 */
static void
put_linked(ReturnSetInfo *result, const Dataset *dataset)
{
	LinkedGroups *groups = linked_people_of_source(dataset->relation);
	Datum		values[3];
	bool		nulls[3] = {0};

	if (groups->ncontents == 0)
		return;
	values[0] = oids_datum(groups->relations, REGCLASSOID);
	values[1] = Int64GetDatum(groups->k);
	values[2] = Int64GetDatum(groups->smallest);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static Datum
anonopt_release_risk_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	Dataset    *dataset;
	Population *population;
	KnownContent *known;
	PlacedContent *contents;
	KnownHierarchies *hierarchies = NULL;
	Combination combination = {0};
	int			n;
	int64		k = PG_INT64_MAX;
	int64		together = 0;
	int64		difference = 0;
	bool		any_unknown = false;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	dataset = dataset_argument(fcinfo);
	require_reading(dataset);
	known = known_contents(dataset->relation, &n);
	contents = palloc0(sizeof(PlacedContent) * (n + 1));
	for (int i = 0; i < n; i++)
		contents[i].known = &known[i];
	place_all(contents, n, dataset, NULL);
	n = keep_combinable(contents, n, dataset, NULL);

	/*
	 * a single one is as safe as when it was made, but its content counts
	 * rows
	 */
	population = n < 2 && dataset->person == NULL ? NULL : population_argument(dataset);
	if (population != NULL)
	{
		place_all(contents, n, dataset, population);
		n = keep_combinable(contents, n, dataset, population);
		combination = combination_begin(population);
		hierarchies = known_hierarchies_create(dataset, population);
	}
	if ((n > 1 || dataset->person != NULL) && population == NULL)
	{
		put_linked(result, dataset);
		return (Datum) 0;
	}
	for (int i = 0; i < n; i++)
	{
		MemoryContext context = load_content(&contents[i]);
		Datum		values[3];
		bool		nulls[3] = {0};

		any_unknown = any_unknown || is_unknown(&contents[i]);
		k = Min(k, contents[i].known->k);
		if (!any_unknown)
			together = population == NULL ? smallest_shown(&contents[i]) : combination_add(&combination, population, &contents[i]);
		difference = least(difference, difference_before(contents, i, hierarchies));
		if (population != NULL && population->has_persons)
			difference = Min(difference, 1);
		MemoryContextDelete(context);
		/* only the last content of a release has a row */
		if (i + 1 < n && contents[i + 1].known->relation == contents[i].known->relation)
			continue;
		values[0] = relations_datum(contents, i + 1);
		values[1] = Int64GetDatum(k);
		nulls[2] = any_unknown;
		values[2] = Int64GetDatum(least(together, difference));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	put_linked(result, dataset);
	if (any_unknown)
		ereport(NOTICE,
				(errmsg("contents of a release of data set \"%s\" are not known", dataset->name),
				 errdetail("The releases include a live view or a table of per-record generalizations.")));
	return (Datum) 0;
}
