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

/* Pages in a sample, about; a smaller relation is read at once. */
#define SAMPLED_PAGES 128

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
	const Oid	counts[] = {INT8OID, INT8OID};
	RowSample	sample = {.ncolumns = reading->ncolumns};
	MemoryContext context;
	QueryRows  *told;
	double		pages;
	double		shards;
	double		all;
	double		distinct;
	bool		isnull;

	if (!OidIsValid(catalog) || !can_be_sampled(relation))
		return true;
	told = rows_of_query("SELECT pg_catalog.citus_relation_size($1), pg_catalog.count(*) FROM pg_catalog.pg_dist_shard s"
						 " WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1", list_make1_oid(catalog), add_oid(NULL, relation), NULL, 2, counts);
	pages = (double) DatumGetInt64(row_value(told, 0, 0, &isnull)) / BLCKSZ;
	shards = (double) DatumGetInt64(row_value(told, 0, 1, &isnull));
	if (pages <= SAMPLED_PAGES)
		return true;
	sample.types = palloc(sizeof(ValueType) * (sample.ncolumns + 1));
	for (int i = 0; i < sample.ncolumns; i++)
		value_type_init(&sample.types[i], types[i]);
	context = AllocSetContextCreate(CurrentMemoryContext, "anonopt sample", ALLOCSET_DEFAULT_SIZES);
	sample.tuples = key_counter_create(context, 1, 1024);
	rows_read(psprintf("%s TABLESAMPLE pg_catalog.system (%.9g)", rows, 100 * SAMPLED_PAGES / pages),
			  list_make1_oid(relation), NULL, NULL, sample.ncolumns, types, take_sampled, &sample);
	all = Max(sample.nrows * pages / SAMPLED_PAGES, sample.nrows);
	/* no page may have been drawn */
	distinct = sample.nrows == 0 ? 1 : estimate_tuples(&sample, all);
	MemoryContextDelete(context);
	reading_expect_tuples(reading, 1.1 * distinct);
	/* each shard has its own */
	return all == 0 || shards * tuples_among(all / shards, distinct) * ROWS_A_TUPLE <= all;
}
