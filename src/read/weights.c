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
	Encoder		encoder;
	uint32		nleaves;
	bool	   *named;			/* by leaf */
	double	   *weights;		/* by leaf */
	const char *problem;		/* of the first faulty row, or NULL */
} WeightTable;

static void
refuse_weight(const Declared *declared, const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("table of weights %s of column \"%s\" %s", relation_sql_name(declared->sensitivity),
					declared->column, problem),
			 errhint("Give each value once, with a finite weight of at least 0.")));
}

/*
 * Receives a row: a value and its weight.  Values without a leaf are ignored,
 * but not their faults.
 */
static void
take_weight(void *arg, const Datum *values, const bool *nulls)
{
	WeightTable *table = arg;
	uint32		leaf = encode(&table->encoder, values[0], nulls[0]);
	double		weight = nulls[1] ? 0 : DatumGetFloat8(values[1]);

	CHECK_FOR_INTERRUPTS();
	if (table->problem != NULL)
		return;
	if (nulls[1])
		table->problem = "lacks a weight";
	else if (!(weight >= 0) || isinf(weight))
		table->problem = "holds a weight that is negative or not finite";
	else if (leaf < table->nleaves && table->named[leaf])
		table->problem = "names a value twice";
	else if (leaf < table->nleaves)
	{
		table->named[leaf] = true;
		table->weights[leaf] = weight;
	}
}

/* Reads an attribute's table, in memory of its own. */
static void
read_table(const Declared *declared, const Attribute *attr, double *weights)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt weights", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	WeightTable table = {.nleaves = attr->hierarchy->nleaves,.weights = weights};
	LoadedHierarchy *loaded;
	Relation	relation;
	List	   *columns;
	AttrNumber	value;
	AttrNumber	weight;
	Oid			types[2] = {InvalidOid, FLOAT8OID};
	Oid			type;
	char	   *name;

	if (!dataset_same_relation(declared->sensitivity, declared->sensitivity_type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("table of weights of column \"%s\" is gone", declared->column),
				 errhint("Name another with anonopt.set_sensitivity.")));
	relation = relation_open_existing(declared->sensitivity);
	columns = live_columns(relation);
	if (list_length(columns) < 2)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("table of weights %s has fewer than two columns", relation_sql_name(RelationGetRelid(relation))),
				 errhint("Its first column must hold the value, its second the weight.")));
	value = ((Form_pg_attribute) linitial(columns))->attnum;
	weight = ((Form_pg_attribute) lsecond(columns))->attnum;
	type = getBaseType(((Form_pg_attribute) linitial(columns))->atttypid);
	table.named = budget_alloc_zero(sizeof(bool), (Size) table.nleaves + 1);
	loaded = hierarchy_load(declared->hierarchy, type, declared->column);
	if (declared->shows_unknown)
		hierarchy_admit_unknown(loaded, declared->column);

	/*
	 * from here on, only the statement runs anybody's code, and none casts a
	 * weight
	 */
	if (getBaseType(get_atttype(RelationGetRelid(relation), weight)) >= FirstNormalObjectId)
		refuse_weight(declared, "holds weights that are not numbers");
	hierarchy_encoder(loaded, declared->column, CurrentMemoryContext, &table.encoder);
	types[0] = loaded->rows->match.data_type;
	name = psprintf("w.%s", quote_identifier(get_attname(RelationGetRelid(relation), value, false)));
	rows_read(psprintf("SELECT %s, w.%s::pg_catalog.float8 FROM %s w", sql_as(loaded->rows->match.data_form, name),
					   quote_identifier(get_attname(RelationGetRelid(relation), weight, false)),
					   relation_sql_name(RelationGetRelid(relation))),
			  list_make1_oid(RelationGetRelid(relation)), NULL, NULL, 2, types, take_weight, &table);
	relation_close(relation, NoLock);
	if (table.problem != NULL)
		refuse_weight(declared, table.problem);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

double **
weights_read(const Dataset *dataset, const Population *population)
{
	double	  **weights = palloc(sizeof(double *) * population->nattrs);

	for (int a = 0; a < population->nattrs; a++)
	{
		const Declared *declared = declared_attribute(dataset, a);
		const Attribute *attr = &population->attrs[a];

		weights[a] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * ((Size) attr->hierarchy->nleaves + 1));
		for (uint32 leaf = 0; leaf < attr->hierarchy->nleaves; leaf++)
			weights[a][leaf] = 1;
		if (OidIsValid(declared->sensitivity))
			read_table(declared, attr, weights[a]);
	}
	return weights;
}

