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

#include "access/relation.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "catalog/sql.h"
#include "catalog/own_objects.h"
#include "compare/comparison.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/specification.h"
#include "release/release.h"
#include "sql/arguments.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

OWN_FUNCTION(anonopt_utility);
OWN_FUNCTION(anonopt_release_distribution);

/* The least denominator of a relative error, as a share of the people. */
#define LEAST_SHARE 0.001

/* A release and the data. */
typedef struct Shown
{
	Release    *release;
	RowSpool	spool;
	const Population *population;
	ShownRuns  *before;
	ShownRuns  *after;
	bool	   *tuple_shown;	/* by tuple: whether it is shown with labels */
	bool		starred;		/* the others are shown as stars */
} Shown;

/* The classes of any generalization, before choosing those to show. */
typedef struct AnyClasses
{
	uint32		n;
	uint32	   *class_of;		/* by tuple, or NO_CLASS */
	uint32	   *first_leaf;		/* by class and attribute */
	uint32	   *leaves;
} AnyClasses;

/* Fails unless the caller itself owns the release and it is of that data set. */
static ReleaseEntry *
entry_argument(FunctionCallInfo fcinfo, const char *dataset)
{
	ReleaseEntry *entry;
	Oid			relation;

	require_argument(fcinfo, "release");
	relation = PG_GETARG_OID(1);
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
	return entry;
}

static AnyClasses
classes_of_node(const Population *population, Recodings node)
{
	int			bottom[MAX_ATTRIBUTES] = {0};
	AnyClasses	classes;
	TupleTable *table = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom), node,
										   CurrentMemoryContext, &classes.class_of);

	classes.n = table->ntuples;
	classes.first_leaf = budget_alloc(sizeof(uint32) * population->nattrs, (Size) classes.n + 1);
	classes.leaves = budget_alloc(sizeof(uint32) * population->nattrs, (Size) classes.n + 1);
	for (uint32 class = 0; class < classes.n; class++)
		for (int a = 0; a < population->nattrs; a++)
		{
			Size		at = (Size) class * population->nattrs + a;
			uint32		code = key_get(table->keys + (Size) class * population->nwords, &population->attrs[a].field);

			classes.first_leaf[at] = node[a]->first_leaf[code];
			classes.leaves[at] = node[a]->leaves[code];
		}
	tuple_table_free(population, table);
	return classes;
}

static AnyClasses
classes_of_release(const Shown *shown)
{
	Release    *release = shown->release;
	TableRecoding *table;
	RecodedClasses *recoded;

	if (release->levels != NULL)
		return classes_of_node(shown->population, node_of_levels(shown->population, release->levels));
	if (release->cuts != NULL)
	{
		release_adapt_cuts(shown->release, shown->population);
		return classes_of_node(shown->population, node_of_cuts(shown->population, release->cuts));
	}
	recoded = recoding_table_show(shown->spool.reading, shown->population, release->recoding->opened, release->recoding->labels, &table);
	return (AnyClasses)
	{
		recoded->nclasses, recoded->class_of, recoded->first_leaf, recoded->leaves
	};
}

/*
 * Puts the tuples that no class shows into an additional last class; returns
 * its number.
 */
static uint32
hide_classes(Shown *shown, AnyClasses *classes, const bool *breaks)
{
	uint32		ntuples = shown->population->tuples->ntuples;
	int			nattrs = shown->population->nattrs;
	uint32	   *number = budget_alloc(sizeof(uint32), (Size) classes->n + 1);
	uint32		n = 0;

	for (uint32 class = 0; class < classes->n; class++)
	{
		number[class] = breaks[class] ? NO_CLASS : n;
		if (breaks[class])
			continue;
		memmove(classes->first_leaf + (Size) n * nattrs, classes->first_leaf + (Size) class * nattrs, sizeof(uint32) * nattrs);
		memmove(classes->leaves + (Size) n * nattrs, classes->leaves + (Size) class * nattrs, sizeof(uint32) * nattrs);
		n++;
	}
	shown->tuple_shown = budget_alloc(sizeof(bool), (Size) ntuples + 1);
	for (uint32 i = 0; i < ntuples; i++)
	{
		uint32		class = classes->class_of[i] == NO_CLASS ? NO_CLASS : number[classes->class_of[i]];

		shown->tuple_shown[i] = class != NO_CLASS;
		classes->class_of[i] = shown->tuple_shown[i] ? class : n;
	}
	pfree(number);
	return n;
}

