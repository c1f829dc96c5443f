/*
 * risk.c
 *	  SQL: risk, how easily people in a relation are recognized.
 *
 * A record's risk is 1 over the size of its class.  If the relation is a
 * sample, that overstates the risk, because the class is larger in the
 * population.  So there are also figures against a relation with the whole
 * population, and estimates without one.
 *
 * A single statement matches the classes of the two relations: it groups both,
 * and adds up their counts for each combination of values.
 */
#include "base/compat.h"

#include <math.h>

#include "base/budget.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "catalog/type_match.h"
#include "engine/population_uniques.h"
#include "read/population_read.h"
#include "sql/arguments.h"
#include "sql/search_call.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

OWN_FUNCTION(anonopt_risk);

enum
{
	RISK_RECORDS, RISK_CLASSES, RISK_UNIQUES, RISK_HIGHEST, RISK_AVERAGE, RISK_LOWEST, RISK_SHARE_ABOVE, RISK_PEOPLE,
	RISK_JOURNALIST_HIGHEST, RISK_JOURNALIST_AVERAGE, RISK_JOURNALIST_SHARE_ABOVE, RISK_MARKETER,
	RISK_POPULATION_UNIQUES, RISK_ZAYATZ_UNIQUES, RISK_PITMAN_UNIQUES, RISK_COLUMNS
};

/* A row of the result. */
typedef struct RiskRow
{
	Datum		values[RISK_COLUMNS];
	bool		nulls[RISK_COLUMNS];
} RiskRow;

static void
put_number(RiskRow *row, int column, double number)
{
	row->values[column] = Float8GetDatum(number);
	row->nulls[column] = false;
}

static void
put_count(RiskRow *row, int column, int64 count)
{
	row->values[column] = Int64GetDatum(count);
	row->nulls[column] = false;
}

/* ------------------------------------------------------- within the relation */

/* Sums over classes; a person counts once in each class. */
typedef struct ClassRisks
{
	int64		people;
	int64		classes;
	int64		smallest;
	int64		largest;
	int64		uniques;
	int64		above;			/* people above the threshold */
} ClassRisks;

static void
put_own_risks(RiskRow *row, const Population *population, double threshold)
{
	ClassRisks	risks = {.smallest = PG_INT64_MAX,.classes = population->tuples->ntuples};

	put_count(row, RISK_RECORDS, population->people);
	put_count(row, RISK_CLASSES, population->people > 0 ? risks.classes : 0);
	put_count(row, RISK_UNIQUES, 0);
	put_count(row, RISK_PEOPLE, population->persons);
	if (population->people == 0)
		return;
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
	{
		int64		size = class_people(population, population->tuples, i);

		risks.people += size;
		risks.smallest = Min(risks.smallest, size);
		risks.largest = Max(risks.largest, size);
		risks.uniques += size == 1;
		if (1.0 / size > threshold)
			risks.above += size;
	}
	put_count(row, RISK_UNIQUES, risks.uniques);
	put_number(row, RISK_HIGHEST, 1.0 / risks.smallest);
	put_number(row, RISK_AVERAGE, (double) risks.classes / risks.people);
	put_number(row, RISK_LOWEST, 1.0 / risks.largest);
	put_number(row, RISK_SHARE_ABOVE, (double) risks.above / risks.people);
}

/* --------------------------------------------------- against the population */

/* A column of both relations, and the form in which its values are compared. */
typedef struct ComparedColumn
{
	const char *own_form;
	const char *their_form;
	const char *collation;
} ComparedColumn;

static ComparedColumn
compare_column(Oid relation, Oid population, const char *column)
{
	ComparedColumn compared = {0};
	Oid			own = column_type(relation, column);
	Oid			theirs = column_type(population, column);
	TypeMatch	match;

	if (!OidIsValid(theirs))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation %s does not exist", column, relation_sql_name(population)),
				 errhint("A population must have the columns of the relation, under the same names.")));
	if (!match_types(getBaseType(theirs), getBaseType(own), &match) ||
		(type_is_range(getBaseType(own)) && getBaseType(own) != getBaseType(theirs)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" has type %s in %s and %s in %s", column, format_type_be(own), relation_sql_name(relation),
						format_type_be(theirs), relation_sql_name(population)),
				 errhint("Declare a view of the population that casts it.")));
	compared.own_form = match.leaf_form;
	compared.their_form = match.data_form;
	compared.collation = match.data_type == TEXTOID ? " COLLATE pg_catalog.\"C\"" : "";
	return compared;
}

