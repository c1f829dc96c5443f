/*
 * row_sample.c
 *	  Whether rows of a distributed relation are grouped where they are stored.
 *
 * Grouping there saves rows that would travel, but costs time there, and again
 * here, where Citus adds up what its shards counted.  A tuple costs about as
 * much as three bare rows, so grouping pays off if fewer than a third as many
 * tuples travel as there are rows.
 *
 * The coordinator has no statistics of a distributed relation, so a sample of
 * its pages tells how many tuples there are if all are equally frequent.  Pages
 * are drawn at random, so the order in which rows were loaded does not matter,
 * unless rows on a page are alike: then, as where frequencies differ, fewer tuples
 * are estimated than there are, and rows are grouped, which is never much slower.
 */
#include "read/reading.h"

#include <math.h>

#include "access/table.h"
#include "base/packed_key.h"
#include "catalog/pg_am.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/*
 * Hundredths of the pages that are drawn, until the rows are enough.  How large
 * a relation is, Citus does not tell in a transaction that has changed it.
 */
static const double shares[] = {0.1, 1, 20};

#define ENOUGH_ROWS 2000

/* A tuple that travels costs as much as this many rows. */
#define ROWS_A_TUPLE 3

typedef struct RowSample
{
	int			ncolumns;
	ValueType  *types;
	KeyCounter *tuples;			/* by a hash */
	double		nrows;
} RowSample;

static void
take_sampled(void *arg, const Datum *values, const bool *nulls)
{
	RowSample  *sample = arg;
	uint64	   *key = key_counter_candidate(sample->tuples);

	if ((uint64) sample->nrows++ % 1024 == 0)
		CHECK_FOR_INTERRUPTS();
	*key = 0;
	for (int i = 0; i < sample->ncolumns; i++)
		*key = word_hash(*key * 31 + (nulls[i] ? 0 : datum_image_hash(values[i], sample->types[i].byval, sample->types[i].length)));
	(void) key_counter_add(sample->tuples, 1);
}

/* Pages can be drawn only from tables of PostgreSQL's own kind. */
static bool
can_be_sampled(Oid relation)
{
	ListCell   *cell;

	foreach(cell, partitions_with_rows(relation))
	{
		Relation	leaf = table_open(lfirst_oid(cell), NoLock);
		Oid			kind = leaf->rd_rel->relam;

		table_close(leaf, NoLock);
		if (kind != HEAP_TABLE_AM_OID)
			return false;
	}
	return true;
}

/* The number of different tuples expected among rows drawn from equally frequent ones. */
static double
tuples_among(double nrows, double ntuples)
{
	return ntuples * -expm1(-nrows / ntuples);
}

/* The number of tuples for which as many are expected in a sample as were found, by bisection. */
static double
estimate_tuples(const RowSample *sample, double all)
{
	double		least = sample->tuples->nkeys;
	double		most = all;

	for (int i = 0; i < 64; i++)
	{
		double		middle = (least + most) / 2;

		if (tuples_among(sample->nrows, middle) < sample->tuples->nkeys)
			least = middle;
		else
			most = middle;
	}
	return least;
}

bool
grouping_pays_off(const Reading *reading, const char *rows, const Oid *types)
{
	Oid			relation = reading->dataset->relation;
	Oid			catalog = get_relname_relid("pg_dist_shard", PG_CATALOG_NAMESPACE);
	RowSample	sample = {.ncolumns = reading->ncolumns};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "anonopt sample", ALLOCSET_DEFAULT_SIZES);
	double		shards;
	double		all = 0;
	double		distinct;
	bool		isnull;

	if (!OidIsValid(catalog) || !can_be_sampled(relation))
		return true;
	sample.types = palloc(sizeof(ValueType) * (sample.ncolumns + 1));
	for (int i = 0; i < sample.ncolumns; i++)
		value_type_init(&sample.types[i], types[i]);
	for (int i = 0; i < lengthof(shares) && sample.nrows < ENOUGH_ROWS; i++)
	{
		sample.nrows = 0;
		sample.tuples = key_counter_create(context, 1, 1024);
		rows_read(psprintf("%s TABLESAMPLE pg_catalog.system (%g)", rows, shares[i]), list_make1_oid(relation), NULL, NULL,
				  sample.ncolumns, types, take_sampled, &sample);
		all = sample.nrows * 100 / shares[i];
	}
	if (sample.nrows < ENOUGH_ROWS)
		return true;
	distinct = estimate_tuples(&sample, all);
	MemoryContextDelete(context);
	reading_expect_tuples(reading, 1.1 * distinct);
	/* each shard has its own */
	shards = (double) DatumGetInt64(value_of_query("SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_shard s"
												   " WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1",
												   list_make1_oid(catalog), add_oid(NULL, relation), INT8OID, &isnull));
	return shards * tuples_among(all / shards, distinct) * ROWS_A_TUPLE <= all;
}
