/*
 * recoding_rows.c
 *	  Writes the rows of a recoding, from the rows of a relation.
 *
 * Each distinct tuple of values has a row, even if several of them are one
 * tuple of the population.
 */
#include "label/recoding_rows.h"

#include "access/relation.h"
#include "access/xact.h"
#include "base/budget.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "executor/tuptable.h"
#include "label/class_labels.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* The label of a tuple's leaf, for a message. */
static const char *
leaf_label(const Population *population, uint32 tuple, int a)
{
	const Attribute *attr = &population->attrs[a];
	const char *label = attr->hierarchy->labels[0][key_get(population->tuples->keys + (Size) tuple * population->nwords,
														   &attr->field)];

	return label == NULL ? "NULL" : quote_literal_cstr(label);
}

/*
 * The classes of a recoding; fails if one has tuples that no label covers,
 * without naming them if silent.
 */
static Classes *
covered_classes(const Population *population, Relation table, const TableRecoding *recoding, RecodingLabels labels, bool silent)
{
	ClassFault	fault;
	Classes    *classes = classes_of_recoding(population, recoding->class_of, recoding->nclasses, labels, &fault);

	if (classes == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("no label covers class " INT64_FORMAT " of recoding %s", recoding->numbers[recoding->class_of[fault.tuple]],
						relation_sql_name(RelationGetRelid(table))),
				 silent ? 0 : errdetail("It has %s and %s in column \"%s\".", leaf_label(population, fault.other, fault.attr),
										leaf_label(population, fault.tuple, fault.attr), population->attrs[fault.attr].name),
				 errhint("Split the class, or show ranges: labels => 'range'.")));
	return classes;
}

Classes *
recoding_table_classes(const Reading *reading, const Population *population, Relation table, RecodingLabels labels,
					   TableRecoding **recoding)
{
	*recoding = recoding_table_read(reading, population, table, NULL, NULL);
	if (!reading->leaves_out)
		recoding_table_require_all(reading, population, table, *recoding);
	return covered_classes(population, table, *recoding, labels, reading->leaves_out);
}

void
recoding_tables_read(RecodingTables *tables, const Dataset *dataset, int n, const Oid *oids)
{
	tables->n = n;
	tables->tables = palloc(sizeof(Relation) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tables->tables[i] = recoding_table_open(oids[i]);
	}
	tables->population = reading_population(dataset, true, false, &tables->reading);
	if (tables->population->people == 0)
		tables->population = NULL;
	else
		require_weights(dataset, tables->population);
}

void
recoding_tables_close(RecodingTables *tables)
{
	for (int i = 0; i < tables->n; i++)
		relation_close(tables->tables[i], NoLock);
}

void
recoding_refuse_infeasible(const Dataset *dataset, const RecodingOrder *order)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("no recoding keeps the promise"),
			 errdetail("One class of all " INT64_FORMAT " people would break it, and " INT64_FORMAT " may be suppressed.",
					   order->population->people, order->promise.limit),
			 errhint("Promise less, or allow more suppression for data set \"%s\".", dataset->name)));
}

/* ------------------------------------------------------------ distinct tuples */

void
recoding_spool_begin(RowSpool *spool, const Dataset *dataset)
{
	SpoolColumn *columns = palloc0(sizeof(SpoolColumn) * (spool->ncolumns + dataset->nattributes + 1));

	if (spool->ncolumns > 0)
		memcpy(columns, spool->columns, sizeof(SpoolColumn) * spool->ncolumns);
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			columns[spool->ncolumns++].name = dataset->attributes[i].column;
	spool->columns = columns;
	spool->keeps_rows = true;
	spool->memory_times = 3;
}

/* Original tuples of values, numbered in order of arrival. */
typedef struct ValueTuples
{
	int			nattrs;
	int			first;			/* column of the spool */
	Dictionary **values;		/* by attribute */
	KeyCounter *tuples;
} ValueTuples;

static ValueTuples *
value_tuples_create(const RowSpool *spool)
{
	ValueTuples *tuples = palloc(sizeof(ValueTuples));

	tuples->nattrs = spool->population->nattrs;
	tuples->first = spool->ncolumns - tuples->nattrs;
	tuples->values = palloc(sizeof(Dictionary *) * (tuples->nattrs + 1));
	for (int a = 0; a < tuples->nattrs; a++)
	{
		Oid			base = getBaseType(TupleDescAttr(spool->desc, tuples->first + a + 1)->atttypid);
		ValueType	type;

		value_type_init(&type, base == VARCHAROID ? TEXTOID : base);
		tuples->values[a] = dictionary_create(CurrentMemoryContext, &type);
	}
	tuples->tuples = key_counter_create(CurrentMemoryContext, code_words(tuples->nattrs), 1024);
	return tuples;
}