/* The number of people in a relation with each combination of values. */
static void
append_sizes(StringInfo sql, Oid relation, const Dataset *dataset, const ComparedColumn *columns, bool own, const char *person)
{
	appendStringInfoString(sql, "SELECT ");
	for (int i = 0; i < dataset->nattributes; i++)
		appendStringInfo(sql, "%s%s AS c%d, ", sql_as(own ? columns[i].own_form : columns[i].their_form,
													  psprintf("r.%s", quote_identifier(dataset->attributes[i].column))), columns[i].collation, i + 1);
	appendStringInfo(sql, "%s AS own, %s AS theirs FROM %s r GROUP BY ", own ? person : "0::pg_catalog.int8",
					 own ? "0::pg_catalog.int8" : person, relation_sql_name(relation));
	for (int i = 0; i < dataset->nattributes; i++)
		appendStringInfo(sql, "%s%d", i > 0 ? ", " : "", i + 1);
}

/*
 * The expression that counts people in a group: different ones, if there is a
 * person column.
 */
static char *
people_sql(Oid relation, const char *person)
{
	Oid			type = person != NULL ? column_type(relation, person) : InvalidOid;
	char	   *value;

	if (!OidIsValid(type))
		return pstrdup("pg_catalog.count(*)");
	value = psprintf("r.%s%s", quote_identifier(person), OidIsValid(get_typcollation(type)) ? " COLLATE pg_catalog.\"C\"" : "");
	return psprintf("pg_catalog.count(DISTINCT %s) OPERATOR(pg_catalog.+) pg_catalog.max(CASE WHEN r.%s IS NULL THEN 1 ELSE 0 END)",
					value, quote_identifier(person));
}

/*
 * Classes by their number of people in the relation and in the population, in
 * an order that does not depend on the plan.
 */
static char *
sizes_statement(const Dataset *dataset, Oid population)
{
	ComparedColumn *columns = palloc(sizeof(ComparedColumn) * (dataset->nattributes + 1));
	StringInfoData sql;

	for (int i = 0; i < dataset->nattributes; i++)
		columns[i] = compare_column(dataset->relation, population, dataset->attributes[i].column);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT s.own, s.theirs, pg_catalog.count(*) FROM (SELECT pg_catalog.sum(u.own)::pg_catalog.int8 AS own,"
						   " pg_catalog.sum(u.theirs)::pg_catalog.int8 AS theirs FROM (\n\t");
	append_sizes(&sql, dataset->relation, dataset, columns, true, people_sql(dataset->relation, dataset->person));
	appendStringInfoString(&sql, "\n\tUNION ALL\n\t");
	append_sizes(&sql, population, dataset, columns, false, people_sql(population, dataset->person));
	appendStringInfoString(&sql, "\n) u GROUP BY ");
	for (int i = 0; i < dataset->nattributes; i++)
		appendStringInfo(&sql, "%su.c%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoString(&sql, ") s GROUP BY s.own, s.theirs ORDER BY s.theirs, s.own");
	return sql.data;
}

typedef struct PopulationRisks
{
	double		threshold;
	int64		people;
	int64		above;
	int64		smallest;		/* class of the population */
	double		found;			/* people expected to be identified */
	int64		uniques;		/* of the population */
} PopulationRisks;

static void
take_sizes(void *arg, const Datum *values, const bool *nulls)
{
	PopulationRisks *risks = arg;
	int64		own = DatumGetInt64(values[0]);
	int64		theirs = DatumGetInt64(values[1]);
	int64		classes = DatumGetInt64(values[2]);

	if (theirs == 1)
		risks->uniques += classes;
	if (own == 0)
		return;

	/*
	 * people in the relation belong to the population, even if it lacks them
	 */
	theirs = Max(theirs, own);
	risks->people += own * classes;
	risks->smallest = Min(risks->smallest, theirs);
	risks->found += (double) own * classes / theirs;
	if (1.0 / theirs > risks->threshold)
		risks->above += own * classes;
}

