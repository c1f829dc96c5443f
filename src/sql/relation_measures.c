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

/* Measures the relation without generalization; returns false if it is empty. */
static bool
measure_relation(FunctionCallInfo fcinfo, Measures *measures)
{
	Dataset    *dataset = undeclared(fcinfo);
	Population *population;
	Promise		nothing = {0};
	int			bottom[MAX_ATTRIBUTES] = {0};

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
	population = read_undeclared(dataset);
	if (population->people == 0)
		return false;
	measure(measurer_create(population, &nothing), node_of_levels(population, bottom), population->tuples, measures);
	return true;
}

OWN_FUNCTION(anonopt_k_anonymity)
{
	Measures	measures;

	if (!measure_relation(fcinfo, &measures))
		PG_RETURN_NULL();
	PG_RETURN_INT64(measures.k);
}

OWN_FUNCTION(anonopt_l_diversity)
{
	Measures	measures;

	if (!measure_relation(fcinfo, &measures))
		PG_RETURN_NULL();
	PG_RETURN_INT64(measures.l);
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

/* Puts the figures of people, if there are any, in columns with a prefix. */
static void
put_risks(ResultRow *row, const char *prefix, const ClassRisks *risks)
{
	if (risks->people == 0)
		return;
	put_number(row, psprintf("%shighest", prefix), 1.0 / risks->smallest);
	put_number(row, psprintf("%saverage", prefix), risks->found / risks->people);
	put_number(row, psprintf("%sshare_above", prefix), (double) risks->above / risks->people);
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

OWN_FUNCTION(anonopt_risk)
{
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
	population = read_undeclared(dataset);
	own = own_risks(population, threshold);
	put_count(row, "records", population->people);
	put_count(row, "classes", own.classes);
	put_count(row, "uniques", own.uniques);
	put_count(row, "people", population->persons);
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