/* ----------------------------------------------------------- owners' weights */

/*
 * Records of one tuple whose owners have different weights are generalized
 * differently.  So a tuple is split by its owners' weights; the entries that
 * match a record are still counted by the tuple's key.
 */

struct OwnerWeights
{
	const RowSpool *spool;
	const Dataset *dataset;
	int			ncolumns;
	int			attribute[MAX_ATTRIBUTES];	/* of each column */
	const char *column[MAX_ATTRIBUTES];
	KeyCounter *split;			/* a tuple's number, its owners' weights */
};

void
require_weight_column(Oid relation, const char *column)
{
	require_column(relation, column);
	if (!type_is_number(column_type(relation, column)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" does not hold numbers and cannot be used as weights", column),
				 errhint("Owners' weights are integers, numerics or floats of at least 0.")));
}

/* Writes a row's key as the counter's candidate. */
static void
put_candidate(const OwnerWeights *owners, uint32 tuple, const Datum *values, const bool *nulls)
{
	uint64	   *key = key_counter_candidate(owners->split);

	key[0] = tuple;
	for (int i = 0; i < owners->ncolumns; i++)
	{
		double		weight = nulls[1 + i] ? 1 : DatumGetFloat8(values[1 + i]);

		if (!(weight >= 0) || isinf(weight))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" holds a weight that is negative or not finite", owners->column[i]),
					 errhint("Owners' weights are at least 0; NULL is 1.")));
		/* no -0, so that equal numbers have equal keys */
		weight += 0.0;
		memcpy(&key[1 + i], &weight, sizeof(uint64));
	}
}

static void
take_owner(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	OwnerWeights *owners = arg;

	put_candidate(owners, owners->spool->tuple_of[group], values, nulls);
	(void) key_counter_add(owners->split, owners->dataset->count_column == NULL ? 1 : DatumGetInt64(values[1 + owners->ncolumns]));
}

OwnerWeights *
owner_weights_begin(const Dataset *dataset, SpoolColumn *columns, int *ncolumns)
{
	OwnerWeights *owners = palloc0(sizeof(OwnerWeights));

	owners->dataset = dataset;
	for (int a = 0; a < dataset_count_role(dataset, ROLE_QUASI_IDENTIFIER); a++)
	{
		const Declared *declared = declared_attribute(dataset, a);

		if (declared->owner_sensitivity == NULL)
			continue;
		if (!type_is_number(column_type(dataset->relation, declared->owner_sensitivity)))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("column \"%s\" of owners' weights of column \"%s\" is gone, or does not hold numbers",
							declared->owner_sensitivity, declared->column),
					 errhint("Name another with anonopt.set_owner_sensitivity, or pass NULL.")));
		owners->attribute[owners->ncolumns] = a;
		owners->column[owners->ncolumns++] = declared->owner_sensitivity;
	}
	if (owners->ncolumns == 0)
		return NULL;
	for (int i = 0; i < owners->ncolumns; i++)
		columns[(*ncolumns)++] = (SpoolColumn)
	{
		.name = owners->column[i],.as = FLOAT8OID
	};
	if (dataset->count_column != NULL)
		columns[(*ncolumns)++] = (SpoolColumn)
	{
		.name = dataset->count_column,.as = INT8OID
	};
	return owners;
}

void
owner_weights_read(OwnerWeights *owners, RowSpool *spool)
{
	const Population *population = spool->population;

	owners->spool = spool;
	owners->split = key_counter_create(population->context, 1 + owners->ncolumns, population->tuples->ntuples);
	spool_visit(spool, take_owner, owners);
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
owner_weights_find(const OwnerWeights *owners, uint32 tuple, const Datum *values, const bool *nulls)
{
	uint32		number;

	put_candidate(owners, tuple, values, nulls);
	number = key_counter_find(owners->split);
	if (number == PG_UINT32_MAX)
		relation_has_changed(owners->dataset->relation);
	return number;
}