static void
put_population_risks(RiskRow *row, const Dataset *dataset, Oid population, double threshold)
{
	PopulationRisks risks = {.threshold = threshold,.smallest = PG_INT64_MAX};
	Oid			types[3] = {INT8OID, INT8OID, INT8OID};

	sql_connect();
	rows_read(sizes_statement(dataset, population), list_make2_oid(dataset->relation, population), NULL, NULL, 3, types, take_sizes, &risks);
	sql_finish();
	put_number(row, RISK_POPULATION_UNIQUES, (double) risks.uniques);
	if (risks.people == 0)
		return;
	put_number(row, RISK_JOURNALIST_HIGHEST, 1.0 / risks.smallest);
	put_number(row, RISK_JOURNALIST_AVERAGE, risks.found / risks.people);
	put_number(row, RISK_JOURNALIST_SHARE_ABOVE, (double) risks.above / risks.people);
	put_number(row, RISK_MARKETER, risks.found / risks.people);
}

/* ------------------------------------------------------------------ estimates */

static int
compare_sizes(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* The number of classes of each size. */
static SampleSizes
count_sizes(const Population *population, double fraction)
{
	uint32		n = population->tuples->ntuples;
	int64	   *sizes = budget_alloc(sizeof(int64), (Size) n + 1);
	SizeCount  *counts = budget_alloc(sizeof(SizeCount), (Size) n + 1);
	SampleSizes sample = {.sizes = counts,.fraction = fraction};

	for (uint32 i = 0; i < n; i++)
		sizes[i] = class_people(population, population->tuples, i);
	qsort(sizes, n, sizeof(int64), compare_sizes);
	for (uint32 i = 0; i < n; i++)
	{
		if (i == 0 || sizes[i] != sizes[i - 1])
			counts[sample.n++] = (SizeCount)
		{
			sizes[i], 0
		};
		counts[sample.n - 1].classes++;
	}
	pfree(sizes);
	return sample;
}

static void
put_estimates(RiskRow *row, const Population *population, double fraction)
{
	SampleSizes sample = count_sizes(population, fraction);

	put_number(row, RISK_ZAYATZ_UNIQUES, zayatz_uniques(&sample));
	put_number(row, RISK_PITMAN_UNIQUES, pitman_uniques(&sample));
	/* a count in the population takes precedence over estimates */
	if (row->nulls[RISK_POPULATION_UNIQUES])
		put_number(row, RISK_POPULATION_UNIQUES, population_uniques(&sample));
}

static double
fraction_argument(FunctionCallInfo fcinfo, int argument)
{
	double		fraction = PG_ARGISNULL(argument) ? 0 : PG_GETARG_FLOAT8(argument);

	if (!PG_ARGISNULL(argument) && !(fraction > 0 && fraction <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sampling_fraction must be above 0 and at most 1"),
				 errhint("It is the share of the population whose rows the relation holds.")));
	return fraction;
}

static Datum
anonopt_risk_call(PG_FUNCTION_ARGS)
{
	double		threshold;
	double		fraction;
	Dataset    *dataset;
	Population *population;
	RiskRow		row;
	TupleDesc	desc;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	threshold = PG_GETARG_FLOAT8(2);
	if (isnan(threshold) || threshold < 0 || threshold > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("threshold must be between 0 and 1")));
	fraction = fraction_argument(fcinfo, 4);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	memset(row.nulls, true, sizeof(row.nulls));
	dataset = undeclared(fcinfo);
	if (!PG_ARGISNULL(5))
	{
		dataset->person = pstrdup(NameStr(*PG_GETARG_NAME(5)));
		require_column(dataset->relation, dataset->person);
	}
	population = read_undeclared(dataset);
	put_own_risks(&row, population, threshold);
	if (!PG_ARGISNULL(3))
		put_population_risks(&row, dataset, PG_GETARG_OID(3), threshold);
	if (fraction > 0 && population->people > 0)
		put_estimates(&row, population, fraction);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), row.values, row.nulls)));
}
