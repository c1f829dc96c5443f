/*
 * sql.c
 *	  Statements the extension runs, and the names it puts into them.
 */
#include "catalog/sql.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "base/names.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

/* SPI would leave its own memory context current, which is freed with it. */
void
sql_run(const char *statement, ParamListInfo params)
{
	MemoryContext context = CurrentMemoryContext;
	SPIExecuteOptions options = {.params = params};
	int			code = SPI_connect();

	if (code == SPI_OK_CONNECT)
		code = SPI_execute_extended(statement, &options);
	if (code >= 0)
		code = SPI_finish();
	MemoryContextSwitchTo(context);
	if (code < 0)
		elog(ERROR, "could not run \"%s\": %s", statement, SPI_result_code_string(code));
}

ParamListInfo
add_value(ParamListInfo params, Oid type, Datum value, bool isnull)
{
	int			n = params == NULL ? 0 : params->numParams;
	ParamListInfo added = makeParamList(n + 1);

	for (int i = 0; i < n; i++)
		added->params[i] = params->params[i];
	added->params[n].ptype = type;
	added->params[n].value = isnull ? (Datum) 0 : value;
	added->params[n].isnull = isnull;
	added->params[n].pflags = PARAM_FLAG_CONST;
	return added;
}

ParamListInfo
add_text(ParamListInfo params, const char *value)
{
	return add_value(params, TEXTOID, value == NULL ? (Datum) 0 : CStringGetTextDatum(value), value == NULL);
}

static Datum
name_datum(const char *name)
{
	return name == NULL ? (Datum) 0 : DirectFunctionCall1(namein, CStringGetDatum(name));
}

ParamListInfo
add_name(ParamListInfo params, const char *name)
{
	return add_value(params, NAMEOID, name_datum(name), name == NULL);
}

ParamListInfo
add_oid(ParamListInfo params, Oid oid)
{
	return add_value(params, OIDOID, ObjectIdGetDatum(oid), !OidIsValid(oid));
}

void
sql_set(const char *setting, const char *value)
{
	(void) set_config_option(setting, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Sets search_path for the following statements; an error resets it. Returns
 * the argument of sql_restore_names.
 */
int
sql_use_catalog_names(void)
{
	int			level = NewGUCNestLevel();

	sql_set("search_path", "pg_catalog, pg_temp");
	return level;
}

void
sql_restore_names(int level)
{
	AtEOXact_GUC(false, level);
}

void
relation_is_missing(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("relation with OID %u does not exist", relation)));
}

void
relation_has_changed(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation %s was changed while it was read", relation_sql_name(relation)),
			 errhint("Call the function again.")));
}

Oid
relation_owner(Oid relation)
{
	Oid			owner = GetSysCacheOid1(RELOID, Anum_pg_class_relowner, ObjectIdGetDatum(relation));

	if (!OidIsValid(owner))
		relation_is_missing(relation);
	return owner;
}

Relation
relation_open_existing(Oid relation)
{
	Relation	rel = try_relation_open(relation, AccessShareLock);

	if (rel == NULL)
		relation_is_missing(relation);
	return rel;
}

/*
 * Parsing a qualified name is quadratic in its length and cannot be
 * interrupted.
 */
#define LONGEST_NAME 10000

/*
 * Takes the lock on the schema's row that a foreign key would take: a rename,
 * which changes a unique column, has to wait for it.
 */
char *
keep_schema_name(Oid schema)
{
	Relation	catalog;
	TM_Result	result;

	PreventCommandIfReadOnly("CREATE");
	catalog = table_open(NamespaceRelationId, RowShareLock);
	do
	{
		HeapTuple	tuple;
		Buffer		buffer;
		TM_FailureData failure;

		AcceptInvalidationMessages();
		tuple = SearchSysCacheCopy1(NAMESPACEOID, ObjectIdGetDatum(schema));
		if (!HeapTupleIsValid(tuple))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_SCHEMA),
					 errmsg("schema with OID %u does not exist", schema)));
		result = heap_lock_tuple(catalog, tuple, GetCurrentCommandId(false), LockTupleKeyShare, LockWaitBlock, true, &buffer, &failure);
		ReleaseBuffer(buffer);
	} while (result != TM_Ok && result != TM_SelfModified && result != TM_Invisible);
	table_close(catalog, NoLock);
	return get_namespace_name(schema);
}

