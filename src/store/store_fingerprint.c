/*
 * store_fingerprint.c
 *	  The fingerprint of a tuple store: the catalog state behind its counts.
 *
 * A store's entry has a text for each part: the database, the relation and its
 * file, its owner, its columns, its triggers, and the store's own table. While
 * all are unchanged, every write has been counted.  A text that has changed
 * never changes back: catalog rows are identified by xmin and ctid, so that a
 * trigger that was disabled and enabled again is different. Every trigger that
 * counts compares the columns, too.
 *
 * Writes through a parent would not fire the relation's own statement triggers
 * and so leave no trace.  An additional trigger, which never fires, prevents
 * that PostgreSQL gives the relation a parent: it is a row trigger with a
 * transition table.
 */
#include "store/store_parts.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_subscription_rel.h"
#include "catalog/own_objects.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static const char *const mismatches[FINGERPRINTS] = {
	[FINGERPRINT_CLUSTER] = "it was restored and has not been counted since",
	[FINGERPRINT_RELATION] = "the relation is a different one",
	[FINGERPRINT_FILE] = "the relation has been rewritten since",
	[FINGERPRINT_OWNER] = "the relation has another owner",
	[FINGERPRINT_COLUMNS] = "columns have changed since",
	[FINGERPRINT_TRIGGERS] = "its triggers have been changed, disabled or dropped",
	[FINGERPRINT_TABLE] = "its table is gone or has been changed"
};

char *
store_table_name(int64 number)
{
	return psprintf("anonopt_tuples_" INT64_FORMAT, number);
}

/*
 * A table with a name that is dropped with a relation or, without a name, the
 * relation that a table is dropped with.
 */
static Oid
dropped_together(Oid relation, const char *name)
{
	Relation	catalog = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	List	   *rows;
	ListCell   *cell;

	ScanKeyInit(&keys[0], name != NULL ? Anum_pg_depend_refclassid : Anum_pg_depend_classid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], name != NULL ? Anum_pg_depend_refobjid : Anum_pg_depend_objid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	rows = catalog_rows(catalog, name != NULL ? DependReferenceIndexId : DependDependerIndexId, NULL, 2, keys);
	table_close(catalog, AccessShareLock);
	foreach(cell, rows)
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT((HeapTuple) lfirst(cell));
		char	   *table = NULL;

		if (form->deptype != DEPENDENCY_AUTO || form->refobjsubid != 0 ||
			form->classid != RelationRelationId || form->refclassid != RelationRelationId)
			continue;
		if (name == NULL)
			return form->refobjid;
		if (get_rel_relkind(form->objid) == RELKIND_RELATION)
			table = get_rel_name(form->objid);
		if (table != NULL && strcmp(table, name) == 0)
			return form->objid;
	}
	return InvalidOid;
}

bool
store_is_bound(const Store *store)
{
	return OidIsValid(dropped_together(store->relation, store_table_name(store->number)));
}

Oid
store_table(const Store *store)
{
	char	   *name = store_table_name(store->number);
	Oid			oid = dropped_together(store->relation, name);

	if (OidIsValid(oid))
		return oid;
	/* after a restore it depends on nothing */
	oid = get_relname_relid(name, get_rel_namespace(store->relation));
	if (!OidIsValid(oid) || get_rel_relkind(oid) != RELKIND_RELATION || relation_owner(oid) != relation_owner(store->relation) ||
		OidIsValid(dropped_together(oid, NULL)))
		return InvalidOid;
	return oid;
}

AttrNumber
store_column_number(const Store *store, Oid relation, int column)
{
	AttrNumber	number = get_attnum(relation, store->columns[column]);

	/* system columns such as ctid have negative numbers */
	return number > 0 ? number : InvalidAttrNumber;
}

char *
store_fingerprint_columns(const Store *store, Relation relation)
{
	StringInfoData fingerprint;

	initStringInfo(&fingerprint);
	for (int i = 0; i < store->ncolumns; i++)
	{
		AttrNumber	number = store_column_number(store, RelationGetRelid(relation), i);
		Form_pg_attribute column;

		if (number == InvalidAttrNumber)
		{
			appendStringInfoString(&fingerprint, " gone");
			continue;
		}
		column = TupleDescAttr(RelationGetDescr(relation), number - 1);
		appendStringInfo(&fingerprint, " %d:%u:%d:%u", column->attnum, column->atttypid, column->atttypmod, column->attcollation);
	}
	return fingerprint.data;
}

List *
store_triggers(int64 number, Oid relation, StringInfo fingerprint)
{
	Relation	catalog = table_open(TriggerRelationId, AccessShareLock);
	List	   *triggers = NIL;
	char	   *wanted = psprintf(INT64_FORMAT, number);
	ScanKeyData key;
	ListCell   *cell;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	foreach(cell, catalog_rows(catalog, TriggerRelidNameIndexId, NULL, 1, &key))
	{
		HeapTuple	tuple = lfirst(cell);
		Form_pg_trigger trigger = (Form_pg_trigger) GETSTRUCT(tuple);
		bytea	   *arguments;
		bool		isnull;

		if (trigger->tgnargs != 1 || !is_own_function(trigger->tgfoid))
			continue;
		arguments = DatumGetByteaPP(heap_getattr(tuple, Anum_pg_trigger_tgargs, RelationGetDescr(catalog), &isnull));
		if (VARSIZE_ANY_EXHDR(arguments) != strlen(wanted) + 1 ||
			memcmp(VARDATA_ANY(arguments), wanted, strlen(wanted) + 1) != 0)
			continue;
		triggers = lappend_oid(triggers, trigger->oid);
		if (fingerprint != NULL)
			appendStringInfo(fingerprint, " %u:%u:%u.%u:%c", trigger->oid, HeapTupleHeaderGetRawXmin(tuple->t_data),
							 ItemPointerGetBlockNumber(&tuple->t_self), ItemPointerGetOffsetNumber(&tuple->t_self),
							 trigger->tgenabled);
	}
	table_close(catalog, AccessShareLock);
	return triggers;
}

