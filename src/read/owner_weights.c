/*
 * owner_weights.c
 *	  Owners' weights: columns that say how sensitive a quasi-identifier is to
 *	  each record's owner.
 *
 * Records of one tuple whose owners have different weights are generalized
 * differently.  So a tuple is split by its owners' weights; the entries that
 * match a record are still counted by the tuple's key.
 */
#include "read/owner_weights.h"

#include <math.h>

#include "base/budget.h"
#include "base/key_counter.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"

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
find_columns(OwnerWeights *owners)
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
	find_columns(owners);
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