/* Adds a tuple; returns whether it is new. */
static bool
value_tuples_add(ValueTuples *tuples, const Datum *values, const bool *nulls)
{
	uint64	   *key = key_counter_candidate(tuples->tuples);
	uint32		known = tuples->tuples->nkeys;

	memset(key, 0, sizeof(uint64) * tuples->tuples->nwords);
	for (int a = 0; a < tuples->nattrs; a++)
	{
		Dictionary *dictionary = tuples->values[a];
		bool		ignored;

		if (!nulls[a])
			put_code(key, a, dictionary_add(dictionary, value_normal(&dictionary->type, values[a]), &ignored) + 1);
	}
	return key_counter_add(tuples->tuples, 1) == known;
}

/* New rows of a recoding, until one statement inserts them. */
typedef struct RowWriter
{
	const RowSpool *spool;
	ValueTuples *tuples;
	const uint32 *class_of;		/* by tuple of the population */
	int64	   *numbers;		/* by class: its number in the table */
	TupleDesc	desc;			/* the quasi-identifiers and the class */
	Tuplestorestate *rows;
} RowWriter;

static void
keep_new_row(void *arg, uint32 group, const Datum *values, const bool *nulls)
{
	RowWriter  *writer = arg;
	int			n = writer->tuples->nattrs;
	uint32		class = writer->class_of[writer->spool->tuple_of[group]];
	Datum		row[MAX_ATTRIBUTES + 1];
	bool		row_nulls[MAX_ATTRIBUTES + 1];

	memcpy(row, values + writer->tuples->first, sizeof(Datum) * n);
	memcpy(row_nulls, nulls + writer->tuples->first, sizeof(bool) * n);
	row_nulls[n] = class == NO_CLASS;
	row[n] = class == NO_CLASS ? (Datum) 0 : Int64GetDatum(writer->numbers[class]);
	if (value_tuples_add(writer->tuples, row, row_nulls))
		tuplestore_putvalues(writer->rows, writer->desc, row, row_nulls);
}

/* Writes the distinct tuples that are new; returns their number. */
static int64
write_tuples(RowSpool *spool, Relation table, ValueTuples *known, const uint32 *class_of, int64 *numbers)
{
	RowWriter	writer = {.spool = spool,.tuples = known,.class_of = class_of,.numbers = numbers};
	QueryEnvironment *environment = create_queryEnv();
	Oid			oid = RelationGetRelid(table);
	int			n = known->nattrs;
	StringInfoData names;
	int64		written;

	initStringInfo(&names);
	writer.desc = CreateTemplateTupleDesc(n + 1);
	for (int a = 0; a < n; a++)
	{
		const char *name = spool->columns[known->first + a].name;
		Oid			type = get_atttype(oid, get_attnum(oid, name));

		if (!OidIsValid(type) || getBaseType(type) != getBaseType(TupleDescAttr(spool->desc, known->first + a + 1)->atttypid))
			relation_has_changed(oid);
		appendStringInfo(&names, "%s, ", quote_identifier(name));
		TupleDescInitEntry(writer.desc, a + 1, name, type, -1, 0);
	}
	appendStringInfoString(&names, CLASS_COLUMN);
	TupleDescInitEntry(writer.desc, n + 1, CLASS_COLUMN, INT8OID, -1, 0);
	TupleDescFinalize(writer.desc);
	progress_write();
	writer.rows = tuplestore_begin_heap(false, false, work_mem);
	spool_visit(spool, keep_new_row, &writer);
	written = tuplestore_tuple_count(writer.rows);
	rows_show(environment, "new_rows", writer.rows, InvalidOid, writer.desc);
	if (written > 0 &&
		rows_change(psprintf("INSERT INTO %s (%s) SELECT %s FROM new_rows r", relation_sql_name(oid), names.data, names.data),
					list_make1_oid(oid), NULL, environment) != written)
		relation_has_changed(oid);
	tuplestore_end(writer.rows);
	return written;
}

