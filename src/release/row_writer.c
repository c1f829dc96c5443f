/*
 * row_writer.c
 *	  Writes the rows of a release into a table or a tuplestore.
 *
 * Rows are sorted by one number: that of their class, then random bits. Labels
 * are added when rows are written.
 *
 * If quasi-identifiers show true values, permuted within each class, the values
 * of each are sorted apart, by the class and other random bits, and a row takes
 * the next one of each.  So each permutation of a class's values is as likely as
 * any other, for each column by itself, and tells nothing but which values the
 * class has.
 */
#include "release/release.h"

#include "access/heapam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "release/hold_back.h"
#include "release/pseudonym.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Rows that are inserted at once. */
#define BATCH 500

/* Strong random numbers that are made at once. */
#define STRONG_BITS 256

typedef struct RowSort
{
	const Release *release;
	Tuplesortstate *sort;
	TupleTableSlot *slot;		/* a number, unchanged columns, and for a live
								 * view the rows that look alike */
	Prng		random;
	int			random_bits;	/* of the number */
	uint32		nplaces;		/* of classes, but that of stars */
	int64		count;			/* of the row */
	NullableDatum **shown;		/* by column: of stars, then by code of a
								 * label */
	Pseudonym **pseudonyms;		/* by column of the spool, or NULL */
	int			npermuted;
	Tuplesortstate **permuted;	/* by permuted column: a number, its value */
	TupleTableSlot **permuted_slots;
	int			nbits;			/* strong random bits that are left */
	uint64		bits[STRONG_BITS];
} RowSort;

/* A live view's rows that look alike come once, with their number as last column. */
static bool
shows_counts(const Release *release)
{
	return release->form == RELEASE_LIVE_VIEW;
}

/* The number by which a row of a class is sorted. */
static Datum
sort_number(const RowSort *by, uint32 class, uint64 random)
{
	return Int64GetDatum((int64) ((uint64) class << by->random_bits | random >> (64 - by->random_bits)));
}

/* Receives the value of a permuted column. */
static void
sort_permuted(RowSort *by, int column, uint32 class, Datum value, bool isnull)
{
	TupleTableSlot *slot = by->permuted_slots[column];

	if (by->nbits == 0)
	{
		by->nbits = STRONG_BITS;
		strong_random(by->bits, sizeof(by->bits));
	}
	ExecClearTuple(slot);
	slot->tts_values[0] = sort_number(by, class, by->bits[--by->nbits]);
	slot->tts_isnull[0] = false;
	slot->tts_values[1] = value;
	slot->tts_isnull[1] = isnull;
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(by->permuted[column], slot);
}

/* Receives a row of a class, given by its place; they are ordered by that, then at random. */
static void
sort_placed(void *arg, uint32 place, const Datum *values, const bool *nulls)
{
	RowSort    *by = arg;
	TupleTableSlot *slot = by->slot;
	int			n = by->release->nspooled;

	ExecClearTuple(slot);
	slot->tts_values[0] = sort_number(by, place, prng_next(&by->random));
	slot->tts_isnull[0] = false;
	memcpy(slot->tts_values + 1, values, sizeof(Datum) * n);
	memcpy(slot->tts_isnull + 1, nulls, sizeof(bool) * n);
	if (shows_counts(by->release))
	{
		slot->tts_values[n + 1] = Int64GetDatum(by->count);
		slot->tts_isnull[n + 1] = false;
	}
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(by->sort, slot);
}

/* Receives a row that was read. */
static void
sort_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	RowSort    *by = arg;
	const Release *release = by->release;
	uint32		class = release->classes->class_of[release->spool.tuple_of[group]];

	if (class != NO_CLASS && release->held != NULL)
		class = held_leaves_out(release->held, release->held->class_of_fresh[class], group) ? NO_CLASS :
			held_place(release->held, class);
	by->count = release->spool.merges ? release->spool.people[group] : 1;
	if (class != NO_CLASS)
		sort_placed(by, class, values, nulls);
	for (int i = 0; i < by->npermuted && class != NO_CLASS; i++)
		sort_permuted(by, i, class, values[by->release->nspooled + i], nulls[by->release->nspooled + i]);
}

/* A sort of rows by their number, in a share of the memory. */
static Tuplesortstate *
sort_by_number(TupleDesc desc, int shares)
{
	AttrNumber	attribute = 1;
	Oid			operator = Int8LessOperator;
	Oid			collation = InvalidOid;
	bool		nulls_first = false;

	return tuplesort_begin_heap(desc, 1, &attribute, &operator, &collation, &nulls_first,
								Max(Max(work_mem, maintenance_work_mem / 2) / shares, 64), NULL, 0);
}