NewRelation
new_relation(const char *name, const char *hint)
{
	NewRelation new;
	RangeVar   *range;
	List	   *parts;
	List	   *names = NIL;
	ListCell   *cell;
	AclResult	right;

	if (strlen(name) > LONGEST_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("name of a relation is too long"),
				 errdetail("It has %zu bytes.", strlen(name))));
	if (!SplitIdentifierString(pstrdup(name), '.', &parts) || parts == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("invalid name syntax"),
				 *name == '\0' ? 0 : errhint("Put a name with blanks, quotes or other signs into double quotes, and double those in it, as quote_ident does.")));
	foreach(cell, parts)
		names = lappend(names, makeString(lfirst(cell)));
	range = makeRangeVarFromNameList(names);
	if (range->relname[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("name of a relation must not be empty")));
	new.schema = RangeVarGetCreationNamespace(range);
	new.name = range->relname;
	new.sql_name = quote_qualified_identifier(keep_schema_name(new.schema), new.name);

	/*
	 * who creates a relation of this name, too, has it first; otherwise both
	 * would find the name free, and one would fail at the catalog's index
	 */
	LockDatabaseObject(NamespaceRelationId, new.schema, 1 + hash_bytes((const unsigned char *) new.name, strlen(new.name)) % PG_UINT16_MAX,
					   ExclusiveLock);
	new.taken_by = get_relname_relid(new.name, new.schema);
	if (OidIsValid(new.taken_by) && hint != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation %s already exists", new.sql_name),
				 errhint("%s", hint)));
	right = object_aclcheck(NamespaceRelationId, new.schema, GetUserId(), ACL_CREATE);
	if (right != ACLCHECK_OK)
		aclcheck_error(right, OBJECT_SCHEMA, get_namespace_name(new.schema));
	return new;
}

Oid
made_relation(Oid schema, const char *name)
{
	Oid			relation = get_relname_relid(name, schema);

	if (!OidIsValid(relation) || !object_ownercheck(RelationRelationId, relation, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s is not the one that was created", quote_qualified_identifier(get_namespace_name(schema), name)),
				 errhint("Check whether an event trigger changes created objects, or somebody its schema.")));
	return relation;
}

char *
relation_sql_name(Oid relation)
{
	char	   *name = get_rel_name(relation);

	if (name == NULL)
		relation_is_missing(relation);
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

List *
live_columns(Relation relation)
{
	TupleDesc	desc = RelationGetDescr(relation);
	List	   *columns = NIL;

	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			columns = lappend(columns, TupleDescAttr(desc, i));
	return columns;
}

Oid
column_type(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);

	return number > 0 ? getBaseType(get_atttype(relation, number)) : InvalidOid;
}

void
require_column(Oid relation, const char *column)
{
	if (OidIsValid(column_type(relation, column)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation %s does not exist", column, relation_sql_name(relation))));
}

void
keep_to_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	List	   *roles = NIL;
	ListCell   *cell;
	bool		isnull;
	Datum		datum;
	Acl		   *acl;

	if (!HeapTupleIsValid(tuple))
		relation_is_missing(relation);
	datum = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	acl = isnull ? NULL : DatumGetAclPCopy(datum);
	/* grantee 0 is everybody */
	for (int i = 0; acl != NULL && i < ACL_NUM(acl); i++)
		if (ACL_DAT(acl)[i].ai_grantee != ((Form_pg_class) GETSTRUCT(tuple))->relowner)
			roles = list_append_unique_oid(roles, ACL_DAT(acl)[i].ai_grantee);
	ReleaseSysCache(tuple);
	foreach(cell, roles)
	{
		RemoveRoleFromObjectACL(lfirst_oid(cell), RelationRelationId, relation);
		CommandCounterIncrement();
	}
}

int
require_choice(const char *what, const char *choice, const char *plural, const char *const *names, int n, const char *last)
{
	int			found = find_name(choice, names, n);
	StringInfoData hint;

	if (found >= 0)
		return found;
	initStringInfo(&hint);
	for (int i = 0; i < n; i++)
		appendStringInfo(&hint, "%s%s", i == 0 ? "" : i == n - 1 ? last : ", ", names[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown %s \"%s\"", what, choice),
			 errhint("%s are %s.", plural, hint.data)));
}

/* --------------------------------------------------- arrays of one dimension */

static Datum *
new_elements(int n)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * ((Size) n + 1));
}

static Datum
array_datum(Datum *elements, int n, Oid type)
{
	int16		length;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &length, &byval, &align);
	return PointerGetDatum(construct_array(elements, n, type, length, byval, align));
}

Datum
texts_datum(const char *const *texts, int n)
{
	Datum	   *elements = new_elements(n);
	bool	   *nulls = MemoryContextAllocHuge(CurrentMemoryContext, (Size) n + 1);
	int			bounds[1] = {1};

	for (int i = 0; i < n; i++)
	{
		nulls[i] = texts[i] == NULL;
		elements[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(texts[i]);
	}
	return PointerGetDatum(construct_md_array(elements, nulls, 1, &n, bounds, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum
names_datum(char *const *names, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = name_datum(names[i]);
	return array_datum(elements, n, NAMEOID);
}

Datum
integers_datum(const int *integers, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = Int32GetDatum(integers[i]);
	return array_datum(elements, n, INT4OID);
}

Datum
doubles_datum(const double *doubles, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = Float8GetDatum(doubles[i]);
	return array_datum(elements, n, FLOAT8OID);
}

Datum
oids_datum(const List *oids, Oid type)
{
	int			n = list_length(oids);
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = ObjectIdGetDatum(list_nth_oid(oids, i));
	return array_datum(elements, n, type);
}

Datum
numbers_datum(const Oid *oids, int n)
{
	Datum	   *elements = new_elements(n);

	for (int i = 0; i < n; i++)
		elements[i] = Int64GetDatum(oids[i]);
	return array_datum(elements, n, INT8OID);
}

int
count_elements(Datum datum, const char *name)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a one-dimensional array without nulls", name)));
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}