/* The numbers of classes in the table: old ones keep theirs, new ones follow. */
static int64 *
numbers_of_classes(const TableRecoding *old, uint32 nclasses)
{
	int64	   *numbers = budget_alloc(sizeof(int64), (Size) nclasses + 1);

	if (nclasses > old->nclasses && old->last_number > old->greatest - (nclasses - old->nclasses))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("recoding has no numbers left for new classes"),
				 errdetail("The greatest is " INT64_FORMAT ".", old->last_number)));
	for (uint32 class = 0; class < nclasses; class++)
		numbers[class] = class < old->nclasses ? old->numbers[class] : old->last_number + 1 + (class - old->nclasses);
	return numbers;
}

void
recoding_rows_write(RowSpool *spool, Relation table, const RecodingResult *result)
{
	const TableRecoding none = {.greatest = PG_INT64_MAX};

	(void) write_tuples(spool, table, value_tuples_create(spool), result->class_of, numbers_of_classes(&none, result->nclasses));
	spool_end(spool);
}

/* ------------------------------------------------------ tuples that came since */

/* Rows of a recoding that is extended. */
typedef struct OldRow
{
	ItemPointerData place;
	uint32		tuple;			/* the population's, or NEW_TUPLE */
} OldRow;

typedef struct OldRows
{
	ValueTuples *known;
	MemoryContext context;
	Size		n;
	Size		room;
	OldRow	   *rows;
} OldRows;

static void
keep_old_row(void *arg, ItemPointer place, const Datum *values, const bool *nulls, uint32 tuple)
{
	OldRows    *old = arg;

	(void) value_tuples_add(old->known, values, nulls);
	if (old->n == old->room)
		old->rows = budget_grow(old->context, old->rows, sizeof(OldRow), &old->room);
	old->rows[old->n].place = *place;
	old->rows[old->n++].tuple = tuple;
}

/*
 * Fails if a recoding has changes by others that this transaction's snapshot
 * does not show, because tuples that they added would be added again.
 */
static void
refuse_unseen_rows(Relation table)
{
	Snapshot	snapshots[2] = {GetTransactionSnapshot(), RegisterSnapshot(GetLatestSnapshot())};
	TableScanDesc scans[2];
	TupleTableSlot *slots[2];
	bool		more = true;
	bool		alike = true;

	for (int i = 0; i < 2; i++)
	{
		slots[i] = table_slot_create(table, NULL);
		/* let both scans start at the first page */
		scans[i] = table_beginscan_strat(table, snapshots[i], 0, NULL, true, false);
	}
	while (more && alike)
	{
		CHECK_FOR_INTERRUPTS();
		more = table_scan_getnextslot(scans[0], ForwardScanDirection, slots[0]);
		alike = table_scan_getnextslot(scans[1], ForwardScanDirection, slots[1]) == more &&
			(!more || ItemPointerEquals(&slots[0]->tts_tid, &slots[1]->tts_tid));
	}
	for (int i = 0; i < 2; i++)
	{
		table_endscan(scans[i]);
		ExecDropSingleTupleTableSlot(slots[i]);
	}
	UnregisterSnapshot(snapshots[1]);
	if (!alike)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update of recoding %s",
						relation_sql_name(RelationGetRelid(table)))));
}

Relation
recoding_open_own(Oid oid)
{
	Relation	table = recoding_table_open(oid);
	const		TriggerDesc *triggers;

	if (table->rd_rel->relowner != GetUserId())
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(table));
	LockRelationOid(oid, ShareRowExclusiveLock);
	triggers = table->trigdesc;
	if (table->rd_rules != NULL ||
		(triggers != NULL && (triggers->trig_insert_before_row || triggers->trig_update_before_row)))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("recoding %s has a rule or a BEFORE trigger", relation_sql_name(oid)),
				 errdetail("It might write other classes than those found."),
				 errhint("Drop it, or extend a copy of the recoding.")));
	if (IsolationUsesXactSnapshot())
		refuse_unseen_rows(table);
	return table;
}

