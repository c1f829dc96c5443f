/*
 * store_make.c
 *	  Creates, recounts and drops tuple stores: a table and triggers each.
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
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/heap.h"
#include "catalog/indexing.h"
#include "catalog/own_objects.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "catalog/relations.h"
#include "catalog/sql.h"
#include "catalog/toasting.h"
#include "commands/sequence.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

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
	TupleDescInitEntry(desc, store->ncolumns + 1, store_count_name(store), INT8OID, -1, 0);
	TupleDescFinalize(desc);
	return desc;
}

/* Drops triggers, and a table if it is valid. */
static void
drop_objects(Oid table, List *triggers)
{
	ObjectAddresses *objects = new_object_addresses();
	ObjectAddress object;
	ListCell   *cell;

	foreach(cell, triggers)
	{
		ObjectAddressSet(object, TriggerRelationId, lfirst_oid(cell));
		add_exact_object_address(&object, objects);
	}
	if (OidIsValid(table))
	{
		LockRelationOid(table, AccessExclusiveLock);
		ObjectAddressSet(object, RelationRelationId, table);
		add_exact_object_address(&object, objects);
	}
	performMultipleDeletions(objects, DROP_RESTRICT, 0);
	free_object_addresses(objects);
	CommandCounterIncrement();
}

/* Empties the store's table, or creates it again if it has changed. */
static Relation
empty_table(const Store *store, Relation relation)
{
	Relation	table = store_open_table(store, relation, RowExclusiveLock);
	Oid			oid = store_table(store);
	ObjectAddress made;
	ObjectAddress source;

	if (table != NULL && store_is_bound(store))
	{
		store_empty(table);
		return table;
	}
	/* a restored one may have rights for others */
	if (table != NULL)
		relation_close(table, NoLock);
	if (OidIsValid(oid))
		drop_objects(oid, NIL);
	oid = heap_create_with_catalog(store_table_name(store->number), RelationGetNamespace(relation),
								   relation->rd_rel->reltablespace, InvalidOid, InvalidOid, InvalidOid,
								   relation->rd_rel->relowner, HEAP_TABLE_AM_OID,
								   table_columns(store, relation), NIL, RELKIND_RELATION,
								   RELPERSISTENCE_PERMANENT, false, false, ONCOMMIT_NOOP, (Datum) 0,
								   false, false, false, InvalidOid, NULL);
	ObjectAddressSet(made, RelationRelationId, oid);
	ObjectAddressSet(source, RelationRelationId, RelationGetRelid(relation));
	CommandCounterIncrement();
	AlterTableCreateToastTable(oid, (Datum) 0, AccessExclusiveLock);
	recordDependencyOn(&made, &source, DEPENDENCY_AUTO);
	go_with_extension(&made);
	CommandCounterIncrement();
	return table_open(oid, RowExclusiveLock);
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

static void
make_trigger(const Store *store, Oid relation, const StoreTrigger *trigger)
{
	char	   *number = psprintf(INT64_FORMAT, store->number);
	CreateTrigStmt *statement = makeNode(CreateTrigStmt);
	Oid			function = own_function(trigger->function);
	Relation	catalog = table_open(TriggerRelationId, RowExclusiveLock);
	ScanKeyData key;
	HeapTuple	tuple;
	Form_pg_trigger form;
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

	/* created as internal, which skips checks: now an ordinary one */
	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(address.objectId));
	tuple = linitial(catalog_rows(catalog, TriggerOidIndexId, NULL, 1, &key));
	form = (Form_pg_trigger) GETSTRUCT(tuple);
	namestrcpy(&form->tgname, statement->trigname);
	form->tgisinternal = false;
	form->tgenabled = trigger->enabled;
	CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
	table_close(catalog, RowExclusiveLock);
	go_with_extension(&address);
	CommandCounterIncrement();
}

/* Creates the triggers, unless they exist unchanged. */
static void
make_triggers(const Store *store, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);
	char	   *now[FINGERPRINTS];

	store_fingerprints(store, relation, now);
	if (*now[FINGERPRINT_TRIGGERS] != '\0' && strcmp(now[FINGERPRINT_TRIGGERS], store->fingerprints[FINGERPRINT_TRIGGERS]) == 0)
		return;
	drop_objects(InvalidOid, store_triggers(store->number, oid, NULL));
	for (int i = 0; i < lengthof(store_trigger_list); i++)
		make_trigger(store, oid, &store_trigger_list[i]);
	CacheInvalidateRelcacheByRelid(oid);
	CommandCounterIncrement();
}

