/*
 * store_objects.c
 *	  The table and the triggers of a tuple store.
 *
 * A store's table is anonopt_tuples_<number>, in the schema of its relation,
 * where any role that restores the relation can create it, too.  It belongs to
 * the relation's owner, with no rights for others, whatever the default
 * privileges.  It is dropped with its relation and with the extension, and the
 * triggers are dropped with the extension.
 *
 * Both are created by PostgreSQL's internal functions, which skip permission
 * checks, because the owner of a relation need not have rights in our schema
 * or on our trigger functions.
 */
#include "store/store_parts.h"

#include "access/htup_details.h"
#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/heap.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/own_objects.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "catalog/toasting.h"
#include "commands/trigger.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* ------------------------------------------------------------------ its table */

/* Has an object dropped with the extension. */
static void
go_with_extension(const ObjectAddress *object)
{
	ObjectAddress extension;

	ObjectAddressSet(extension, ExtensionRelationId, own_extension());
	recordDependencyOn(object, &extension, DEPENDENCY_AUTO_EXTENSION);
}

static TupleDesc
table_columns(const Store *store, Relation relation)
{
	TupleDesc	desc = CreateTemplateTupleDesc(store->ncolumns + 1);

	for (int i = 0; i < store->ncolumns; i++)
	{
		AttrNumber	number = store_column_number(store, RelationGetRelid(relation), i);
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), number - 1);
		int32		typmod = column->atttypmod;
		Oid			type = getBaseTypeAndTypmod(column->atttypid, &typmod);
		Oid			collation = column->attcollation;

		TupleDescInitEntry(desc, i + 1, store->columns[i], type, typmod, 0);
		/* texts are compared by their bytes */
		if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
			collation = C_COLLATION_OID;
		TupleDescInitEntryCollation(desc, i + 1, collation);
	}
	TupleDescInitEntry(desc, store->ncolumns + 1, store_free_name(store), INT8OID, -1, 0);
	TupleDescFinalize(desc);
	return desc;
}

static Oid
make_table(const Store *store, Relation relation)
{
	ObjectAddress table;
	ObjectAddress source;
	Oid			oid = heap_create_with_catalog(store_table_name(store->number), RelationGetNamespace(relation),
											   relation->rd_rel->reltablespace, InvalidOid, InvalidOid, InvalidOid,
											   relation->rd_rel->relowner, HEAP_TABLE_AM_OID,
											   table_columns(store, relation), NIL, RELKIND_RELATION,
											   RELPERSISTENCE_PERMANENT, false, false, ONCOMMIT_NOOP, (Datum) 0,
											   false, false, false, InvalidOid, NULL);

	ObjectAddressSet(table, RelationRelationId, oid);
	ObjectAddressSet(source, RelationRelationId, RelationGetRelid(relation));
	CommandCounterIncrement();
	AlterTableCreateToastTable(oid, (Datum) 0, AccessExclusiveLock);
	recordDependencyOn(&table, &source, DEPENDENCY_AUTO);
	go_with_extension(&table);
	CommandCounterIncrement();
	return oid;
}

void
store_drop_objects(Oid table, List *triggers)
{
	ObjectAddresses *objects = new_object_addresses();
	ListCell   *cell;

	foreach(cell, triggers)
	{
		ObjectAddress trigger;

		ObjectAddressSet(trigger, TriggerRelationId, lfirst_oid(cell));
		add_exact_object_address(&trigger, objects);
	}
	if (OidIsValid(table))
	{
		ObjectAddress address;

		ObjectAddressSet(address, RelationRelationId, table);
		LockRelationOid(table, AccessExclusiveLock);
		add_exact_object_address(&address, objects);
	}
	performMultipleDeletions(objects, DROP_RESTRICT, 0);
	free_object_addresses(objects);
	CommandCounterIncrement();
}

Relation
store_empty_table(const Store *store, Relation relation)
{
	Relation	table = store_open_table(store, relation, RowExclusiveLock);
	Oid			oid = store_table(store);

	if (table != NULL && store_is_bound(store))
	{
		store_empty(table);
		return table;
	}
	/* a restored one may have rights for others */
	if (table != NULL)
		relation_close(table, NoLock);
	if (OidIsValid(oid))
		store_drop_objects(oid, NIL);
	return table_open(make_table(store, relation), RowExclusiveLock);
}