/* The histograms and counts of classes, followed by those of people in none. */
static TupleTable *
table_of_classes(const Population *population, const AnyClasses *classes)
{
	uint32	   *class_of = budget_alloc(sizeof(uint32), (Size) population->tuples->ntuples + 1);
	bool		any = false;
	TupleTable *table;

	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		class_of[i] = Min(classes->class_of[i], classes->n);
		any = any || class_of[i] == classes->n;
	}
	table = tuple_table_group(population, population->tuples, class_of, any ? classes->n + 1 : classes->n, CurrentMemoryContext);
	pfree(class_of);
	return table;
}

/*
 * The classes that keep the promise, and the rest as stars if the release
 * shows them.
 */
static void
choose_shown(Shown *shown, bool star)
{
	const Population *population = shown->population;
	Promise		promise = shown->release->spec.promise;
	AnyClasses	classes = classes_of_release(shown);
	TupleTable *table = table_of_classes(population, &classes);
	bool	   *breaks = budget_alloc_zero(sizeof(bool), (Size) classes.n + 2);
	bool	   *kept;
	Measurer   *measurer;
	LeafBoxes	boxes = {0};
	uint32		last;

	promise.limit = share_of_people(shown->release->spec.dataset->max_suppression, population->people);
	measurer = measurer_create(population, &promise);
	boxes.nclasses = boxes.nboxes = classes.n;
	boxes.first_leaf = classes.first_leaf;
	boxes.leaves = classes.leaves;
	measurer_look_into_boxes(measurer, &boxes);
	for (uint32 class = 0; class < classes.n; class++)
		breaks[class] = class_breaks(measurer, table, class, promise.k) != 0;
	last = hide_classes(shown, &classes, breaks);
	classes.n = last;
	table = table_of_classes(population, &classes);
	classes.first_leaf = repalloc_huge(classes.first_leaf, sizeof(uint32) * population->nattrs * ((Size) last + 1));
	classes.leaves = repalloc_huge(classes.leaves, sizeof(uint32) * population->nattrs * ((Size) last + 1));
	for (int a = 0; a < population->nattrs; a++)
	{
		classes.first_leaf[(Size) last * population->nattrs + a] = 0;
		classes.leaves[(Size) last * population->nattrs + a] = population->attrs[a].hierarchy->nleaves;
	}
	kept = budget_alloc(sizeof(bool), (Size) last + 1);
	memset(kept, true, last);

	/*
	 * as in a release: with promises about people outside, nothing is shown
	 * as stars
	 */
	shown->starred = star && table->ntuples > last && !population_asks_outside(population) && class_breaks(measurer, table, last, promise.k) == 0;
	kept[last] = shown->starred;
	shown->after = runs_of_classes(population, table, classes.first_leaf, classes.leaves, kept);
}

/* Computes what a release would show now; returns false if there are no people. */
static bool
read_shown(FunctionCallInfo fcinfo, Shown *shown)
{
	char	   *dataset = name_argument(fcinfo, "dataset");
	ReleaseEntry *entry = entry_argument(fcinfo, dataset);
	int			settings = release_settings_begin();

	memset(shown, 0, sizeof(Shown));
	shown->release = release_of_entry(entry);
	release_check(shown->release);
	shown->spool.wants_values = true;
	spool_read(&shown->spool, shown->release->spec.dataset, NULL);
	shown->population = shown->spool.population;
	if (shown->population != NULL)
	{
		shown->before = runs_of_tuples(shown->population);
		choose_shown(shown, entry->star);
	}
	release_close(shown->release);
	release_settings_end(settings);
	return shown->population != NULL;
}

/* -------------------------------------------------------------------- utility */