/* ------------------------------------------------------------------- checks */

static void
require_relation_owner(Oid relation)
{
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
}

static void
refuse_kind(Relation relation, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("relation %s cannot have a tuple store", relation_sql_name(RelationGetRelid(relation))),
			 errdetail("%s", detail),
			 errhint("Only plain tables without parents or children can, if they are neither temporary nor unlogged nor distributed.")));
}

/*
 * Fails unless every write to a relation fires its own statement triggers and
 * lasts, the caller may count it, and this session has no pending changes to
 * count.
 */
static void
check_counting(Relation relation)
{
	Form_pg_class class = relation->rd_rel;
	Oid			oid = RelationGetRelid(relation);

	require_relation_owner(oid);
	if (class->relkind != RELKIND_RELATION)
		refuse_kind(relation, "Statement triggers are missing there, or miss writes.");
	if (class->relpersistence != RELPERSISTENCE_PERMANENT)
		refuse_kind(relation, class->relpersistence == RELPERSISTENCE_TEMP ? "It is temporary." :
					"It is unlogged: a crash would empty it and not its store.");
	if (class->relispartition || has_superclass(oid))
		refuse_kind(relation, "It has a parent, and writes through it fire no statement triggers here.");
	if (is_distributed(oid))
		refuse_kind(relation, "Its rows are on other servers, which do not have its triggers.");
	if (class->relhassubclass)
		refuse_kind(relation, "It has children, or had some before it was last analyzed.");
	CheckTableNotInUse(relation, "count tuples of");
	if (check_enable_rls(oid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row security of relation %s applies to you", relation_sql_name(oid)),
				 errdetail("A tuple store counts every row.")));
	if (is_replicated_to(oid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s is the target of a subscription", relation_sql_name(oid)),
				 errdetail("Subscriptions fire no statement triggers.")));
}

/*
 * Fails with 23514 if a store's relation has lost a column, and with 0A000 if
 * a column is not stored.
 */
static void
check_columns(const Store *store, Relation relation)
{
	if (store->ncolumns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("entry of the tuple store of data set \"%s\" is not sound", store->dataset),
				 errdetail("Its columns are not valid."),
				 errhint("Call anonopt.drop_tuple_store, and create the store again.")));
	for (int i = 0; i < store->ncolumns; i++)
	{
		AttrNumber	number = store_column_number(store, RelationGetRelid(relation), i);
		char		generated = number <= 0 ? '\0' : TupleDescAttr(RelationGetDescr(relation), number - 1)->attgenerated;

		if (number <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("column \"%s\" of the tuple store of data set \"%s\" is gone", store->columns[i], store->dataset),
					 errdetail("Relation %s no longer has this column.", relation_sql_name(RelationGetRelid(relation))),
					 errhint("Call anonopt.drop_tuple_store, correct the declaration and create the store again.")));
		if (generated != '\0' && generated != ATTRIBUTE_GENERATED_STORED)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" is a virtual generated column", store->columns[i]),
					 errhint("A tuple store needs stored columns.")));
	}
}

/* -------------------------------------------------------------------- stores */

/* Locks out writers, if they are tracked, and others who count. */
static LOCKMODE
counting_lock(bool tracked)
{
	return tracked ? ShareRowExclusiveLock : ShareUpdateExclusiveLock;
}

/* Counts the locked relation into the store, and records the fingerprint. */
static void
count_store(Store *store, Relation relation)
{
	Relation	table;

	check_columns(store, relation);
	table = empty_table(store, relation);
	if (store->tracked)
		make_triggers(store, relation);
	store_count_all(store, relation, table);
	table_close(table, NoLock);
	record_counting(store, relation);
}

/* A number that is not in use, not even by restored objects. */
static int64
new_number(Oid schema)
{
	Oid			sequence = own_relation("tuple_store_number");
	int64		number;

	do
	{
		CHECK_FOR_INTERRUPTS();
		number = nextval_internal(sequence, false);
	} while (OidIsValid(get_relname_relid(store_table_name(number), schema)) || store_of_number(number) != NULL);
	return number;
}

