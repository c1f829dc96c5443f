/*
 * fill.c
 *	  The rows of a release, written without a statement.
 *
 * Whoever publishes has measured the node, so the classes are known.  The
 * relation is read once more under the same snapshot; each row is encoded,
 * which finds its class, and sorted by one number: the place of its class,
 * then random bits.  Labels are put in when rows are written.  The statement
 * that showing.c makes shows the same rows, and is what a refreshed view
 * runs; it has to join, to count and to sort whole rows.
 */
#include "release/fill.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/prng.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/matview.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "read/shards.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/tuplesort.h"

typedef struct Fill
{
	const Showing *showing;
	const ShownClasses *shown;
	Tuplesortstate *sort;
	TupleTableSlot *sorted;		/* a number, then columns as they are */
	Prng		random;
	int			random_bits;	/* of the number */
} Fill;

bool
rows_stay(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	if (check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED)
		return false;
	return kind == RELKIND_MATVIEW || (kind == RELKIND_RELATION && !has_subclass(relation)) ||
		(kind == RELKIND_PARTITIONED_TABLE && !has_foreign_leaf(relation));
}

/* The labels of an attribute, by code. */
static const char **
labels_of(const Showing *showing, int a)
{
	if (showing->cut != NULL)
		return (const char **) showing->cut_labels[a];
	return showing->population->attrs[a].hierarchy->labels[showing->levels[a]];
}

static Datum *
label_datums(const char **labels, uint32 nlabels)
{
	Datum	   *datums = palloc(sizeof(Datum) * (nlabels + 1));

	for (uint32 code = 0; code < nlabels; code++)
		datums[code] = labels[code] == NULL ? 0 : CStringGetTextDatum(labels[code]);
	return datums;
}

/* What classes are sorted by: each attribute's codes, in the order of the columns. */
typedef struct ClassOrder
{
	const Population *population;
	const TupleTable *table;
	int			nattrs;
	int			attrs[MAX_ATTRIBUTES];
	uint32	   *places[MAX_ATTRIBUTES]; /* by code: of its label */
} ClassOrder;

static int
compare_labels(const void *a, const void *b, void *arg)
{
	const char **labels = arg;
	const char *first = labels[*(const uint32 *) a];
	const char *second = labels[*(const uint32 *) b];

	if (first == NULL || second == NULL)
		return (first == NULL) - (second == NULL);
	return strcmp(first, second);
}

/* Where each label stands among all, NULL last. */
static uint32 *
label_places(const char **labels, uint32 nlabels)
{
	uint32	   *order = palloc(sizeof(uint32) * (nlabels + 1));
	uint32	   *places = palloc(sizeof(uint32) * (nlabels + 1));

	for (uint32 code = 0; code < nlabels; code++)
		order[code] = code;
	qsort_arg(order, nlabels, sizeof(uint32), compare_labels, labels);
	for (uint32 i = 0; i < nlabels; i++)
		places[order[i]] = i > 0 && compare_labels(&order[i - 1], &order[i], labels) == 0 ? places[order[i - 1]] : i;
	pfree(order);
	return places;
}

static uint32
class_code(const Population *population, const TupleTable *table, uint32 class, int a)
{
	return key_get(table->keys + (Size) class * population->nwords, &population->attrs[a].field);
}

static int
compare_classes(const void *a, const void *b, void *arg)
{
	const ClassOrder *order = arg;

	for (int i = 0; i < order->nattrs; i++)
	{
		int			attr = order->attrs[i];
		uint32		first = order->places[attr][class_code(order->population, order->table, *(const uint32 *) a, attr)];
		uint32		second = order->places[attr][class_code(order->population, order->table, *(const uint32 *) b, attr)];

		if (first != second)
			return first < second ? -1 : 1;
	}
	return 0;
}

static void
sort_classes(const Showing *showing, Recodings node, ShownClasses *shown)
{
	ClassOrder	order = {0};

	order.population = showing->population;
	order.table = shown->table;
	for (int i = 0; i < showing->ncolumns; i++)
		if (showing->columns[i].attr >= 0)
			order.attrs[order.nattrs++] = showing->columns[i].attr;
	for (int a = 0; a < showing->population->nattrs; a++)
		order.places[a] = label_places(labels_of(showing, a), node[a]->nlabels);
	qsort_arg(shown->classes, shown->n, sizeof(uint32), compare_classes, &order);
}