bool
store_lists_trigger(const Store *store, Oid trigger)
{
	return strstr(store->fingerprints[FINGERPRINT_TRIGGERS], psprintf(" %u:", trigger)) != NULL;
}

/* Whether a table still has its original shape, so that rows can be inserted and read. */
static bool
table_fits(const Store *store, Relation relation, Relation table)
{
	Form_pg_class class = table->rd_rel;
	TupleDesc	desc = RelationGetDescr(table);

	if (class->relkind != RELKIND_RELATION || class->relpersistence != RELPERSISTENCE_PERMANENT ||
		class->relam != HEAP_TABLE_AM_OID || class->relowner != relation->rd_rel->relowner || class->relispartition ||
		class->relhassubclass || class->relhasindex || class->relhasrules || class->relhastriggers ||
		class->relrowsecurity || class->relforcerowsecurity || desc->natts != store->ncolumns + 1)
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);
		Oid			type = INT8OID;

		if (i < store->ncolumns)
			type = getBaseType(get_atttype(RelationGetRelid(relation),
										   store_column_number(store, RelationGetRelid(relation), i)));
		if (column->attisdropped || column->attnotnull || column->attgenerated != '\0' || column->atttypid != type)
			return false;
	}
	return true;
}

Relation
store_open_table(const Store *store, Relation relation, LOCKMODE lockmode)
{
	Oid			oid = store_table(store);
	Relation	table;

	/* code that has the table open relies on this */
	for (int i = 0; i < store->ncolumns; i++)
		if (store_column_number(store, RelationGetRelid(relation), i) == InvalidAttrNumber)
			return NULL;
	table = OidIsValid(oid) && store->ncolumns > 0 ? try_relation_open(oid, lockmode) : NULL;
	if (table == NULL)
		return NULL;
	if (table_fits(store, relation, table))
		return table;
	relation_close(table, NoLock);
	return NULL;
}

void
store_fingerprints(const Store *store, Relation relation, char **fingerprints)
{
	Form_pg_class class = relation->rd_rel;
	Relation	table = store_open_table(store, relation, AccessShareLock);
	StringInfoData triggers;

	initStringInfo(&triggers);
	(void) store_triggers(store->number, RelationGetRelid(relation), &triggers);
	fingerprints[FINGERPRINT_CLUSTER] = psprintf(UINT64_FORMAT " %u", GetSystemIdentifier(), MyDatabaseId);
	fingerprints[FINGERPRINT_RELATION] = psprintf("%u %u %c%c%s", RelationGetRelid(relation), class->reltype, class->relkind,
												  class->relpersistence, class->relispartition ? " partition" : "");
	fingerprints[FINGERPRINT_FILE] = psprintf("%u", class->relfilenode);
	fingerprints[FINGERPRINT_OWNER] = psprintf("%u", class->relowner);
	fingerprints[FINGERPRINT_COLUMNS] = store_fingerprint_columns(store, relation);
	fingerprints[FINGERPRINT_TRIGGERS] = triggers.data;
	fingerprints[FINGERPRINT_TABLE] = table != NULL ? psprintf("%u", RelationGetRelid(table)) : pstrdup("none");
	if (table != NULL)
		relation_close(table, NoLock);
}

void
record_counting(Store *store, Relation relation)
{
	store_forget_uncounted(store->number);
	store_fingerprints(store, relation, store->fingerprints);
	store->counted_at = GetCurrentTimestamp();
	store_write(store);
}

const char *
store_mismatch(const Store *store, Relation relation, bool but_file)
{
	char	   *now[FINGERPRINTS];

	store_fingerprints(store, relation, now);
	for (int i = 0; i < FINGERPRINTS; i++)
		if (strcmp(now[i], store->fingerprints[i]) != 0 && !(but_file && i == FINGERPRINT_FILE))
			return mismatches[i];
	return NULL;
}

char *
store_count_name(const Store *store)
{
	char	   *name = pstrdup("n");

	while (find_name(name, (const char *const *) store->columns, store->ncolumns) >= 0)
		name = psprintf("%s_", name);
	return name;
}

bool
is_replicated_to(Oid relation)
{
	Relation	catalog = table_open(SubscriptionRelRelationId, AccessShareLock);
	ScanKeyData key;
	bool		found;

	ScanKeyInit(&key, Anum_pg_subscription_rel_srrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	found = catalog_rows(catalog, SubscriptionRelSrrelidSrsubidIndexId, NULL, 1, &key) != NIL;
	table_close(catalog, AccessShareLock);
	return found;
}
