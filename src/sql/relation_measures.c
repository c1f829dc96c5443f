/*
 * relation_measures.c
 *	  SQL: k_anonymity, l_diversity, entropy_l_diversity, t_closeness, risk,
 *	  suggest_quasi_identifiers.
 *
 * Measures of any relation, published or not.  A relation without a
 * declaration is read like a data set whose quasi-identifiers have no
 * hierarchy: its classes are its distinct tuples.
 *
 * A record's risk is 1 over the size of its class.  If the relation is a
 * sample, that overstates the risk, because the class is larger in the
 * population.  So there are also figures against a relation with the whole
 * population, and estimates without one.
 */
#include "base/compat.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/sql.h"
#include "engine/known_columns.h"
#include "engine/known_rows.h"
#include "engine/risk.h"
#include "read/population_read.h"
#include "read/suggestions.h"
#include "sql/call.h"
#include "utils/memutils.h"

/* Builds the data set of "relation" and "quasi_identifiers". */
static Dataset *
undeclared(FunctionCallInfo fcinfo)
{
	Dataset    *dataset = palloc0(sizeof(Dataset));
	char	  **columns;
	int			ncolumns;

	dataset->relation = relation_argument(fcinfo, "relation");
	columns = columns_argument(fcinfo, "quasi_identifiers", dataset->relation, &ncolumns);
	dataset->attributes = palloc0(sizeof(Declared) * (ncolumns + 1));
	for (int i = 0; i < ncolumns; i++)
		(void) dataset_declare(dataset, ROLE_QUASI_IDENTIFIER, columns[i]);
	return dataset;
}

static Population *
read_undeclared(const Dataset *dataset)
{
	if (dataset->nattributes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no quasi-identifiers are named"),
				 errhint("Name the columns by which people could be recognized.")));
	return population_read(dataset);
}

/* Reads the relation with the sensitive column, if the function has one. */
static Population *
relation_population(FunctionCallInfo fcinfo)
{
	Dataset    *dataset = undeclared(fcinfo);

	if (takes_argument(fcinfo, "sensitive"))
	{
		char	   *column = name_argument(fcinfo, "sensitive");
		Declared   *sensitive;

		require_column(dataset->relation, column);
		sensitive = dataset_declare(dataset, ROLE_SENSITIVE, column);
		if (takes_argument(fcinfo, "distance"))
		{
			sensitive->distance = distance_by_name(name_argument(fcinfo, "distance"));
			sensitive->hierarchy = relation_if_given(fcinfo, "hierarchy");
			require_distance_hierarchy(sensitive->distance, sensitive->hierarchy);
		}
	}
	return read_undeclared(dataset);
}

/* Measures the relation without generalization; returns false if it is empty. */
static bool
measure_relation(FunctionCallInfo fcinfo, Measures *measures)
{
	Population *population = relation_population(fcinfo);
	Promise		nothing = {0};
	int			bottom[MAX_ATTRIBUTES] = {0};

	if (population->people == 0)
		return false;
	measure(measurer_create(population, &nothing), node_of_levels(population, bottom), population->tuples, measures);
	return true;
}

/* The least figure of a class, by all columns or any so many as are known. */
static Datum
least_figure(FunctionCallInfo fcinfo, PromiseModel model, int column)
{
	ColumnsKnown known = {.model = model,.column = column};
	Population *population;

	if (!is_given(fcinfo, "relation") || !is_given(fcinfo, "quasi_identifiers") || (column >= 0 && !is_given(fcinfo, "sensitive")))
		PG_RETURN_NULL();
	known.columns = count_if_given(fcinfo, "columns_known");
	population = relation_population(fcinfo);
	if (population->people == 0)
		PG_RETURN_NULL();
	if (known.columns == 0)
		known.columns = population->nattrs;
	PG_RETURN_INT64((int64) known_columns_worst(population, population->tuples, NULL, &known, NULL));
}

OWN_FUNCTION(anonopt_k_anonymity)
{
	return least_figure(fcinfo, MODEL_K, -1);
}

OWN_FUNCTION(anonopt_l_diversity)
{
	return least_figure(fcinfo, MODEL_L, 0);
}