/* Updates the class of rows whose tuple has moved. */
static void
update_classes(Relation table, const OldRows *rows, const uint32 *before, const uint32 *after, const int64 *numbers)
{
	ParamListInfo params;
	ArrayType  *array;
	Datum	   *places = budget_alloc(sizeof(Datum), rows->n + 1);
	Datum	   *classes = budget_alloc(sizeof(Datum), rows->n + 1);
	bool	   *nulls = budget_alloc_zero(sizeof(bool), rows->n + 1);
	int			dims[1];
	int			bounds[1] = {1};
	int			n = 0;

	for (Size i = 0; i < rows->n; i++)
	{
		uint32		tuple = rows->rows[i].tuple;

		if (tuple == NEW_TUPLE || before[tuple] == after[tuple])
			continue;
		places[n] = PointerGetDatum(&rows->rows[i].place);
		nulls[n] = after[tuple] == NO_CLASS;
		classes[n] = nulls[n] ? (Datum) 0 : Int64GetDatum(numbers[after[tuple]]);
		n++;
	}
	if (n == 0)
		return;
	dims[0] = n;
	array = construct_array(places, n, TIDOID, sizeof(ItemPointerData), false, TYPALIGN_SHORT);
	params = add_value(NULL, TIDARRAYOID, PointerGetDatum(array), false);
	array = construct_md_array(classes, nulls, 1, dims, bounds, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	params = add_value(params, INT8ARRAYOID, PointerGetDatum(array), false);
	if (rows_change(psprintf("UPDATE ONLY %s r SET " CLASS_COLUMN " = u.class FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS u (place, class)"
							 " WHERE r.ctid OPERATOR(pg_catalog.=) u.place", relation_sql_name(RelationGetRelid(table))),
					list_make1_oid(RelationGetRelid(table)), params, NULL) != n)
		relation_has_changed(RelationGetRelid(table));
}

RecodingResult *
recoding_extend_table(RowSpool *spool, Relation table, const Dataset *dataset, const RecodingOrder *order, RecodingExtension *extension)
{
	OldRows		rows = {.known = value_tuples_create(spool),.context = spool->population->context};
	const TableRecoding *old = recoding_table_read(spool->reading, spool->population, table, keep_old_row, &rows);
	RecodingResult *result;
	int64		suppressed = 0;
	int			level;

	(void) covered_classes(spool->population, table, old, order->labels, false);
	result = recoding_extend(order, old->class_of, &extension->moved);
	for (uint32 tuple = 0; tuple < order->population->tuples->ntuples && !result->feasible; tuple++)
		if (old->class_of[tuple] == NO_CLASS)
			suppressed += order->population->tuples->counts[tuple];
	if (!result->feasible && suppressed == 0)
		recoding_refuse_infeasible(dataset, order);

	/*
	 * they stay suppressed, even if a single class of all people would keep
	 * the promise
	 */
	if (!result->feasible)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no extension of the recoding keeps the promise"),
				 errdetail(INT64_FORMAT " of " INT64_FORMAT " people are suppressed in it and stay so; " INT64_FORMAT " may be.",
						   suppressed, order->population->people, order->promise.limit),
				 errhint("Delete the rows of suppressed tuples to have them assigned again, promise less, or allow more suppression for data set \"%s\".",
						 dataset->name)));
	level = sql_use_catalog_names();
	extension->numbers = numbers_of_classes(old, result->nclasses);
	update_classes(table, &rows, old->class_of, result->class_of, extension->numbers);
	extension->added = write_tuples(spool, table, rows.known, result->class_of, extension->numbers);
	sql_restore_names(level);
	return result;
}

void
recoding_tell_moved(int64 moved)
{
	if (moved > 0)
		ereport(NOTICE,
				(errmsg_plural("class of " INT64_FORMAT " person changed", "class of " INT64_FORMAT " people changed",
							   (unsigned long) moved, moved)));
}

Classes *
recoding_extended_classes(RowSpool *spool, Relation table, const Dataset *dataset, const Promise *promise, RecodingLabels labels)
{
	RecodingOrder order = {.promise = *promise,.loss = OBJECTIVE_GLM,.labels = labels,.effort = 1};
	RecodingExtension extension;
	TableRecoding extended = {0};
	RecodingResult *result;

	promise_imply_limits(&order.promise, dataset);
	order.promise.limit = share_of_people(dataset->max_suppression, spool->population->people);
	order.population = population_narrow(spool->population);
	result = recoding_extend_table(spool, table, dataset, &order, &extension);
	recoding_tell_moved(extension.moved);
	extended.class_of = result->class_of;
	extended.nclasses = result->nclasses;
	extended.numbers = extension.numbers;
	return covered_classes(spool->population, table, &extended, labels, false);
}
