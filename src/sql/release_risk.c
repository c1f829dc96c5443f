/*
 * release_risk.c
 *	  SQL: release_risk.
 *
 * Goes through the releases of the people of a data set, one after another:
 * finds the smallest class that those so far single out together, or by which
 * two of their contents differ.
 */
#include "base/compat.h"

#include "catalog/sql.h"
#include "release/pseudonym.h"
#include "sql/call.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

/* Whether a person's class in it is unknown: it is a live view, or by records. */
static bool
is_unknown(const KnownContent *content)
{
	return !content->is_known || content->release.by.kind == BY_RECORDS;
}

/*
 * Drops unknown contents of other data sets' releases, without reporting them;
 * returns how many contents remain.
 */
static int
keep_known(KnownContent *contents, int n, const Dataset *dataset)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
		if (!is_unknown(&contents[i]) || strcmp(contents[i].release.dataset, dataset->name) == 0)
			contents[kept++] = contents[i];
	return kept;
}

/*
 * The people whom a content, which is loaded, sets apart beside earlier ones,
 * by a difference or by values that link rows; or 0.
 */
static int64
apart_before(Composition *composition, KnownContent *contents, int at)
{
	int64		smallest = 0;
	int64		below;
	const char *unseen;

	if (contents[at].has_difference)
		return contents[at].difference;
	for (int i = 0; i < at; i++)
	{
		MemoryContext context = contents[i].is_sample ? NULL : composition_load(composition, &contents[i]);

		if (context == NULL)
			continue;
		smallest = least_people(smallest, composition_difference(composition, &contents[at], &contents[i], &unseen));
		smallest = least_people(smallest, composition_links(&contents[at], &contents[i], &below));
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

/* The people in the smallest class of a content, when it was made. */
static int64
smallest_class(const Content *content)
{
	const KeyCounter *classes = content_classes(content);
	int64		smallest = 0;

	for (uint32 class = 0; class < classes->nkeys; class++)
		smallest = least_people(smallest, classes->counts[class]);
	return smallest;
}

/* Adds what a sample spends. */
static Datum
add_spent(Datum sum, double spent)
{
	return DirectFunctionCall2(numeric_add, sum, DirectFunctionCall1(float8_numeric, Float8GetDatum(spent)));
}

static void
put_releases(ResultRow *row, Composition *composition, KnownContent *contents, int n)
{
	const Dataset *dataset = composition->dataset;
	const Population *population = composition->population;
	List	   *releases = NIL;
	int64		k = PG_INT64_MAX;
	int64		together = 0;
	int64		difference = 0;
	bool		any_unknown = false;
	bool		any_others = false;
	int64		alone = 0;		/* the smallest class of those that cannot be
								 * combined; it has k people or more */
	int			nalone = 0;
	int			nsamples = 0;
	Datum		epsilon = NumericGetDatum(int64_to_numeric(0));
	Datum		delta = epsilon;

	for (int i = 0; i < n; i++)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt content", ALLOCSET_DEFAULT_SIZES);

		contents[i].content = contents[i].is_known ? known_content_load(&contents[i], context) : NULL;
		content_place(&contents[i], dataset, population);
		any_unknown = any_unknown || is_unknown(&contents[i]);
		k = Min(k, contents[i].k);
		if (contents[i].is_sample)
		{
			/* beside which others are as safe as without it */
			alone = least_people(alone, dataset->person != NULL ? contents[i].k : smallest_class(contents[i].content));
			epsilon = add_spent(epsilon, contents[i].epsilon);
			delta = add_spent(delta, contents[i].delta);
			nsamples++;
		}
		else if (!any_unknown && content_is_placed(&contents[i]))
			together = composition_add(composition, &contents[i]);
		else if (!any_unknown)
		{
			alone = least_people(alone, dataset->person != NULL ? contents[i].k : smallest_class(contents[i].content));
			nalone += population != NULL;
		}
		if (contents[i].content != NULL && !contents[i].is_sample)
			difference = least_people(difference, apart_before(composition, contents, i));
		if (population != NULL && population->has_persons)
			difference = Min(difference, 1);
		MemoryContextDelete(context);
		any_others = any_others || contents[i].is_others == 1;
		releases = list_append_unique_oid(releases, contents[i].is_others == 1 ? InvalidOid : contents[i].release.relation);
		/* only the last content of a release has a row */
		if (i + 1 == n || contents[i + 1].release.relation != contents[i].release.relation)
		{
			int64		smallest = least_people(alone, least_people(together, difference));

			if (nsamples > 0)
			{
				put_number(row, "epsilon", DatumGetFloat8(DirectFunctionCall1(numeric_float8, epsilon)));
				put_number(row, "delta", DatumGetFloat8(DirectFunctionCall1(numeric_float8, delta)));
			}
			/* not by how many people another role's release differs */
			put_risk(row, releases, k, any_unknown ? -1 : !any_others ? smallest : smallest > 0 && smallest < k ? 1 : k);
		}
	}
	if (any_unknown)
		ereport(NOTICE,
				(errmsg("contents of a release of data set \"%s\" are not known", dataset->name),
				 errdetail("The releases include a live view or a table of per-record generalizations.")));
	if (nsamples > 0)
		ereport(NOTICE,
				(errmsg_plural("%d content that is a sample is not combined with the others", "%d contents that are samples are not combined with the others", nsamples, nsamples),
				 errdetail("Samples are differentially private beside whatever else is published; what they spend adds up.")));
	if (nalone > 0)
		ereport(NOTICE,
				(errmsg_plural("%d content of a release is not combined with the others", "%d contents of releases are not combined with the others", nalone, nalone),
				 errdetail("Data set \"%s\" does not have their columns, or not all of their labels. Only differences, and values that link rows, are counted for them.",
						   dataset->name)));
}

OWN_FUNCTION(anonopt_release_risk)
{
	ResultRow  *row = result_begin(fcinfo);
	Dataset    *dataset = node_dataset_argument(fcinfo);
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
	contents = known_contents(dataset->relation, dataset->person, NULL, &n);
	tell_other_people(dataset->relation);
	n = keep_known(contents, n, dataset);

	/*
	 * a single one is as safe as when it was made, but its content counts
	 * rows
	 */
	population = n < 2 && dataset->person == NULL ? NULL : population_argument(dataset);
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