/* Whether all that classes hide would keep the promise as one class. */
static bool
may_star(const Showing *showing, const TupleTable *table, const bool *hidden)
{
	const Population *population = showing->population;
	const Promise *promise = &showing->promise;
	uint32	   *slices = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) table->ntuples + 1));
	int64		people = 0;

	for (uint32 i = 0; i < table->ntuples; i++)
		people += hidden[i] ? table->counts[i] : 0;
	if (people < Max(promise->k, 1))
		return false;
	for (int j = 0; j < population->nsensitive; j++)
	{
		uint32		n = 0;
		uint32		merged;
		const Slice *slice;

		for (uint32 i = 0; i < table->ntuples; i++)
			if (hidden[i])
				slices[n++] = table->slices[j][i];
		/* merging may move all slices */
		merged = histograms_merge(population->columns[j], slices, n);
		slice = &population->columns[j]->slices[merged];
		if ((promise->has_l && slice->length < promise->l) || (promise->has_t && slice->distance > promise->t))
			return false;
	}
	return true;
}

ShownClasses *
showing_classes(const Showing *showing, Recodings node)
{
	const Population *population = showing->population;
	ShownClasses *shown = palloc0(sizeof(ShownClasses));
	Measurer   *measurer = measurer_create(population, &showing->promise);
	int			bottom[MAX_ATTRIBUTES] = {0};
	uint32	   *class_of;
	uint32	   *place_of_class;
	uint32		others;
	int64		threshold;
	bool	   *hidden;

	shown->table = tuple_table_recode(population, population->tuples, node_of_levels(population, bottom), node,
									  CurrentMemoryContext, &class_of);
	threshold = size_threshold(measurer, shown->table);
	shown->labels = palloc(sizeof(Datum *) * (population->nattrs + 1));
	for (int a = 0; a < population->nattrs; a++)
		shown->labels[a] = label_datums(labels_of(showing, a), node[a]->nlabels);
	shown->classes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) shown->table->ntuples + 1));
	hidden = MemoryContextAllocHuge(CurrentMemoryContext, (Size) shown->table->ntuples + 1);
	for (uint32 i = 0; i < shown->table->ntuples; i++)
	{
		hidden[i] = class_breaks(measurer, shown->table, i, threshold) != 0;
		if (!hidden[i])
			shown->classes[shown->n++] = i;
	}
	sort_classes(showing, node, shown);

	others = showing->star && may_star(showing, shown->table, hidden) ? shown->n : NOT_SHOWN;
	place_of_class = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * ((Size) shown->table->ntuples + 1));
	for (uint32 i = 0; i < shown->table->ntuples; i++)
		place_of_class[i] = others;
	shown->people = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int64) * ((Size) shown->n + 1));
	for (uint32 i = 0; i < shown->n; i++)
	{
		place_of_class[shown->classes[i]] = i;
		shown->people[i] = shown->table->counts[shown->classes[i]];
	}
	for (uint32 i = 0; i < population->tuples->ntuples; i++)
		class_of[i] = place_of_class[class_of[i]];
	shown->place_of = class_of;
	return shown;
}

Datum
shown_label(const Showing *showing, const ShownClasses *shown, uint32 place, int a)
{
	return shown->labels[a][class_code(showing->population, shown->table, shown->classes[place], a)];
}

/* Takes a row: by its class, then at random. */
static void
sort_row(void *arg, const Datum *columns, const bool *nulls, uint32 tuple, uint32 value)
{
	Fill	   *fill = arg;
	TupleTableSlot *slot = fill->sorted;
	uint32		place = fill->shown->place_of[tuple];
	uint64		random = prng_next(&fill->random) >> (64 - fill->random_bits);

	if (place == NOT_SHOWN)
		return;
	ExecClearTuple(slot);
	slot->tts_values[0] = Int64GetDatum((int64) (((uint64) place << fill->random_bits) | random));
	slot->tts_isnull[0] = false;
	for (int i = 1; i < slot->tts_tupleDescriptor->natts; i++)
	{
		slot->tts_values[i] = columns[i - 1];
		slot->tts_isnull[i] = nulls[i - 1];
	}
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(fill->sort, slot);
}

