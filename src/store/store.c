/*
 * store.c
 *	  The catalog of tuple stores.
 *
 * anonopt.tuple_store has one entry per store, anonopt.tuple_store_uncounted
 * one row for each change that could not be counted.  Both are read and
 * written here without SQL, because triggers run as the role that writes the
 * relation, and need the current state, whatever their transaction's snapshot.
 * Writers only add rows of uncounted changes, so that none waits for another.
 */
#include "store/store_parts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/sql.h"
#include "catalog/indexing.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* The columns of anonopt.tuple_store. */
enum
{
	STORE_NUMBER = 1, STORE_DATASET, STORE_RELATION, STORE_COLUMNS, STORE_TRACKED, STORE_FINGERPRINT,
	STORE_COUNTED_AT, STORE_NATTS = STORE_COUNTED_AT
};

static const Oid store_types[STORE_NATTS] = {INT8OID, TEXTOID, REGCLASSOID, NAMEARRAYOID, BOOLOID, TEXTARRAYOID, TIMESTAMPTZOID};

int
counted_columns(const Dataset *dataset, char ***columns)
{
	int			n = 0;

	*columns = palloc(sizeof(char *) * (dataset->nattributes + 1));
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];

		if (role_is_counted(declared->role) &&
			find_name(declared->column, (const char *const *) *columns, n) < 0)
			(*columns)[n++] = declared->column;
	}
	return n;
}

List *
catalog_rows(Relation catalog, Oid index, Snapshot snapshot, int nkeys, ScanKey keys)
{
	SysScanDesc scan = systable_beginscan(catalog, index, OidIsValid(index), snapshot, nkeys, keys);
	List	   *rows = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		rows = lappend(rows, heap_copytuple(tuple));
	systable_endscan(scan);
	return rows;
}

static List *
rows_of_number(Relation catalog, const char *index, int64 number, Snapshot snapshot)
{
	ScanKeyData key;

	ScanKeyInit(&key, STORE_NUMBER, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(number));
	return catalog_rows(catalog, own_index(RelationGetRelid(catalog), index), snapshot, 1, &key);
}

/* The elements of a one-dimensional array without nulls; returns false for any other. */
static bool
take_elements(Datum datum, Oid type, int length, char align, Datum **elements, int *n)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	if (ARR_ELEMTYPE(array) != type || ARR_NDIM(array) != 1 || array_contains_nulls(array))
		return false;
	deconstruct_array(array, type, length, false, align, elements, NULL, n);
	return true;
}

/* Takes over the columns, each once; none unless they are valid. */
static void
take_columns(Store *store, Datum datum)
{
	Datum	   *names;
	int			n;

	if (!take_elements(datum, NAMEOID, NAMEDATALEN, TYPALIGN_CHAR, &names, &n) || n > MaxHeapAttributeNumber)
		return;
	store->columns = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		store->columns[i] = pstrdup(NameStr(*DatumGetName(names[i])));
		if (find_name(store->columns[i], (const char *const *) store->columns, i) >= 0)
			return;
	}
	store->ncolumns = n;
}

/*
 * Reads an entry, which the database's owner may have written.  An entry with
 * invalid columns gets none: it is never current, counts nothing, can be dropped.
 */
static Store *
store_of_tuple(HeapTuple tuple, TupleDesc desc)
{
	Store	   *store = palloc0(sizeof(Store));
	Datum		values[STORE_NATTS];
	bool		nulls[STORE_NATTS];
	Datum	   *fingerprints;
	int			n;

	rows_require_types(desc, 0, STORE_NATTS, store_types);
	heap_deform_tuple(tuple, desc, values, nulls);
	for (int i = 0; i < STORE_NATTS; i++)
		if (nulls[i])
			elog(ERROR, "null in the table of tuple stores");
	store->own = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
	store->number = DatumGetInt64(values[STORE_NUMBER - 1]);
	store->dataset = TextDatumGetCString(values[STORE_DATASET - 1]);
	store->relation = DatumGetObjectId(values[STORE_RELATION - 1]);
	store->tracked = DatumGetBool(values[STORE_TRACKED - 1]);
	store->counted_at = DatumGetTimestampTz(values[STORE_COUNTED_AT - 1]);
	take_columns(store, values[STORE_COLUMNS - 1]);
	/* a missing text never matches */
	if (!take_elements(values[STORE_FINGERPRINT - 1], TEXTOID, -1, TYPALIGN_INT, &fingerprints, &n))
		n = 0;
	for (int i = 0; i < FINGERPRINTS; i++)
		store->fingerprints[i] = i < n ? TextDatumGetCString(fingerprints[i]) : pstrdup("");
	return store;
}

