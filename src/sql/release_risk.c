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
#include "release/pseudonym.h"
#include "sql/call.h"
#include "utils/builtins.h"

/* Whether a person's class in it is unknown: it is a live view, or by records. */
static bool
is_unknown(const KnownContent *content)
{
	return !content->is_known || content->release.by.kind == BY_RECORDS;
}

/* Whether a content can be combined with others: labels of the data set's hierarchies. */
static bool
is_combinable(const KnownContent *placed, const Population *population)
{
	if (population != NULL && placed->release.by.kind != BY_RECODING)
		return content_is_placed(placed);
	for (int i = 0; i < placed->release.ngeneralized; i++)
		if (placed->attr_of[i] < 0)
			return false;
	return true;
}

/*
 * Places contents, and leaves out those that cannot be combined, which for
 * other data sets' releases includes unknown ones, without reporting these.
 * Returns how many remain.
 */
static int
keep_combinable(KnownContent *contents, int n, const Dataset *dataset, const Population *population)
{
	int			kept = 0;
	int			left = 0;

	for (int i = 0; i < n; i++)
	{
		bool		own = strcmp(contents[i].release.dataset, dataset->name) == 0;

		content_place(&contents[i], dataset, population);
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

/* The people by which a content, which is loaded, differs from earlier ones, or 0. */
static int64
difference_before(Composition *composition, KnownContent *contents, int at)
{
	int64		smallest = 0;
	const char *unseen;

	if (contents[at].has_difference)
		return contents[at].difference;
	for (int i = 0; i < at; i++)
	{
		MemoryContext context = composition_load(composition, &contents[i]);

		if (context == NULL)
			continue;
		smallest = least_people(smallest, composition_difference(composition, &contents[at], &contents[i], &unseen));
		MemoryContextDelete(context);
	}
	return smallest;
}

/* Adds a row; the smallest group is unknown where it is negative. */
static void
put_risk(ResultRow *row, List *releases, int64 k, int64 smallest)
{
	put_datum(row, "releases", REGCLASSARRAYOID, oids_datum(releases, REGCLASSOID));
	put_count(row, "k", k);
	if (smallest >= 0)
		put_count(row, "smallest", smallest);
	row_add(row);
}

static void
put_releases(ResultRow *row, Composition *composition, KnownContent *contents, int n)
{
	const Population *population = composition->population;
	List	   *releases = NIL;
	int64		k = PG_INT64_MAX;
	int64		together = 0;
	int64		difference = 0;
	bool		any_unknown = false;

	for (int i = 0; i < n; i++)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content", ALLOCSET_DEFAULT_SIZES);
		const KeyCounter *classes;

		contents[i].content = contents[i].is_known ? known_content_load(&contents[i], context) : NULL;
		any_unknown = any_unknown || is_unknown(&contents[i]);
		k = Min(k, contents[i].k);
		if (!any_unknown && population != NULL)
			together = composition_add(composition, &contents[i]);
		else if (!any_unknown)
		{
			/* its smallest class when it was made */
			classes = content_classes(contents[i].content);
			together = 0;
			for (uint32 class = 0; class < classes->nkeys; class++)
				together = least_people(together, classes->counts[class]);
		}
		if (contents[i].content != NULL)
			difference = least_people(difference, difference_before(composition, contents, i));
		if (population != NULL && population->has_persons)
			difference = Min(difference, 1);
		MemoryContextDelete(context);
		releases = list_append_unique_oid(releases, contents[i].release.relation);
		/* only the last content of a release has a row */
		if (i + 1 == n || contents[i + 1].release.relation != contents[i].release.relation)
			put_risk(row, releases, k, any_unknown ? -1 : least_people(together, difference));
	}
	if (any_unknown)
		ereport(NOTICE,
				(errmsg("contents of a release of data set \"%s\" are not known", composition->dataset->name),
				 errdetail("The releases include a live view or a table of per-record generalizations.")));
}

OWN_FUNCTION(anonopt_release_risk)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = dataset_argument(fcinfo);
	Population *population;
	KnownContent *contents;
	LinkedGroups *linked;
	StringInfoData sql;
	int			n;

	/* fail unless the caller may read the releases' relation */
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT 1");
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			appendStringInfo(&sql, ", r.%s", quote_identifier(dataset->attributes[i].column));
	appendStringInfo(&sql, " FROM %s r LIMIT 0", relation_sql_name(dataset->relation));
	(void) rows_of_query(sql.data, list_make1_oid(dataset->relation), NULL, NULL, 0, NULL);
	contents = known_contents(dataset->relation, &n);
	n = keep_combinable(contents, n, dataset, NULL);

	/*
	 * a single one is as safe as when it was made, but its content counts
	 * rows
	 */
	population = n < 2 && dataset->person == NULL ? NULL : population_argument(dataset);
	if (population != NULL)
		n = keep_combinable(contents, n, dataset, population);
	if (population != NULL || (n < 2 && dataset->person == NULL))
		put_releases(row, composition_begin(dataset, population, false), contents, n);

	/*
	 * all releases, of any data sets, whose pseudonyms use the secrets of
	 * these
	 */
	linked = linked_people_of_source(dataset->relation);
	if (linked->ncontents > 0)
		put_risk(row, linked->relations, linked->k, linked->smallest);
	return (Datum) 0;
}
