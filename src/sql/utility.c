/*
 * utility.c
 *	  SQL: utility, release_distribution: what a release is good for, and who
 *	  is missing from it.
 *
 * The release's specification is applied to the current data, as by a refresh,
 * but nothing is written, because the release itself does not show who is left
 * out.
 */
#include "base/compat.h"

#include <math.h>

#include "base/budget.h"
#include "catalog/sql.h"
#include "compare/comparison.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/release.h"
#include "sql/call.h"

/* A release and the data. */
typedef struct Shown
{
	Release    *release;
	Classes    *before;
	Classes    *after;
	uint32		nlabelled;		/* classes after that are shown with labels */
} Shown;

/* Fails unless the caller itself owns the release and it is of that data set. */
static ReleaseEntry *
entry_argument(FunctionCallInfo fcinfo, const char *dataset)
{
	ReleaseEntry *entry;
	Oid			relation = relation_argument(fcinfo, "release");

	entry = release_entry_require(relation);
	require_release_owner(relation);
	if (strcmp(entry->dataset, dataset) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("release %s does not belong to data set \"%s\"", relation_sql_name(relation), dataset),
				 errdetail("It was made from data set \"%s\".", entry->dataset)));
	if (entry->by.kind == BY_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("release %s generalizes record by record", relation_sql_name(relation)),
				 errdetail("Its labels depend on more than the values of a record.")));
	if (entry->is_private)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("release %s is differentially private", relation_sql_name(relation)),
				 errdetail("It shows people who were drawn by chance, and who is left out is recorded nowhere.")));
	return entry;
}

/*
 * Computes what a release would show now: the classes that keep the promise,
 * and the rest as stars if it shows them.  Returns false if there are no people.
 */
static bool
read_shown(FunctionCallInfo fcinfo, Shown *shown)
{
	char	   *dataset = name_argument(fcinfo, "dataset");
	ReleaseEntry *entry = entry_argument(fcinfo, dataset);
	int			settings = release_settings_begin();
	Release    *release = release_of_entry(entry);
	Population *population;
	int			bottom[MAX_ATTRIBUTES] = {0};

	shown->release = release;
	release_check(release);
	release->spool.wants_values = true;
	spool_read(&release->spool, release->dataset, NULL);
	population = release->spool.population;
	if (population != NULL)
	{
		shown->before = classes_of_node(population, NULL, NULL, node_of_levels(population, bottom));
		release_generalize(release, population);
		shown->after = release->classes;
		release->promise.limit = share_of_people(release->dataset->max_suppression, population->people);
		classes_count(shown->after);
		classes_hide(shown->after, &release->promise, entry->star);
		shown->nlabelled = shown->after->n;
		if (shown->after->starred > 0)
			classes_add_starred(shown->after);
		classes_count(shown->after);
	}
	release_close(release);
	release_settings_end(settings);
	return population != NULL;
}

/* -------------------------------------------------------------------- utility */

/* Adds a row; NaN becomes null. */
static void
put_utility(void *arg, const char *measure, const char *column, const char *other, double before, double after, double value)
{
	ResultRow  *row = arg;
	const char *names[2] = {column, other};

	put_string(row, "measure", measure);
	if (column != NULL)
		put_datum(row, "columns", NAMEARRAYOID, names_datum((char *const *) names, other == NULL ? 1 : 2));
	if (!isnan(before))
		put_number(row, "before", before);
	if (!isnan(after))
		put_number(row, "after", after);
	if (!isnan(value))
		put_number(row, "value", value);
	row_add(row);
}

OWN_FUNCTION(anonopt_utility)
{
	ResultRow  *row = result_begin(fcinfo);
	int			nqueries = integer_argument(fcinfo, "queries", 0, 1000000);
	int64		seed = seed_argument(fcinfo);
	Shown		shown;

	if (read_shown(fcinfo, &shown))
		measure_usefulness(shown.before, shown.after, nqueries, seed, put_utility, row);
	return (Datum) 0;
}

/* --------------------------------------------------------------- distributions */

static void
put_value(void *arg, const char *column, const char *value, double people, double left_out, double shown)
{
	ResultRow  *row = arg;

	put_string(row, "column_name", column);
	put_string(row, "value", value);
	put_count(row, "people", (int64) people);
	put_count(row, "left_out", (int64) left_out);
	put_number(row, "shown", shown);
	row_add(row);
}

/* Puts each value that somebody has or that is shown; or bands of them, if people are asked for. */
static void
put_values(FunctionCallInfo fcinfo, ResultRow *row, const ColumnValues *column)
{
	if (takes_argument(fcinfo, "fewest"))
	{
		put_bands(column, integer_argument(fcinfo, "fewest", 1, PG_INT32_MAX), put_value, row);
		return;
	}
	for (uint32 i = 0; i < column->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (column->people[i] > 0 || column->shown[i] > 0)
			put_value(row, column->name, column->values[i], column->people[i], column->left_out[i], column->shown[i]);
	}
}

static void
put_attribute(FunctionCallInfo fcinfo, ResultRow *row, const Shown *shown, int a)
{
	const Population *population = shown->before->population;
	const TupleTable *tuples = population->tuples;
	const Attribute *attr = &population->attrs[a];
	uint32		n = attr->hierarchy->nleaves;
	double	   *people = budget_alloc_zero(sizeof(double), (Size) n + 1);
	double	   *left_out = budget_alloc_zero(sizeof(double), (Size) n + 1);
	double	   *after = people_by_leaf(shown->after, a);
	const ColumnValues column = {attr->name, attr->hierarchy, n, attr->hierarchy->labels[0], people, left_out, after};

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		uint32		leaf = key_get(tuples->keys + (Size) i * population->nwords, &attr->field);

		people[leaf] += tuples->counts[i];
		left_out[leaf] += shown->after->class_of[i] < shown->nlabelled ? 0 : tuples->counts[i];
	}
	put_values(fcinfo, row, &column);
	pfree(people);
	pfree(left_out);
	pfree(after);
}

/* release_distribution, and release_bands, which has one more argument. */
OWN_FUNCTION(anonopt_release_distribution)
{
	ResultRow  *row = result_begin(fcinfo);
	Shown		shown;

	if (!read_shown(fcinfo, &shown))
		return (Datum) 0;
	for (int a = 0; a < shown.before->population->nattrs; a++)
		put_attribute(fcinfo, row, &shown, a);
	for (int i = 0; i < shown.before->population->nsensitive; i++)
	{
		const Histograms *histograms = shown.before->population->columns[i];
		double	   *before = people_by_value(shown.before, i);
		double	   *after = people_by_value(shown.after, i);
		double	   *left_out = budget_alloc(sizeof(double), (Size) histograms->nvalues + 1);
		const ColumnValues column = {histograms->name, NULL, histograms->nvalues,
		(const char *const *) shown.release->spool.values[i], before, left_out, after};

		for (uint32 value = 0; value < histograms->nvalues; value++)
			left_out[value] = before[value] - after[value];
		put_values(fcinfo, row, &column);
		pfree(before);
		pfree(after);
		pfree(left_out);
	}
	return (Datum) 0;
}