Oid
store_create(const char *name, bool tracked)
{
	Dataset    *dataset;
	Store	   *store = palloc0(sizeof(Store));
	Relation	relation;

	/* only its owner may lock it against being dropped; then it stays */
	(void) dataset_load_owned_entry(name);
	if (write_catalog("SELECT 1 FROM anonopt.dataset d WHERE d.dataset = $1 FOR KEY SHARE", add_text(NULL, name)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("data set \"%s\" does not exist", name)));
	dataset = dataset_load_owned(name);
	dataset_check(dataset);
	if (dataset->count_column != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("data set \"%s\" has a count column: its rows are counts already", dataset->name)));
	if (dataset->person != NULL && !column_is_unique(dataset->relation, dataset->person))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("data set \"%s\" has people with several rows", dataset->name),
				 errdetail("A tuple store counts equal rows but does not record whose they are."),
				 errhint("Do not create a store for it, or make the person column unique.")));
	store->dataset = dataset->name;
	store->relation = dataset->relation;
	store->tracked = tracked;
	store->ncolumns = counted_columns(dataset, &store->columns);
	if (store->ncolumns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("data set \"%s\" has no columns to count", dataset->name),
				 errhint("Call anonopt.add_quasi_identifier first.")));
	require_relation_owner(dataset->relation);
	relation = relation_open(dataset->relation, counting_lock(store->tracked));
	check_counting(relation);
	if (store_of_dataset(dataset->name) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("data set \"%s\" already has a tuple store", dataset->name),
				 errhint("See anonopt.refresh_tuple_store and anonopt.drop_tuple_store.")));
	store->number = new_number(RelationGetNamespace(relation));
	for (int i = 0; i < FINGERPRINTS; i++)
		store->fingerprints[i] = "";
	count_store(store, relation);
	relation_close(relation, NoLock);
	return store_table(store);
}

static void
refuse_missing(const char *dataset)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("data set \"%s\" has no tuple store", dataset),
			 errhint("See anonopt.create_tuple_store.")));
}

void
store_refresh(const char *name)
{
	Dataset    *dataset = dataset_load_latest(name);
	Store	   *store;
	Relation	relation;

	if (!dataset_same_relation(dataset->relation, dataset->row_type))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("relation of data set \"%s\" is gone", dataset->name),
				 errhint("If it was made again, call anonopt.move_dataset with its name; otherwise anonopt.drop_dataset.")));
	require_relation_owner(dataset->relation);
	store = store_of_dataset(dataset->name);
	if (store == NULL || store->relation != dataset->relation)
		refuse_missing(dataset->name);
	relation = relation_open(dataset->relation, counting_lock(store->tracked));
	/* load it again, now that nobody else can change it */
	store = store_of_dataset(dataset->name);
	if (store == NULL)
		refuse_missing(dataset->name);
	check_counting(relation);
	count_store(store, relation);
	relation_close(relation, NoLock);
}

/*
 * Whether the caller may drop any part of a store.  Its entry may name any
 * relation, and a superuser owns them all, so missing parts are not locked.
 */
static bool
has_parts_of_caller(const Store *store, const Dataset *dataset)
{
	return store->relation == dataset->relation && dataset_same_relation(dataset->relation, dataset->row_type) &&
		get_rel_relkind(store->relation) == RELKIND_RELATION && object_ownercheck(RelationRelationId, store->relation, GetUserId()) &&
		(OidIsValid(store_table(store)) || store_triggers(store->number, store->relation, NULL) != NIL);
}

bool
store_drop(const Dataset *dataset)
{
	Store	   *store = store_of_dataset(dataset->name);

	if (store != NULL && has_parts_of_caller(store, dataset))
	{
		LockRelationOid(store->relation, AccessExclusiveLock);
		/* load it again, now that nobody else can change it */
		store = store_of_dataset(dataset->name);
		if (store != NULL && has_parts_of_caller(store, dataset))
			drop_objects(store_table(store), store_triggers(store->number, store->relation, NULL));
	}
	if (store == NULL)
		return false;
	/* remaining triggers count nothing without it */
	store_forget(store->number);
	return true;
}

void
store_drop_by_name(const char *name)
{
	Dataset    *dataset = dataset_load_latest_entry(name);

	if (!dataset_same_relation(dataset->relation, dataset->row_type) ||
		!object_ownercheck(RelationRelationId, dataset->relation, GetUserId()))
		dataset = dataset_load_owned_entry(dataset->name);
	if (!store_drop(dataset))
		refuse_missing(dataset->name);
}
