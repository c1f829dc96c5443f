/*
 * weights.c
 *	  Tables of weights, which say how sensitive a quasi-identifier's values
 *	  are.
 */
#include "read/weights.h"

#include <math.h>

#include "access/relation.h"
#include "access/transam.h"
#include "base/budget.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "read/hierarchy_read.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* A table of weights: its first two columns are value and weight. */
typedef struct WeightTable
{
	const Declared *declared;
	Relation	relation;
	AttrNumber	value;
	AttrNumber	weight;
	Encoder		encoder;
	uint32		nleaves;
	bool	   *named;			/* by leaf */
	double	   *weights;		/* by leaf */
	const char *problem;		/* of the first faulty row, or NULL */
} WeightTable;

/* Finds a table's first two columns. */
static void
find_columns(WeightTable *table)
{
	List	   *columns = live_columns(table->relation);

	if (list_length(columns) < 2)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("table of weights %s has fewer than two columns", relation_sql_name(RelationGetRelid(table->relation))),
				 errhint("Its first column must hold the value, its second the weight.")));
	table->value = ((Form_pg_attribute) linitial(columns))->attnum;
	table->weight = ((Form_pg_attribute) lsecond(columns))->attnum;
}

static void
refuse_weight(const Declared *declared, const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("table of weights %s of column \"%s\" %s", relation_sql_name(declared->sensitivity),
					declared->column, problem),
			 errhint("Give each value once, with a finite weight of at least 0.")));
}

/* What is wrong with a weight, or NULL. */
static const char *
problem_of(double weight, bool isnull, bool named)
{
	if (isnull)
		return "lacks a weight";
	if (!(weight >= 0) || isinf(weight))
		return "holds a weight that is negative or not finite";
	return named ? "names a value twice" : NULL;
}

/* Receives a row: a value and its weight.  Values without a leaf are ignored. */
static void
take_weight(void *arg, const Datum *values, const bool *nulls)
{
	WeightTable *table = arg;
	uint32		leaf = encode(&table->encoder, values[0], nulls[0]);
	double		weight = nulls[1] ? 0 : DatumGetFloat8(values[1]);

	CHECK_FOR_INTERRUPTS();
	if (table->problem == NULL)
		table->problem = problem_of(weight, nulls[1], leaf < table->nleaves && table->named[leaf]);
	if (table->problem != NULL || leaf >= table->nleaves)
		return;
	table->named[leaf] = true;
	table->weights[leaf] = weight;
}

static const char *
column_name(const WeightTable *table, AttrNumber number)
{
	return quote_identifier(get_attname(RelationGetRelid(table->relation), number, false));
}

/* Fails if a user-defined function would cast a weight. */
static void
require_number(const WeightTable *table)
{
	Oid			type = getBaseType(get_atttype(RelationGetRelid(table->relation), table->weight));

	if (type >= FirstNormalObjectId)
		refuse_weight(table->declared, "holds weights that are not numbers");
}

/*
 * Runs the statement over a table's rows, after loading the hierarchy, which
 * may run anybody's code.
 */
static void
read_rows(WeightTable *table, const LoadedHierarchy *loaded)
{
	StringInfoData sql;
	Oid			types[2] = {loaded->rows->match.data_type, FLOAT8OID};

	require_number(table);
	hierarchy_encoder(loaded, table->declared->column, CurrentMemoryContext, &table->encoder);
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s, w.%s::pg_catalog.float8 FROM %s w",
					 sql_as(loaded->rows->match.data_form, psprintf("w.%s", column_name(table, table->value))), column_name(table, table->weight),
					 relation_sql_name(RelationGetRelid(table->relation)));
	rows_read(sql.data, list_make1_oid(RelationGetRelid(table->relation)), NULL, NULL, 2, types, take_weight, table);
}

/* Reads an attribute's table; SPI is connected. */
static void
read_table(const Declared *declared, const Attribute *attr, double *weights)
{
	WeightTable table = {0};
	LoadedHierarchy *loaded;
	Oid			type;

	if (!dataset_same_relation(declared->sensitivity, declared->sensitivity_type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("table of weights of column \"%s\" is gone", declared->column),
				 errhint("Name another with anonopt.set_sensitivity.")));
	table.declared = declared;
	table.relation = relation_open_existing(declared->sensitivity);
	find_columns(&table);
	type = getBaseType(TupleDescAttr(RelationGetDescr(table.relation), table.value - 1)->atttypid);
	table.nleaves = attr->hierarchy->nleaves;
	table.named = budget_alloc_zero(sizeof(bool), (Size) table.nleaves + 1);
	table.weights = weights;
	loaded = hierarchy_load(declared->hierarchy, type, declared->column);
	if (declared->shows_unknown)
		hierarchy_admit_unknown(loaded, declared->column);
	read_rows(&table, loaded);
	relation_close(table.relation, NoLock);
	if (table.problem != NULL)
		refuse_weight(declared, table.problem);
}

double **
weights_read(const Dataset *dataset, const Population *population)
{
	double	  **weights = palloc(sizeof(double *) * population->nattrs);
	int			a = 0;

	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];
		const Attribute *attr = &population->attrs[a];

		if (declared->role != ROLE_QUASI_IDENTIFIER)
			continue;
		weights[a] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * ((Size) attr->hierarchy->nleaves + 1));
		for (uint32 leaf = 0; leaf < attr->hierarchy->nleaves; leaf++)
			weights[a][leaf] = 1;
		if (OidIsValid(declared->sensitivity))
		{
			sql_connect();
			read_table(declared, attr, weights[a]);
			sql_finish();
		}
		a++;
	}
	return weights;
}
