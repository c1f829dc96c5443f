/*
 * weights.c
 *	  How sensitive a quasi-identifier's values are: tables of weights.
 */
#include "weights.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "hierarchy_read.h"
#include "sql.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* The names of a table's first two columns: value and weight. */
static void
find_columns(Oid relation, const char **value, const char **weight)
{
	int			found = 0;

	for (AttrNumber number = 1; found < 2; number++)
	{
		const char *name = get_attname(relation, number, true);

		if (name == NULL)
			break;
		/* a column that has been dropped has no type */
		if (!OidIsValid(column_type(relation, name)))
			continue;
		*(found++ == 0 ? value : weight) = name;
	}
	if (found < 2)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("table of weights %s has no two columns", relation_sql_name(relation)),
				 errhint("Its first column is the value, its second the weight.")));
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

/* Takes the rows of the statement that has been run. */
static void
take_rows(const Declared *declared, Encoder *encoder, uint32 nleaves, double *weights)
{
	bool	   *named = palloc0(sizeof(bool) * (nleaves + 1));

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
		uint32		leaf = encode(encoder, value, isnull);
		double		weight = DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull));

		if (isnull)
			refuse_weight(declared, "lacks a weight");
		if (!(weight >= 0) || isinf(weight))
			refuse_weight(declared, "holds a weight that is negative or not finite");
		/* a value that nobody can have weighs nothing */
		if (leaf >= nleaves)
			continue;
		if (named[leaf])
			refuse_weight(declared, "names a value twice");
		named[leaf] = true;
		weights[leaf] = weight;
	}
}

/* Reads an attribute's table; SPI is connected. */
static void
read_table(const Declared *declared, const Attribute *attr, double *weights)
{
	const char *value = NULL;
	const char *weight = NULL;
	Oid			type;
	LoadedHierarchy *loaded;
	Encoder		encoder;
	StringInfoData sql;

	if (!dataset_same_relation(declared->sensitivity, declared->sensitivity_type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("table of weights of column \"%s\" is gone", declared->column),
				 errhint("Name another with anonopt.set_sensitivity.")));
	find_columns(declared->sensitivity, &value, &weight);
	type = column_type(declared->sensitivity, value);
	loaded = hierarchy_load(declared->hierarchy, type, declared->column);
	hierarchy_encoder(loaded, declared->column, CurrentMemoryContext, &encoder);
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT w.%s%s, w.%s::pg_catalog.float8 FROM %s w", quote_identifier(value),
					 loaded->rows->match.data_cast, quote_identifier(weight), relation_sql_name(declared->sensitivity));
	sql_read(sql.data, 0, NULL, NULL);
	take_rows(declared, &encoder, attr->hierarchy->nleaves, weights);
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
