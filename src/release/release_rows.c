/*
 * release_rows.c
 *	  Writes the rows of a release that is a table or a materialized view.
 *
 * Rows are sorted by one number: the position of their class, then random
 * bits. Labels are added when rows are written.
 */
#include "release/release.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/prng.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "release/pseudonym.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

/* Rows that are inserted at once. */
#define BATCH 500

typedef struct RowSort
{
	const Release *release;
	Tuplesortstate *sort;
	TupleTableSlot *slot;		/* a number, then unchanged columns */
	Prng		random;
	int			random_bits;	/* of the number */
	Datum	  **labels;			/* by attribute and code; 0 for NULL */
	Pseudonym **pseudonyms;		/* by column of the spool, or NULL */
} RowSort;

static Datum **
label_datums(const ShownClasses *shown)
{
	Datum	  **labels = palloc(sizeof(Datum *) * (shown->nattrs + 1));

	for (int a = 0; a < shown->nattrs; a++)
	{
		labels[a] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * ((Size) shown->nlabels[a] + 1));
		for (uint32 code = 0; code < shown->nlabels[a]; code++)
			labels[a][code] = shown->labels[a][code] == NULL ? 0 : CStringGetTextDatum(shown->labels[a][code]);
	}
	return labels;
}

/* Receives a row, ordered by its class, then at random. */
static void
sort_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	RowSort    *by = arg;
	const Release *release = by->release;
	TupleTableSlot *slot = by->slot;
	uint32		place = release->shown->place_of[release->spool.tuple_of[group]];
	uint64		random = prng_next(&by->random) >> (64 - by->random_bits);
	int			n = release->spool.ncolumns;

	if (place == NOT_SHOWN)
		return;
	ExecClearTuple(slot);
	slot->tts_values[0] = Int64GetDatum((int64) (((uint64) place << by->random_bits) | random));
	slot->tts_isnull[0] = false;
	memcpy(slot->tts_values + 1, values, sizeof(Datum) * n);
	memcpy(slot->tts_isnull + 1, nulls, sizeof(bool) * n);
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(by->sort, slot);
}

static void
begin_sort(RowSort *by, const Release *release)
{
	TupleDesc	desc = CreateTemplateTupleDesc(release->spool.desc->natts);
	AttrNumber	attribute = 1;
	Oid			operator = Int8LessOperator;
	Oid			collation = InvalidOid;
	bool		nulls_first = false;
	ListCell   *cell;

	by->release = release;
	TupleDescInitEntry(desc, 1, "place", INT8OID, -1, 0);
	for (int i = 2; i <= desc->natts; i++)
		TupleDescCopyEntry(desc, i, release->spool.desc, i);
	TupleDescFinalize(desc);
	by->slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	by->sort = tuplesort_begin_heap(desc, 1, &attribute, &operator, &collation, &nulls_first,
									Max(work_mem, maintenance_work_mem / 2), NULL, 0);

	/*
	 * a number has 63 bits: some for the positions, and one more for starred
	 * rows
	 */
	by->random_bits = 62 - pg_leftmost_one_pos64((uint64) release->shown->n + 1);
	if (!pg_strong_random(&by->random, sizeof(by->random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	by->labels = label_datums(release->shown);
	by->pseudonyms = palloc0(sizeof(Pseudonym *) * (release->spool.ncolumns + 1));
	foreach(cell, release->pseudonyms)
		by->pseudonyms[((Pseudonym *) lfirst(cell))->spooled] = lfirst(cell);
}

/* Builds a row as it is shown. */
static void
show_row(const RowSort *by, const TupleTableSlot *sorted, TupleTableSlot *slot, Datum star)
{
	const Specification *spec = &by->release->spec;
	const ShownClasses *shown = by->release->shown;
	uint64		place = (uint64) DatumGetInt64(sorted->tts_values[0]) >> by->random_bits;
	bool		starred = place == shown->n;
	int			from = 1;

	for (int i = 0; i < spec->ncolumns; i++)
	{
		int			a = spec->columns[i].attr;

		if (a < 0)
		{
			slot->tts_values[i] = sorted->tts_values[from];
			slot->tts_isnull[i] = sorted->tts_isnull[from];
			if (by->pseudonyms[from - 1] != NULL && !slot->tts_isnull[i])
				slot->tts_values[i] = pseudonym_text(by->pseudonyms[from - 1], sorted->tts_values[from]);
			from++;
			continue;
		}
		slot->tts_values[i] = starred ? star : by->labels[a][shown->codes[place * shown->nattrs + a]];
		slot->tts_isnull[i] = slot->tts_values[i] == 0;
	}
	if (spec->star)
	{
		slot->tts_values[spec->ncolumns] = BoolGetDatum(starred);
		slot->tts_isnull[spec->ncolumns] = false;
	}
}

/*
 * Rows bypass the executor, which would check constraints that readers may
 * rely on.
 */
static void
require_not_null(Relation relation, const TupleTableSlot *slot)
{
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		const char *column = NameStr(TupleDescAttr(RelationGetDescr(relation), i)->attname);

		if (slot->tts_isnull[i] && TupleDescAttr(RelationGetDescr(relation), i)->attnotnull)
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("null value in column \"%s\" of a release violates not-null constraint", column),
					 errhint("Drop the constraint: ALTER TABLE ... ALTER COLUMN %s DROP NOT NULL.", quote_identifier(column))));
	}
}