OWN_FUNCTION(anonopt_entropy_l_diversity)
{
	Measures	measures;

	if (!measure_relation(fcinfo, &measures))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(measures.entropy_l);
}

OWN_FUNCTION(anonopt_t_closeness)
{
	Measures	measures;

	/* not strict, since the hierarchy may be null */
	if (!is_given(fcinfo, "relation") || !is_given(fcinfo, "quasi_identifiers") ||
		!is_given(fcinfo, "sensitive") || !is_given(fcinfo, "distance") || !measure_relation(fcinfo, &measures))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(measures.t);
}

/* ------------------------------------------------------------------------ risk */

/* Puts the highest risk of people, and the share of them above the threshold, in columns with a prefix. */
static void
put_highest(ResultRow *row, const char *prefix, const ClassRisks *risks)
{
	put_number(row, psprintf("%shighest", prefix), 1.0 / risks->smallest);
	put_number(row, psprintf("%sshare_above", prefix), (double) risks->above / risks->people);
}

/* Puts the figures of people, if there are any. */
static void
put_risks(ResultRow *row, const char *prefix, const ClassRisks *risks)
{
	if (risks->people == 0)
		return;
	put_highest(row, prefix, risks);
	put_number(row, psprintf("%saverage", prefix), risks->found / risks->people);
}

/* The risks against a population. */
static ClassRisks
population_risks(const Dataset *dataset, Oid population, double threshold)
{
	ClassRisks	risks = {.threshold = threshold,.smallest = PG_INT64_MAX};
	QueryRows  *sizes = read_matched_sizes(dataset, population);
	bool		isnull;

	for (int i = 0; i < sizes->n; i++)
		add_class_risks(&risks, DatumGetInt64(row_value(sizes, i, 0, &isnull)), DatumGetInt64(row_value(sizes, i, 1, &isnull)),
						DatumGetInt64(row_value(sizes, i, 2, &isnull)));
	return risks;
}

/* Keeps only the columns by which people are recognized most easily, and reads these. */
static Population *
keep_riskiest(ResultRow *row, Dataset *dataset, const Population *population, int columns)
{
	int			worst[MAX_ATTRIBUTES];
	char	   *names[MAX_ATTRIBUTES];
	int			n = population->people == 0 ? 0 : riskiest_columns(population, columns, worst);

	if (n == 0)
		return read_undeclared(dataset);
	for (int i = 0; i < n; i++)
	{
		dataset->attributes[i] = dataset->attributes[worst[i]];
		names[i] = dataset->attributes[i].column;
	}
	dataset->nattributes = n;
	put_datum(row, "worst", NAMEARRAYOID, names_datum(names, n));
	return read_undeclared(dataset);
}

/* The promise against people who know so many rows that everybody at a risk up to a threshold keeps. */
static void
promise_rows(Dataset *dataset, int rows, double threshold)
{
	DeclaredPromise promise = {.model = MODEL_K,.rows_known = rows,.threshold = PG_INT32_MAX};

	if (threshold > 1.0 / PG_INT32_MAX)
		promise.threshold = ceil(1 / threshold);
	/* 1 / threshold may have been rounded */
	if (1 / (promise.threshold - 1) <= threshold)
		promise.threshold--;
	else if (promise.threshold < PG_INT32_MAX && 1 / promise.threshold > threshold)
		promise.threshold++;
	dataset->keeps_rows = true;
	dataset_promise(dataset, &promise);
}

/* Puts how easily people are recognized who have several rows, of which any so many are known. */
static void
put_rows_risk(ResultRow *row, const Population *population, const ClassRisks *own)
{
	RowsRisk	risk = {own->smallest, own->uniques, own->above};
	ClassRisks	people = {.people = population->persons};

	if (population->rows != NULL)
		risk = known_rows_risk(population);
	people.smallest = risk.least;
	people.above = risk.few;
	put_highest(row, "", &people);
	put_count(row, "singled_out", risk.singled_out);
}

