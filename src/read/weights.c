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
#include "base/key_counter.h"
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

/* Reads an attribute's table, in memory of its own. */
static void
read_table(const Declared *declared, const Attribute *attr, double *weights)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt weights", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
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
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
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
			read_table(declared, attr, weights[a]);
		a++;
	}
	return weights;
}

/* ------------------------ owners' weights: columns that say how sensitive a */

/*
 * Records of one tuple whose owners have different weights are generalized
 * differently.  So a tuple is split by its owners' weights; the entries that
 * match a record are still counted by the tuple's key.
 */

struct OwnerWeights
{
	RelationRows *records;
	const Dataset *dataset;
	int			ncolumns;
	int			attribute[MAX_ATTRIBUTES];	/* of each column */
	const char *column[MAX_ATTRIBUTES];
	KeyCounter *split;			/* a tuple's number, its owners' weights */
};

static bool
is_number(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

void
require_weight_column(Oid relation, const char *column)
{
	require_column(relation, column);
	if (!is_number(column_type(relation, column)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not hold numbers and cannot be used as weights", column),
				 errhint("Owners' weights are integers, numerics or floats of at least 0.")));
}

static void
refuse_column(const Declared *declared)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("column \"%s\" of owners' weights of column \"%s\" is gone, or does not hold numbers",
					declared->owner_sensitivity, declared->column),
			 errhint("Name another with anonopt.set_owner_sensitivity, or pass NULL.")));
}

static void
find_owner_columns(OwnerWeights *owners)
{
	int			a = 0;

	for (int i = 0; i < owners->dataset->nattributes; i++)
	{
		const Declared *declared = &owners->dataset->attributes[i];

		if (declared->role != ROLE_QUASI_IDENTIFIER)
			continue;
		if (declared->owner_sensitivity != NULL)
		{
			if (!is_number(column_type(owners->dataset->relation, declared->owner_sensitivity)))
				refuse_column(declared);
			owners->attribute[owners->ncolumns] = a;
			owners->column[owners->ncolumns++] = declared->owner_sensitivity;
		}
		a++;
	}
}

/* NULL means a weight of 1. */
static double
weight_of(const OwnerWeights *owners, int column, Datum value, bool isnull)
{
	double		weight = isnull ? 1 : DatumGetFloat8(value);

	if (!(weight >= 0) || isinf(weight))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" holds a weight that is negative or not finite", owners->column[column]),
				 errhint("Owners' weights are at least 0; NULL is 1.")));
	/* no -0, so that equal numbers have equal keys */
	return weight + 0.0;
}

/* Writes a row's key as the counter's candidate. */
static void
put_candidate(const OwnerWeights *owners, uint32 tuple, const Datum *shown, const bool *nulls)
{
	uint64	   *key = key_counter_candidate(owners->split);

	key[0] = tuple;
	for (int i = 0; i < owners->ncolumns; i++)
	{
		double		weight = weight_of(owners, i, shown[1 + i], nulls[1 + i]);

		memcpy(&key[1 + i], &weight, sizeof(uint64));
	}
}

static void
take_owner(void *arg, const Datum *shown, const bool *nulls, uint32 tuple, uint32 value)
{
	OwnerWeights *owners = arg;

	put_candidate(owners, tuple, shown, nulls);
	(void) key_counter_add(owners->split, relation_rows_people(owners->records));
}

OwnerWeights *
owner_weights_read(RelationRows *records, const Dataset *dataset, const Population *population)
{
	MemoryContext old = MemoryContextSwitchTo(population->context);
	OwnerWeights *owners = palloc0(sizeof(OwnerWeights));

	owners->records = records;
	owners->dataset = dataset;
	find_owner_columns(owners);
	if (owners->ncolumns > 0)
	{
		owners->split = key_counter_create(population->context, 1 + owners->ncolumns, population->tuples->ntuples);
		relation_rows_add_numbers(records, owners->ncolumns, owners->column);
		relation_rows_visit(records, take_owner, owners);
	}
	MemoryContextSwitchTo(old);
	return owners->ncolumns > 0 ? owners : NULL;
}

Population *
owner_weights_split(const OwnerWeights *owners, const Population *population, double **weights)
{
	const KeyCounter *split = owners->split;
	Size		room = (Size) split->nkeys + 1;
	Population *parts = palloc(sizeof(Population));
	int			nattrs = population->nattrs;

	*parts = *population;
	parts->tuples = palloc0(sizeof(TupleTable));
	parts->tuples->ntuples = split->nkeys;
	parts->tuples->keys = budget_alloc(sizeof(uint64) * population->nwords, room);
	parts->tuples->counts = split->counts;
	*weights = budget_alloc(sizeof(double) * nattrs, room);
	for (uint32 i = 0; i < split->nkeys; i++)
	{
		const uint64 *key = split->keys + (Size) i * split->nwords;

		memcpy(parts->tuples->keys + (Size) i * population->nwords,
			   population->tuples->keys + (Size) key[0] * population->nwords, sizeof(uint64) * population->nwords);
		for (int a = 0; a < nattrs; a++)
			(*weights)[(Size) i * nattrs + a] = 1;
		for (int c = 0; c < owners->ncolumns; c++)
			memcpy(&(*weights)[(Size) i * nattrs + owners->attribute[c]], &key[1 + c], sizeof(double));
	}
	return parts;
}

uint32
owner_weights_find(const OwnerWeights *owners, uint32 tuple, const Datum *shown, const bool *nulls)
{
	uint32		number;

	put_candidate(owners, tuple, shown, nulls);
	number = key_counter_find(owners->split);
	if (number == PG_UINT32_MAX)
		relation_has_changed(owners->dataset->relation);
	return number;
}