static List *
read_stores(AttrNumber column, RegProcedure equal, Datum value, Snapshot snapshot)
{
	Relation	catalog = table_open(own_relation("tuple_store"), AccessShareLock);
	Oid			index = column == STORE_NUMBER ? own_index(RelationGetRelid(catalog), "tuple_store_pkey") : InvalidOid;
	List	   *stores = NIL;
	ScanKeyData key;
	ListCell   *cell;

	ScanKeyInit(&key, column, BTEqualStrategyNumber, equal, value);
	foreach(cell, catalog_rows(catalog, index, snapshot, 1, &key))
		stores = lappend(stores, store_of_tuple(lfirst(cell), RelationGetDescr(catalog)));
	table_close(catalog, AccessShareLock);
	return stores;
}

List *
stores_of_relation(Oid relation, Snapshot snapshot)
{
	return read_stores(STORE_RELATION, F_OIDEQ, ObjectIdGetDatum(relation), snapshot);
}

Store *
store_of_dataset(const char *dataset)
{
	List	   *stores = read_stores(STORE_DATASET, F_TEXTEQ, CStringGetTextDatum(dataset), NULL);

	return stores == NIL ? NULL : linitial(stores);
}

Store *
store_of_number(int64 number)
{
	List	   *stores = read_stores(STORE_NUMBER, F_INT8EQ, Int64GetDatum(number), NULL);

	return stores == NIL ? NULL : linitial(stores);
}

void
store_write(const Store *store)
{
	Relation	catalog = table_open(own_relation("tuple_store"), RowExclusiveLock);
	List	   *old = rows_of_number(catalog, "tuple_store_pkey", store->number, NULL);
	Datum		values[STORE_NATTS];
	bool		nulls[STORE_NATTS] = {0};
	HeapTuple	tuple;

	values[STORE_NUMBER - 1] = Int64GetDatum(store->number);
	values[STORE_DATASET - 1] = CStringGetTextDatum(store->dataset);
	values[STORE_RELATION - 1] = ObjectIdGetDatum(store->relation);
	values[STORE_COLUMNS - 1] = names_datum(store->columns, store->ncolumns);
	values[STORE_TRACKED - 1] = BoolGetDatum(store->tracked);
	values[STORE_FINGERPRINT - 1] = texts_datum((const char *const *) store->fingerprints, FINGERPRINTS);
	values[STORE_COUNTED_AT - 1] = TimestampTzGetDatum(store->counted_at);
	tuple = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
	if (old != NIL)
		CatalogTupleUpdate(catalog, &((HeapTuple) linitial(old))->t_self, tuple);
	else
		CatalogTupleInsert(catalog, tuple);
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

static void
delete_by_number(const char *catalog_name, const char *index, int64 number)
{
	Relation	catalog = table_open(own_relation(catalog_name), RowExclusiveLock);
	ListCell   *cell;

	foreach(cell, rows_of_number(catalog, index, number, NULL))
		CatalogTupleDelete(catalog, &((HeapTuple) lfirst(cell))->t_self);
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

void
store_forget(int64 number)
{
	delete_by_number("tuple_store", "tuple_store_pkey", number);
	store_forget_uncounted(number);
}

void
store_forget_uncounted(int64 number)
{
	delete_by_number("tuple_store_uncounted", "tuple_store_uncounted_number", number);
}

bool
store_has_uncounted(int64 number, Snapshot snapshot)
{
	Relation	catalog = table_open(own_relation("tuple_store_uncounted"), AccessShareLock);
	bool		noted = rows_of_number(catalog, "tuple_store_uncounted_number", number, snapshot) != NIL;

	table_close(catalog, AccessShareLock);
	return noted;
}

/* One such row is enough; nobody deletes it while the relation is being written. */
void
store_note_uncounted(int64 number)
{
	Relation	catalog;
	Datum		values[1] = {Int64GetDatum(number)};
	bool		nulls[1] = {false};

	if (store_has_uncounted(number, NULL))
		return;
	catalog = table_open(own_relation("tuple_store_uncounted"), RowExclusiveLock);
	CatalogTupleInsert(catalog, heap_form_tuple(RelationGetDescr(catalog), values, nulls));
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}