/* Prepares the sorts of columns whose values are permuted. */
static void
begin_permuted(RowSort *by)
{
	const Release *release = by->release;

	by->permuted = palloc(sizeof(Tuplesortstate *) * (release->ncolumns + 1));
	by->permuted_slots = palloc(sizeof(TupleTableSlot *) * (release->ncolumns + 1));
	for (int i = 0; i < release->ncolumns && release->permuted; i++)
		by->npermuted += release->columns[i].attr >= 0;
	for (int i = 0; i < by->npermuted; i++)
	{
		TupleDesc	desc = CreateTemplateTupleDesc(2);

		TupleDescInitEntry(desc, 1, "class", INT8OID, -1, 0);
		TupleDescCopyEntry(desc, 2, release->spool.desc, release->nspooled + i + 2);
		TupleDescFinalize(desc);
		by->permuted[i] = sort_by_number(desc, by->npermuted + 1);
		by->permuted_slots[i] = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	}
}

static void
begin_sort(RowSort *by, const Release *release)
{
	const Classes *classes = release->classes;
	int			ncolumns = release->nspooled + 1;
	TupleDesc	desc = CreateTemplateTupleDesc(ncolumns + shows_counts(release));
	ListCell   *cell;

	by->release = release;
	begin_permuted(by);
	TupleDescInitEntry(desc, 1, "class", INT8OID, -1, 0);
	for (int i = 2; i <= ncolumns; i++)
		TupleDescCopyEntry(desc, i, release->spool.desc, i);
	if (shows_counts(release))
		TupleDescInitEntry(desc, ncolumns + 1, "people", INT8OID, -1, 0);
	TupleDescFinalize(desc);
	by->slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	by->sort = sort_by_number(desc, by->npermuted + 1);

	/*
	 * a number has 63 bits: some for the classes, and one more for starred
	 * rows
	 */
	by->nplaces = release->held != NULL ? release->held->nplaces : classes->n;
	by->random_bits = 62 - pg_leftmost_one_pos64((uint64) by->nplaces + 1);
	strong_random(&by->random, sizeof(by->random));
	by->shown = palloc0(sizeof(NullableDatum *) * (release->ncolumns + 1));
	for (int i = 0; i < release->ncolumns && !release->permuted; i++)
		if (release->columns[i].attr >= 0)
			by->shown[i] = shown_values(release, &release->columns[i]);
	by->pseudonyms = palloc0(sizeof(Pseudonym *) * (release->spool.ncolumns + 1));
	foreach(cell, release->pseudonyms)
		by->pseudonyms[((Pseudonym *) lfirst(cell))->spooled] = lfirst(cell);
}

/* Builds a row as it is shown. */
static void
show_row(const RowSort *by, const TupleTableSlot *sorted, TupleTableSlot *slot)
{
	const Release *release = by->release;
	const Classes *classes = release->classes;
	uint64		class = (uint64) DatumGetInt64(sorted->tts_values[0]) >> by->random_bits;
	bool		starred = class == by->nplaces;
	int			from = 1;
	int			permuted = 0;

	for (int i = 0; i < release->ncolumns; i++)
	{
		int			a = release->columns[i].attr;
		uint32		code;

		if (release->columns[i].is_class)
		{
			slot->tts_values[i] = Int32GetDatum((int32) class + 1);
			slot->tts_isnull[i] = starred;
			continue;
		}
		if (a >= 0 && release->permuted)
		{
			slot->tts_values[i] = by->permuted_slots[permuted]->tts_values[1];
			slot->tts_isnull[i] = starred || by->permuted_slots[permuted]->tts_isnull[1];
			permuted++;
			continue;
		}
		if (a < 0)
		{
			slot->tts_values[i] = sorted->tts_values[from];
			slot->tts_isnull[i] = sorted->tts_isnull[from];
			if (by->pseudonyms[from - 1] != NULL && !slot->tts_isnull[i])
				slot->tts_values[i] = pseudonym_text(by->pseudonyms[from - 1], sorted->tts_values[from]);
			from++;
			continue;
		}
		code = starred ? 0 : release->held != NULL ?
			code_at(class_key(release->held, release->held->class_at[class]), a) + 1 :
			classes->codes[class_at(classes, class, a)] + 1;
		slot->tts_values[i] = by->shown[i][code].value;
		slot->tts_isnull[i] = by->shown[i][code].isnull;
	}
	if (release->star)
	{
		slot->tts_values[release->ncolumns] = BoolGetDatum(starred);
		slot->tts_isnull[release->ncolumns] = false;
	}
	if (shows_counts(release))
	{
		int			last = slot->tts_tupleDescriptor->natts - 1;

		slot->tts_values[last] = sorted->tts_values[from];
		slot->tts_isnull[last] = false;
	}
}

/* Where rows go: into a table, in batches, or into a tuplestore. */
typedef struct RowTarget
{
	TupleDesc	desc;
	Tuplestorestate *rows;		/* or */
	Relation	relation;
	MemoryContext context;		/* for inserting, reset each time */
	BulkInsertState bulk;
	CommandId	command;
	int			options;
	int			n;
	TupleTableSlot *slots[BATCH];	/* one for a tuplestore */
} RowTarget;