/* --------------------------------------------------------------- its triggers */

/* A trigger of a store. */
typedef struct StoreTrigger
{
	const char *name;
	const char *function;
	int16		events;
	bool		row;
	const char *old_table;
	const char *new_table;
	char		enabled;
} StoreTrigger;

static const StoreTrigger store_trigger_list[] = {
	{"insert", "count_changes", TRIGGER_TYPE_INSERT, false, NULL, "new_rows", TRIGGER_FIRES_ALWAYS},
	{"update", "count_changes", TRIGGER_TYPE_UPDATE, false, "old_rows", "new_rows", TRIGGER_FIRES_ALWAYS},
	{"delete", "count_changes", TRIGGER_TYPE_DELETE, false, "old_rows", NULL, TRIGGER_FIRES_ALWAYS},
	{"truncate", "count_changes", TRIGGER_TYPE_TRUNCATE, false, NULL, NULL, TRIGGER_FIRES_ALWAYS},
	{"replica", "note_row", TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE, true, NULL, NULL,
	TRIGGER_FIRES_ON_REPLICA},
	/* never fires; prevents that the relation gets a parent */
	{"no_parent", "note_row", TRIGGER_TYPE_DELETE, true, "old_rows", NULL, TRIGGER_DISABLED}
};

static TriggerTransition *
transition(const char *name, bool is_new)
{
	TriggerTransition *node = makeNode(TriggerTransition);

	node->name = pstrdup(name);
	node->isNew = is_new;
	node->isTable = true;
	return node;
}

/*
 * Turns a trigger that was created as internal, to skip permission checks,
 * into an ordinary one.
 */
static void
make_ordinary(Oid trigger, const char *name, char enabled)
{
	Relation	catalog = table_open(TriggerRelationId, RowExclusiveLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Form_pg_trigger form;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(trigger));
	scan = systable_beginscan(catalog, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = heap_copytuple(systable_getnext(scan));
	form = (Form_pg_trigger) GETSTRUCT(tuple);
	namestrcpy(&form->tgname, name);
	form->tgisinternal = false;
	form->tgenabled = enabled;
	CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
	systable_endscan(scan);
	table_close(catalog, RowExclusiveLock);
}

static void
make_trigger(const Store *store, Oid relation, const StoreTrigger *trigger)
{
	char	   *number = psprintf(INT64_FORMAT, store->number);
	CreateTrigStmt *statement = makeNode(CreateTrigStmt);
	Oid			function = own_function(trigger->function);
	ObjectAddress address;

	statement->trigname = psprintf("anonopt_store_%s_%s", number, trigger->name);
	statement->args = list_make1(makeString(number));
	statement->row = trigger->row;
	statement->timing = TRIGGER_TYPE_AFTER;
	statement->events = trigger->events;
	if (trigger->old_table != NULL)
		statement->transitionRels = lappend(statement->transitionRels, transition(trigger->old_table, false));
	if (trigger->new_table != NULL)
		statement->transitionRels = lappend(statement->transitionRels, transition(trigger->new_table, true));
	address = CreateTrigger(statement, NULL, relation, InvalidOid, InvalidOid, InvalidOid, function, InvalidOid, NULL,
							true, false);
	CommandCounterIncrement();
	make_ordinary(address.objectId, statement->trigname, trigger->enabled);
	go_with_extension(&address);
	CommandCounterIncrement();
}

void
store_make_triggers(const Store *store, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);
	char	   *now[FINGERPRINTS];

	store_fingerprints(store, relation, now);
	if (*now[FINGERPRINT_TRIGGERS] != '\0' && strcmp(now[FINGERPRINT_TRIGGERS], store->fingerprints[FINGERPRINT_TRIGGERS]) == 0)
		return;
	store_drop_objects(InvalidOid, store_triggers(store->number, oid));
	for (int i = 0; i < lengthof(store_trigger_list); i++)
		make_trigger(store, oid, &store_trigger_list[i]);
	CacheInvalidateRelcacheByRelid(oid);
	CommandCounterIncrement();
}