/* Adds a row; NaN becomes null. */
static void
put_utility(ReturnSetInfo *result, const char *measure, const char *column, const char *other, double before, double after, double value)
{
	const char *names[2] = {column, other};
	double		numbers[3] = {before, after, value};
	Datum		values[5];
	bool		nulls[5] = {0};

	values[0] = CStringGetTextDatum(measure);
	nulls[1] = column == NULL;
	values[1] = column == NULL ? (Datum) 0 : names_datum((char *const *) names, other == NULL ? 1 : 2);
	for (int i = 0; i < 3; i++)
	{
		nulls[2 + i] = isnan(numbers[i]);
		values[2 + i] = Float8GetDatum(numbers[i]);
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static const char *
column_name(const Population *population, int column)
{
	return population->columns[column]->name;
}

/*
 * The distance between each column's distributions; prepares groups for the
 * associations.
 */
static void
put_distances(ReturnSetInfo *result, const Shown *shown, Grouping *of_attribute, Grouping *of_column)
{
	const Population *population = shown->population;

	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];
		uint32		n = attr->hierarchy->nleaves;
		double	   *before = people_by_leaf(shown->before, a);
		double	   *after = people_by_leaf(shown->after, a);

		put_utility(result, "total_variation", attr->name, NULL, NAN, NAN,
					total_variation(before, shown->before->people, after, shown->after->people, n));
		if (attr->leaves != LEAVES_CATEGORIES)
			put_utility(result, "earth_movers", attr->name, NULL, NAN, NAN,
						earth_movers(before, shown->before->people, after, shown->after->people, n));
		of_attribute[a] = group_evenly(before, n);
		pfree(before);
		pfree(after);
	}
	for (int column = 0; column < population->nsensitive; column++)
	{
		uint32		n = population->columns[column]->nvalues;
		double	   *before = people_by_value(shown->before, column);
		double	   *after = people_by_value(shown->after, column);

		put_utility(result, "total_variation", column_name(population, column), NULL, NAN, NAN,
					total_variation(before, shown->before->people, after, shown->after->people, n));
		of_column[column] = group_evenly(before, n);
		pfree(before);
		pfree(after);
	}
}

static void
put_associations(ReturnSetInfo *result, const Shown *shown, const Grouping *of_attribute, const Grouping *of_column)
{
	const Population *population = shown->population;
	double		before;
	double		after;

	for (int a = 0; a < population->nattrs; a++)
	{
		for (int b = a + 1; b < population->nattrs; b++)
		{
			before = attributes_association(shown->before, a, &of_attribute[a], b, &of_attribute[b]);
			after = attributes_association(shown->after, a, &of_attribute[a], b, &of_attribute[b]);
			put_utility(result, "cramers_v", population->attrs[a].name, population->attrs[b].name, before, after, fabs(after - before));
		}
		for (int column = 0; column < population->nsensitive; column++)
		{
			before = column_association(shown->before, a, &of_attribute[a], column, &of_column[column]);
			after = column_association(shown->after, a, &of_attribute[a], column, &of_column[column]);
			put_utility(result, "cramers_v", population->attrs[a].name, column_name(population, column), before, after,
						fabs(after - before));
		}
	}
}

static void
put_queries(ReturnSetInfo *result, const Shown *shown, int nqueries, int64 seed)
{
	Prng		prng = {(uint64) seed};
	double	   *errors = budget_alloc(sizeof(double), (Size) nqueries + 1);
	double		sum = 0;

	if (nqueries == 0)
		return;
	for (int i = 0; i < nqueries; i++)
	{
		RangeQuery	query = random_range_query(shown->population, &prng);
		double		before = range_query_count(shown->before, &query);

		CHECK_FOR_INTERRUPTS();
		errors[i] = fabs(range_query_count(shown->after, &query) - before) / Max(before, LEAST_SHARE * shown->before->people);
		sum += errors[i];
	}
	qsort(errors, nqueries, sizeof(double), compare_doubles);
	put_utility(result, "range_query_error", NULL, NULL, NAN, NAN, sum / nqueries);
	put_utility(result, "range_query_error_median", NULL, NULL, NAN, NAN, errors[nqueries / 2]);
}

/*
 * How well the class label can be predicted, compared with always predicting
 * the most frequent one.
 */