static void
insert_batch(RowTarget *target)
{
	MemoryContext old = MemoryContextSwitchTo(target->context);

	table_multi_insert(target->relation, target->slots, target->n, target->command, target->options,
					   target->bulk);
	MemoryContextSwitchTo(old);
	MemoryContextReset(target->context);
	for (int i = 0; i < target->n; i++)
		ExecClearTuple(target->slots[i]);
	target->n = 0;
}

/* Takes a row from the slot that is next. */
static void
take_row(RowTarget *target, TupleTableSlot *slot)
{
	/*
	 * rows bypass the executor, which would check constraints that readers
	 * may rely on
	 */
	for (int i = 0; i < target->desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(target->desc, i);

		if (slot->tts_isnull[i] && column->attnotnull)
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("null value in column \"%s\" of a release violates not-null constraint",
							NameStr(column->attname)),
					 errhint("Drop the constraint: ALTER TABLE ... ALTER COLUMN %s DROP NOT NULL.",
							 quote_identifier(NameStr(column->attname)))));
	}
	ExecStoreVirtualTuple(slot);
	if (target->rows != NULL)
		tuplestore_puttupleslot(target->rows, slot);
	else
	{
		ExecMaterializeSlot(slot);
		if (++target->n == BATCH)
			insert_batch(target);
	}
}

/* Sorts a release's rows, and writes them. */
static void
write_rows(Release *release, RowTarget *target)
{
	RowSort		by = {0};
	TupleTableSlot *sorted;
	TupleTableSlot *slot;

	begin_sort(&by, release);
	spool_visit(&release->spool, sort_row, &by);
	/* rows that are held back may have to be written again */
	if (release->held != NULL)
		held_visit(release->held, sort_placed, &by);
	else
		spool_end(&release->spool);
	tuplesort_performsort(by.sort);
	sorted = MakeSingleTupleTableSlot(by.slot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	for (int i = 0; i < by.npermuted; i++)
	{
		tuplesort_performsort(by.permuted[i]);
		ExecDropSingleTupleTableSlot(by.permuted_slots[i]);
		by.permuted_slots[i] = MakeSingleTupleTableSlot(by.permuted_slots[i]->tts_tupleDescriptor,
														&TTSOpsMinimalTuple);
	}
	while (tuplesort_gettupleslot(by.sort, true, false, sorted, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(sorted);
		/* as many values of each column are in a class as rows */
		for (int i = 0; i < by.npermuted; i++)
		{
			(void) tuplesort_gettupleslot(by.permuted[i], true, false, by.permuted_slots[i], NULL);
			slot_getallattrs(by.permuted_slots[i]);
		}
		slot = target->slots[target->n];
		if (slot == NULL)
			slot = target->slots[target->n] = target->rows != NULL ?
				MakeSingleTupleTableSlot(target->desc, &TTSOpsVirtual) :
				table_slot_create(target->relation, NULL);
		ExecClearTuple(slot);
		show_row(&by, sorted, slot);
		take_row(target, slot);
	}
	if (target->n > 0)
		insert_batch(target);
	for (int i = 0; i < BATCH && target->slots[i] != NULL; i++)
		ExecDropSingleTupleTableSlot(target->slots[i]);
	ExecDropSingleTupleTableSlot(sorted);
	tuplesort_end(by.sort);
	ExecDropSingleTupleTableSlot(by.slot);
	for (int i = 0; i < by.npermuted; i++)
	{
		ExecDropSingleTupleTableSlot(by.permuted_slots[i]);
		tuplesort_end(by.permuted[i]);
	}
}

void
release_write_rows(Release *release, Oid relation, bool frozen)
{
	RowTarget	target = {.relation = table_open(relation, AccessExclusiveLock)};
	Form_pg_class form = target.relation->rd_rel;

	target.desc = RelationGetDescr(target.relation);
	/* without indexes, only rows must be written */
	if ((form->relkind != RELKIND_RELATION && form->relkind != RELKIND_MATVIEW) || form->relhasindex ||
		!release_has_columns(release, target.desc))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s is not the table that was created, or has other columns or indexes",
						relation_sql_name(relation)),
				 errhint("Check whether an event trigger changes created objects.")));
	target.context = AllocSetContextCreate(CurrentMemoryContext, "anonopt rows", ALLOCSET_DEFAULT_SIZES);
	target.bulk = GetBulkInsertState();
	target.command = GetCurrentCommandId(true);
	target.options = TABLE_INSERT_SKIP_FSM | (frozen ? TABLE_INSERT_FROZEN : 0);
	write_rows(release, &target);
	FreeBulkInsertState(target.bulk);
	table_finish_bulk_insert(target.relation, target.options);
	MemoryContextDelete(target.context);
	table_close(target.relation, NoLock);
	CommandCounterIncrement();
}

void
release_return_rows(Release *release, TupleDesc desc, Tuplestorestate *rows)
{
	RowTarget	target = {.desc = desc,.rows = rows};

	if (!release_has_columns(release, desc))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the columns of a release have changed"),
				 errhint("released_rows is called by views that anonopt.create_view makes.")));
	write_rows(release, &target);
}