/* A batch of rows for the table. */
typedef struct Batch
{
	Relation	relation;
	MemoryContext context;		/* for inserting, reset each time */
	BulkInsertState bulk;
	CommandId	command;
	int			options;
	int			n;
	TupleTableSlot *slots[BATCH];
} Batch;

static void
insert_batch(Batch *batch)
{
	MemoryContext old = MemoryContextSwitchTo(batch->context);

	table_multi_insert(batch->relation, batch->slots, batch->n, batch->command, batch->options, batch->bulk);
	MemoryContextSwitchTo(old);
	MemoryContextReset(batch->context);
	for (int i = 0; i < batch->n; i++)
		ExecClearTuple(batch->slots[i]);
	batch->n = 0;
}

static TupleTableSlot *
next_slot(Batch *batch)
{
	if (batch->n == BATCH)
		insert_batch(batch);
	if (batch->slots[batch->n] == NULL)
		batch->slots[batch->n] = table_slot_create(batch->relation, NULL);
	return batch->slots[batch->n++];
}

static void
write_sorted(RowSort *by, Relation relation, bool frozen)
{
	TupleTableSlot *sorted = MakeSingleTupleTableSlot(by->slot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	Datum		star = CStringGetTextDatum("*");
	Batch		batch = {.relation = relation};

	batch.context = AllocSetContextCreate(CurrentMemoryContext, "anonopt rows", ALLOCSET_DEFAULT_SIZES);
	batch.bulk = GetBulkInsertState();
	batch.command = GetCurrentCommandId(true);
	batch.options = TABLE_INSERT_SKIP_FSM | (frozen ? TABLE_INSERT_FROZEN : 0);
	while (tuplesort_gettupleslot(by->sort, true, false, sorted, NULL))
	{
		TupleTableSlot *slot = next_slot(&batch);

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(sorted);
		show_row(by, sorted, slot, star);
		require_not_null(relation, slot);
		ExecStoreVirtualTuple(slot);
		ExecMaterializeSlot(slot);
	}
	if (batch.n > 0)
		insert_batch(&batch);
	for (int i = 0; i < BATCH && batch.slots[i] != NULL; i++)
		ExecDropSingleTupleTableSlot(batch.slots[i]);
	FreeBulkInsertState(batch.bulk);
	table_finish_bulk_insert(relation, batch.options);
	ExecDropSingleTupleTableSlot(sorted);
	MemoryContextDelete(batch.context);
}

/* Whether a relation has no index, so that only rows must be written. */
static bool
is_bare_table(Relation relation)
{
	char		kind = relation->rd_rel->relkind;

	return (kind == RELKIND_RELATION || kind == RELKIND_MATVIEW) && !relation->rd_rel->relhasindex;
}

/* Whether a relation has exactly the columns that are written. */
static bool
has_columns(const Release *release, TupleDesc desc)
{
	const Specification *spec = &release->spec;
	int			from = 1;

	if (desc->natts != spec->ncolumns + (spec->star ? 1 : 0))
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);
		Oid			type = i == spec->ncolumns ? BOOLOID : spec->columns[i].attr >= 0 ? TEXTOID :
		spec->columns[i].pseudonym ? (from++, TEXTOID) : TupleDescAttr(release->spool.desc, from++)->atttypid;

		/* a statement may show a domain's values as its base type */
		if (column->attisdropped || column->attgenerated != '\0' || getBaseType(column->atttypid) != getBaseType(type))
			return false;
	}
	return true;
}

void
release_write_rows(Release *release, Oid relation, bool frozen)
{
	Relation	target = table_open(relation, AccessExclusiveLock);
	RowSort		by = {0};

	if (!is_bare_table(target) || !has_columns(release, RelationGetDescr(target)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s is not the table that was created, or has other columns or indexes", relation_sql_name(relation)),
				 errhint("Check whether an event trigger changes created objects.")));
	begin_sort(&by, release);
	spool_visit(&release->spool, sort_row, &by);
	spool_end(&release->spool);
	tuplesort_performsort(by.sort);
	write_sorted(&by, target, frozen);
	tuplesort_end(by.sort);
	ExecDropSingleTupleTableSlot(by.slot);
	table_close(target, NoLock);
	CommandCounterIncrement();
}