static void
put_classifier(ReturnSetInfo *result, const Shown *shown)
{
	const Population *population = shown->population;
	int			column = population->nsensitive;
	ClassifierQuality before;
	ClassifierQuality after;
	const char *name;
	double	   *people;
	double		most = 0;

	if (population->ncolumns <= column || population->columns[column]->role != COLUMN_CLASS_LABEL)
		return;
	name = column_name(population, column);
	people = people_by_value(shown->before, column);
	for (uint32 value = 0; value < population->columns[column]->nvalues; value++)
		most = Max(most, people[value]);
	before = naive_bayes_quality(shown->before, column);
	after = naive_bayes_quality(shown->after, column);
	put_utility(result, "majority", name, NULL, NAN, NAN, most / population->people);
	put_utility(result, "accuracy", name, NULL, before.accuracy, after.accuracy, before.accuracy - after.accuracy);
	put_utility(result, "auc", name, NULL, before.auc, after.auc, before.auc - after.auc);
}

static Datum
anonopt_utility_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Shown		shown;
	int			nqueries;
	int64		seed;
	Grouping   *of_attribute;
	Grouping   *of_column;

	InitMaterializedSRF(fcinfo, 0);
	nqueries = integer_argument(fcinfo, "queries", 0, 1000000);
	seed = seed_argument(fcinfo);
	if (!read_shown(fcinfo, &shown))
		return (Datum) 0;
	of_attribute = palloc(sizeof(Grouping) * (shown.population->nattrs + 1));
	of_column = palloc(sizeof(Grouping) * (shown.population->ncolumns + 1));
	put_distances(result, &shown, of_attribute, of_column);
	put_associations(result, &shown, of_attribute, of_column);
	put_queries(result, &shown, nqueries, seed);
	put_classifier(result, &shown);
	return (Datum) 0;
}

/* --------------------------------------------------------------- distributions */

static void
put_value(ReturnSetInfo *result, const char *column, const char *value, int64 people, int64 left_out, double shown)
{
	Datum		values[5];
	bool		nulls[5] = {0};

	values[0] = name_datum(column);
	nulls[1] = value == NULL;
	values[1] = value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
	values[2] = Int64GetDatum(people);
	values[3] = Int64GetDatum(left_out);
	values[4] = Float8GetDatum(shown);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_attribute(ReturnSetInfo *result, const Shown *shown, int a)
{
	const Population *population = shown->population;
	const TupleTable *tuples = population->tuples;
	const Attribute *attr = &population->attrs[a];
	uint32		n = attr->hierarchy->nleaves;
	int64	   *people = budget_alloc_zero(sizeof(int64), (Size) n + 1);
	int64	   *left_out = budget_alloc_zero(sizeof(int64), (Size) n + 1);
	double	   *after = people_by_leaf(shown->after, a);

	for (uint32 i = 0; i < tuples->ntuples; i++)
	{
		uint32		leaf = key_get(tuples->keys + (Size) i * population->nwords, &attr->field);

		people[leaf] += tuples->counts[i];
		left_out[leaf] += shown->tuple_shown[i] ? 0 : tuples->counts[i];
	}
	for (uint32 leaf = 0; leaf < n; leaf++)
	{
		CHECK_FOR_INTERRUPTS();
		if (people[leaf] > 0 || after[leaf] > 0)
			put_value(result, attr->name, attr->hierarchy->labels[0][leaf], people[leaf], left_out[leaf], after[leaf]);
	}
	pfree(people);
	pfree(left_out);
	pfree(after);
}

static void
put_sensitive(ReturnSetInfo *result, const Shown *shown, int column)
{
	const Histograms *histograms = shown->population->columns[column];
	double	   *before = people_by_value(shown->before, column);
	double	   *after = people_by_value(shown->after, column);

	for (uint32 value = 0; value < histograms->nvalues; value++)
		put_value(result, histograms->name, shown->spool.values[column][value], (int64) before[value],
				  (int64) (before[value] - after[value]), after[value]);
	pfree(before);
	pfree(after);
}

static Datum
anonopt_release_distribution_call(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Shown		shown;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_shown(fcinfo, &shown))
		return (Datum) 0;
	for (int a = 0; a < shown.population->nattrs; a++)
		put_attribute(result, &shown, a);
	for (int column = 0; column < shown.population->nsensitive; column++)
		put_sensitive(result, &shown, column);
	return (Datum) 0;
}