OWN_FUNCTION(anonopt_risk)
{
	int			rows_known;
	double		threshold;
	double		fraction;
	Dataset    *dataset;
	Population *population;
	ResultRow  *row;
	ClassRisks	own;
	ClassRisks	matched;

	if (!is_given(fcinfo, "relation") || !is_given(fcinfo, "quasi_identifiers") || !is_given(fcinfo, "threshold"))
		PG_RETURN_NULL();
	threshold = number_argument(fcinfo, "threshold");
	if (isnan(threshold) || threshold < 0 || threshold > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("threshold must be between 0 and 1")));
	fraction = is_given(fcinfo, "sampling_fraction") ? number_argument(fcinfo, "sampling_fraction") : 1;
	if (!(fraction > 0 && fraction <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sampling_fraction must be above 0 and at most 1"),
				 errhint("It is the share of the population whose rows the relation holds.")));
	row = result_begin(fcinfo);
	dataset = undeclared(fcinfo);
	dataset->person = name_if_given(fcinfo, "person");
	if (dataset->person != NULL)
		require_column(dataset->relation, dataset->person);
	rows_known = count_if_given(fcinfo, "rows_known");
	if (rows_known > 0 && dataset->person == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows_known needs a person"),
				 errhint("Name the column that says whose each row is as person.")));
	if (rows_known > 0 && (is_given(fcinfo, "columns_known") || is_given(fcinfo, "population") || is_given(fcinfo, "sampling_fraction")))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot specify rows_known together with columns_known, population or sampling_fraction")));
	if (rows_known > 0)
		promise_rows(dataset, rows_known, threshold);
	population = read_undeclared(dataset);
	if (is_given(fcinfo, "columns_known"))
		population = keep_riskiest(row, dataset, population, count_if_given(fcinfo, "columns_known"));
	own = own_risks(population, threshold);
	put_count(row, "records", population->people);
	put_count(row, "people", population->persons);
	if (rows_known > 0)
	{
		if (population->people > 0)
			put_rows_risk(row, population, &own);
		PG_RETURN_DATUM(row_datum(row));
	}
	put_count(row, "classes", own.classes);
	put_count(row, "uniques", own.uniques);
	put_risks(row, "", &own);
	if (own.people > 0)
		put_number(row, "lowest", 1.0 / own.largest);
	if (is_given(fcinfo, "population"))
	{
		matched = population_risks(dataset, relation_argument(fcinfo, "population"), threshold);
		put_number(row, "population_uniques", (double) matched.uniques);
		put_risks(row, "journalist_", &matched);
		if (matched.people > 0)
			put_number(row, "marketer", matched.found / matched.people);
	}
	if (is_given(fcinfo, "sampling_fraction") && population->people > 0)
	{
		SampleSizes sample = sample_sizes(population, fraction);

		put_number(row, "zayatz_uniques", zayatz_uniques(&sample));
		put_number(row, "pitman_uniques", pitman_uniques(&sample));
		/* a count in the population takes precedence over estimates */
		if (!is_given(fcinfo, "population"))
			put_number(row, "population_uniques", population_uniques(&sample));
	}
	PG_RETURN_DATUM(row_datum(row));
}

/* ------------------------------------------------- columns that single people out */

OWN_FUNCTION(anonopt_suggest_quasi_identifiers)
{
	ResultRow  *row = result_begin(fcinfo);
	Relation	relation = relation_open_existing(relation_if_given(fcinfo, "relation"));
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int			nnamed = 0;
	char	  **named = is_given(fcinfo, "columns") ? columns_argument(fcinfo, "columns", RelationGetRelid(relation), &nnamed) : NULL;
	ListCell   *cell;

	if (named != NULL && nnamed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no columns are named"),
				 errhint("Omit columns to count all that you may read.")));
	foreach(cell, suggestions_of(relation, named, nnamed))
	{
		const Suggestion *suggestion = lfirst(cell);
		const KeyTotals *totals = &suggestion->totals;
		double		people = suggestion->people;

		put_datum(row, "columns", NAMEARRAYOID, names_datum((char *const *) suggestion->names, suggestion->nnames));
		put_number(row, "distinction", totals->keys / people);
		put_number(row, "separation", people > 1 ? 1 - totals->pairs / (people * (people - 1)) : 0);
		put_count(row, "uniques", (int64) totals->singles);
		put_bool(row, "labelled", suggestion->is_labelled);
		put_bool(row, "identifier", suggestion->is_identifier);
		put_bool(row, "estimated", suggestion->is_estimated);
		row_add(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	relation_close(relation, NoLock);
	return (Datum) 0;
}