static void
begin_sort(Fill *fill, TupleDesc columns)
{
	const Showing *showing = fill->showing;
	AttrNumber	attribute = 1;
	Oid			operator = Int8LessOperator;
	Oid			collation = InvalidOid;
	bool		nulls_first = false;
	TupleDesc	desc;
	int			n = 1;

	for (int i = 0; i < showing->ncolumns; i++)
		n += showing->columns[i].attr < 0;
	desc = CreateTemplateTupleDesc(n);
	TupleDescInitEntry(desc, 1, "place", INT8OID, -1, 0);
	for (int i = 0, to = 2; i < showing->ncolumns; i++)
		if (showing->columns[i].attr < 0)
			TupleDescCopyEntry(desc, to++, columns, i + 1);
	fill->sorted = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	fill->sort = tuplesort_begin_heap(desc, 1, &attribute, &operator, &collation, &nulls_first, maintenance_work_mem,
									  NULL, 0);
	/* a number has 63 bits: some for the places, one more for what is starred */
	fill->random_bits = 62 - pg_leftmost_one_pos64((uint64) fill->shown->n + 1);
	if (!pg_strong_random(&fill->random, sizeof(fill->random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}

/* A row as it is shown. */
static void
show_row(const Fill *fill, const TupleTableSlot *sorted, TupleTableSlot *slot, Datum star)
{
	const Showing *showing = fill->showing;
	uint64		place = (uint64) DatumGetInt64(sorted->tts_values[0]) >> fill->random_bits;
	bool		starred = place == fill->shown->n;
	int			from = 1;

	for (int i = 0; i < showing->ncolumns; i++)
	{
		int			a = showing->columns[i].attr;

		if (a < 0)
		{
			slot->tts_values[i] = sorted->tts_values[from];
			slot->tts_isnull[i] = sorted->tts_isnull[from++];
			continue;
		}
		slot->tts_values[i] = starred ? star : shown_label(showing, fill->shown, place, a);
		slot->tts_isnull[i] = slot->tts_values[i] == 0;
	}
	if (showing->star)
	{
		slot->tts_values[showing->ncolumns] = BoolGetDatum(starred);
		slot->tts_isnull[showing->ncolumns] = false;
	}
}

static void
write_rows(Fill *fill, Relation relation)
{
	TupleTableSlot *sorted = MakeSingleTupleTableSlot(fill->sorted->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	BulkInsertState bulk = GetBulkInsertState();
	CommandId	command = GetCurrentCommandId(true);
	Datum		star = CStringGetTextDatum("*");

	while (tuplesort_gettupleslot(fill->sort, true, false, sorted, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(sorted);
		ExecClearTuple(slot);
		show_row(fill, sorted, slot, star);
		ExecStoreVirtualTuple(slot);
		table_tuple_insert(relation, slot, command, TABLE_INSERT_SKIP_FSM, bulk);
	}
	FreeBulkInsertState(bulk);
	table_finish_bulk_insert(relation, TABLE_INSERT_SKIP_FSM);
	ExecDropSingleTupleTableSlot(sorted);
	ExecDropSingleTupleTableSlot(slot);
}

void
fill_relation(const Showing *showing, const ShownClasses *shown, RelationRows *records, Oid relation)
{
	Relation	target = table_open(relation, AccessExclusiveLock);
	Fill		fill = {0};

	if (RelationGetNumberOfAttributes(target) != showing->ncolumns + (showing->star ? 1 : 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s has other columns than it was made with", relation_sql_name(relation)),
				 errhint("See whether an event trigger changes what is created.")));
	fill.showing = showing;
	fill.shown = shown;
	begin_sort(&fill, RelationGetDescr(target));
	relation_rows_visit(records, sort_row, &fill);
	tuplesort_performsort(fill.sort);
	write_rows(&fill, target);
	tuplesort_end(fill.sort);
	ExecDropSingleTupleTableSlot(fill.sorted);
	if (target->rd_rel->relkind == RELKIND_MATVIEW)
		SetMatViewPopulatedState(target, true);
	table_close(target, NoLock);
	CommandCounterIncrement();
}
