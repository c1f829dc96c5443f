/*
 * release_precheck.c
 *	  Checks on a release before any data are read for it.
 *
 * Rights come first, and by the exact role: a superuser is a member of
 * everything, and an object of another role may run that role's code.
 */
#include "release/release.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/own_objects.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "read/population_read.h"
#include "release/pseudonym.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

void
require_release_owner(Oid relation)
{
	Oid			owner = relation_owner(relation);

	if (owner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of release %s", relation_sql_name(relation)),
				 errhint("If you are a member of it, SET ROLE %s first.%s",
						 quote_identifier(GetUserNameFromId(owner, false)),
						 pg_class_aclcheck(own_relation("auditor"), GetUserId(), ACL_SELECT) != ACLCHECK_OK ? "" :
						 " What is on record of it is in anonopt.evidence, which needs no right on it.")));
}

int
release_settings_begin(void)
{
	/* plans tell of what statistics know of all rows */
	const char *const settings[][2] = {{"debug_print_plan", "off"}, {"debug_print_parse", "off"},
	{"debug_print_rewritten", "off"},
	{"datestyle", "ISO, MDY"}, {"intervalstyle", "postgres"}, {"timezone", "UTC"},
	{"extra_float_digits", "1"}, {"bytea_output", "hex"}};
	int			level = sql_use_catalog_names();

	for (int i = 0; i < lengthof(settings); i++)
		sql_set(settings[i][0], settings[i][1]);

	/*
	 * publishing uses maintenance_work_mem like building an index; a
	 * statement uses its memory several times
	 */
	sql_set("work_mem", psprintf("%d", Max(work_mem, maintenance_work_mem / 8)));
	return level;
}

void
release_settings_end(int level)
{
	AtEOXact_GUC(false, level);
}

void
release_name(Release *release, const char *name, bool replaces)
{
	NewRelation new = new_relation(name, replaces ? NULL : "Drop it, with anonopt.drop_release if it"
								   " is a release, or choose another name.");

	release->replaced = new.taken_by;
	release->schema = new.schema;
	release->name = new.name;
	release->sql_name = new.sql_name;
}

void
refuse_changed(const Release *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("release %s would be made differently now", release->sql_name),
			 errdetail("The declaration has changed, or new values or NULLs change what is shown."),
			 errhint("Drop the release and publish it again.")));
}

void
refuse_to_hold_back(const char *release, const char *reason, const char *otherwise)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("nothing of release %s can be held back", release),
			 errdetail_internal("%s", reason),
			 errhint("Call refresh_release with hold_back => false after more people have changed, or publish %s.", otherwise)));
}

/* How a column is shown, if at all. */
static bool
choose_column(const Release *release, const char *name, ShownColumn *shown)
{
	const Dataset *dataset = release->dataset;
	bool		wanted = false;
	int			attr = 0;

	memset(shown, 0, sizeof(ShownColumn));
	shown->name = pstrdup(name);
	shown->attr = -1;
	shown->labelled = shown_level_of(dataset, name) >= 0;
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];
		bool		same = strcmp(declared->column, name) == 0;

		if (same && declared->role == ROLE_QUASI_IDENTIFIER)
			shown->attr = attr;
		attr += declared->role == ROLE_QUASI_IDENTIFIER;
		if (same && declared->role == ROLE_SENSITIVE)
			shown->promised = true;
		if (same && declared->role == ROLE_PSEUDONYM)
			shown->pseudonym = true;
		wanted = wanted || (same && declared->role != ROLE_IDENTIFIER && declared->role != ROLE_INSENSITIVE);
	}
	for (int i = 0; i < release->nnamed; i++)
		wanted = wanted || strcmp(release->named[i], name) == 0;
	return wanted;
}

void
release_choose(Release *release)
{
	const Dataset *dataset = release->dataset;
	const char *name;

	if (dataset->count_column != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("data set \"%s\" cannot be published: its rows stand for several people",
						dataset->name),
				 errhint("Publish from a relation with one row per person.")));
	sql_set("timezone", dataset->timezone);
	release->ncolumns = 0;
	release->columns = palloc(sizeof(ShownColumn) * MaxTupleAttributeNumber);
	for (AttrNumber number = 1; (name = get_attname(dataset->relation, number, true)) != NULL; number++)
		if (OidIsValid(column_type(dataset->relation, name)) &&
			choose_column(release, name, &release->columns[release->ncolumns]))
			release->ncolumns++;
}

/* ------------------------------------------------------------- hierarchies */

bool
release_needs_hierarchy(const Dataset *dataset, const Declared *declared)
{
	return OidIsValid(declared->hierarchy) &&
		(declared->role == ROLE_QUASI_IDENTIFIER || shown_level(declared) >= 0 ||
		 (declared->role == ROLE_SENSITIVE && dataset_promises_values(dataset)));
}

List *
release_hierarchies(const Dataset *dataset)
{
	List	   *hierarchies = NIL;

	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_QUASI_IDENTIFIER)
			hierarchies = lappend_oid(hierarchies, dataset->attributes[i].hierarchy);
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role == ROLE_SENSITIVE &&
			release_needs_hierarchy(dataset, &dataset->attributes[i]))
			hierarchies = lappend_oid(hierarchies, dataset->attributes[i].hierarchy);
	return hierarchies;
}

bool
is_plain_table_of(Oid relation, Oid owner)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class class;
	bool		plain;

	if (!HeapTupleIsValid(tuple))
		return false;
	class = (Form_pg_class) GETSTRUCT(tuple);
	plain = class->relkind == RELKIND_RELATION && !class->relhassubclass && class->relowner == owner;
	ReleaseSysCache(tuple);
	return plain;
}

/* Whether a constraint keeps ranges of a column from overlapping. */
static bool
excludes_overlaps(Oid table, AttrNumber column)
{
	return rows_of_query(psprintf("SELECT 1 FROM pg_constraint c JOIN pg_index i ON i.indexrelid ="
								  " c.conindid JOIN pg_operator o ON o.oid = c.conexclop[1]"
								  " WHERE c.conrelid = $1 AND c.contype = 'x' AND NOT c.condeferrable"
								  " AND i.indisvalid AND i.indpred IS NULL"
								  " AND i.indnkeyatts = 1 AND i.indkey[0] = %d AND o.oprcode ="
								  " 'range_overlaps(anyrange,anyrange)'::regprocedure", column),
						 NIL, add_oid(NULL, table), NULL, 0, NULL)->n > 0;
}

/*
 * Fails with 23514 unless a hierarchy is a plain table that the caller owns
 * and that cannot contain a leaf twice.
 */
static void
require_own_hierarchy(Oid hierarchy, const char *column)
{
	Relation	table;
	List	   *columns;
	AttrNumber	leaf;
	bool		ranges;

	if (!is_plain_table_of(hierarchy, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s of column \"%s\" is not an ordinary table that you own",
						relation_sql_name(hierarchy), column),
				 errdetail("Anyone who can change it could expose a class of one person."),
				 errhint("Copy it to a table of your own and declare the column with that.")));
	table = relation_open_existing(hierarchy);
	columns = live_columns(table);
	leaf = columns == NIL ? InvalidAttrNumber : ((Form_pg_attribute) linitial(columns))->attnum;
	ranges = columns != NIL && type_is_range(getBaseType(((Form_pg_attribute) linitial(columns))->atttypid));
	if (columns == NIL || ((ranges || !index_keeps_unique(table, leaf)) &&
						   !excludes_overlaps(hierarchy, leaf)))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s of column \"%s\" could hold a leaf twice",
						relation_sql_name(hierarchy), column),
				 ranges ? errhint("Add an exclusion constraint: EXCLUDE USING gist (... WITH &&).") :
				 errhint("Add a primary key or a unique index on its first column.")));
	relation_close(table, NoLock);
	require_trusted_relation(hierarchy);
}

/* The prefix of the SHA-256 of a row's text, long enough to detect changes. */
#define DIGEST_LENGTH 8

bytea *
hierarchy_digests(Oid hierarchy)
{
	Relation	table = relation_open_existing(hierarchy);
	int			level = NewGUCNestLevel();
	bool		isnull;
	Datum		digests;

	/* planning a statement may run functions of an index */
	require_trusted_relation(hierarchy);

	/* the text of a timestamp does not depend on the data set's zone */
	sql_set("timezone", "UTC");
	digests = value_of_query(psprintf("SELECT COALESCE(string_agg(d, '' ORDER BY d), '') FROM"
									  " (SELECT substring(sha256(convert_to(ROW(h.*)::text,"
									  " getdatabaseencoding())) FOR %d) AS d FROM ONLY %s h) x",
									  DIGEST_LENGTH, relation_sql_name(hierarchy)),
							 list_make1_oid(hierarchy), NULL, BYTEAOID, &isnull);
	AtEOXact_GUC(false, level);
	relation_close(table, NoLock);
	return DatumGetByteaPP(digests);
}

/* Whether a table still has all rows with the given digests; it may have more. */
static bool
hierarchy_keeps(Oid hierarchy, const bytea *digests)
{
	bytea	   *now = hierarchy_digests(hierarchy);
	Size		before = VARSIZE_ANY_EXHDR(digests);
	Size		found = 0;

	/* both are sorted; unsorted digests were tampered with and are not found */
	for (Size at = 0; at < VARSIZE_ANY_EXHDR(now) && found + DIGEST_LENGTH <= before; at += DIGEST_LENGTH)
		if (memcmp(VARDATA_ANY(digests) + found, VARDATA_ANY(now) + at, DIGEST_LENGTH) == 0)
			found += DIGEST_LENGTH;
	return found == before;
}

char *
changed_hierarchies(const ReleaseEntry *entry, Oid owner, const Dataset *dataset)
{
	List	   *now = dataset == NULL ? NIL : release_hierarchies(dataset);
	StringInfoData changed;
	int			n = 0;

	initStringInfo(&changed);
	for (int i = 0; i < entry->nhierarchies; i++)
		if ((dataset != NULL && (i >= list_length(now) || entry->hierarchies[i] != list_nth_oid(now, i))) ||
			!is_plain_table_of(entry->hierarchies[i], owner) ||
			!hierarchy_keeps(entry->hierarchies[i], DatumGetByteaPP(entry->digests[i])))
			appendStringInfo(&changed, "%s%s", n++ > 0 ? ", " : "", entry->hierarchy_names[i]);
	return n == 0 ? NULL : changed.data;
}

/* ---------------------------------------------------------------- all checks */

/* Fails if a column that must never be published would be. */
static void
check_identifiers(const Release *release)
{
	const Dataset *dataset = release->dataset;

	for (int i = 0; i < dataset->nattributes; i++)
	{
		const char *column = dataset->attributes[i].column;

		if (dataset->attributes[i].role != ROLE_IDENTIFIER)
			continue;
		for (int j = 0; j < release->ncolumns; j++)
			if (strcmp(release->columns[j].name, column) == 0)
			{
				bool		named = false;

				for (int n = 0; n < release->nnamed; n++)
					named = named || strcmp(release->named[n], column) == 0;
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("column \"%s\" is an identifier and is never published", column),
						 named ? 0 : errhint("Remove one of its roles with anonopt.drop_attribute.")));
			}
	}
	for (int j = 0; j < release->ncolumns && dataset->person != NULL; j++)
		if (strcmp(release->columns[j].name, dataset->person) == 0 && !release->columns[j].pseudonym)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" identifies persons and is never published", dataset->person),
					 errhint("Declare it with anonopt.set_pseudonym to show it as keyed hashes.")));
}

/* Whether a relation is a release, or a view that reads one. */
static bool
reads_release(Oid relation)
{
	const char *query = "WITH RECURSIVE source (oid) AS (SELECT $1 UNION SELECT d.refobjid FROM source s"
	" JOIN pg_catalog.pg_rewrite w ON w.ev_class OPERATOR(pg_catalog.=) s.oid"
	" JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=)"
	" 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
	" AND d.objid OPERATOR(pg_catalog.=) w.oid AND d.refclassid OPERATOR(pg_catalog.=)"
	" 'pg_catalog.pg_class'::pg_catalog.regclass"
	" AND d.refobjid OPERATOR(pg_catalog.<>) s.oid)"
	" SELECT 1 FROM source s JOIN pg_catalog.pg_description d ON d.objoid OPERATOR(pg_catalog.=) s.oid"
	" AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objsubid"
	" OPERATOR(pg_catalog.=) 0"
	" AND pg_catalog.starts_with(d.description, 'anonopt release ') LIMIT 1";

	return rows_of_query(query, NIL, add_oid(NULL, relation), NULL, 0, NULL)->n > 0;
}

void
require_no_release(Oid relation)
{
	if (reads_release(relation))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation %s is a release or reads one", relation_sql_name(relation)),
				 errhint("Name the source of that release.")));
}

static void
check_reading_column(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);

	if (number <= 0 || pg_attribute_aclcheck(relation, number, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relation)),
					   get_rel_name(relation));
}

void
release_check_reading(const Dataset *dataset)
{
	Oid			relation = dataset->relation;
	AclResult	right = pg_class_aclcheck(relation, GetUserId(), ACL_SELECT);

	if (right == ACLCHECK_OK)
		return;
	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].role != ROLE_IDENTIFIER && dataset->attributes[i].role != ROLE_INSENSITIVE)
			check_reading_column(relation, dataset->attributes[i].column);
	if (dataset->person != NULL)
		check_reading_column(relation, dataset->person);
}

void
release_close(Release *release)
{
	ListCell   *cell;

	foreach(cell, release->opened)
		relation_close(lfirst(cell), NoLock);
	release->opened = NIL;
	foreach(cell, release->pseudonyms)
		pseudonym_end(lfirst(cell));
	release->pseudonyms = NIL;
}

/*
 * Fails if pseudonyms would be in a view, whose statement everybody may read,
 * or if their column is also shown in another form.
 */
static void
check_pseudonyms(const Release *release)
{
	const Dataset *dataset = release->dataset;

	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];

		if (declared->role != ROLE_PSEUDONYM)
			continue;
		for (int j = 0; j < dataset->nattributes; j++)
			if (j != i && strcmp(dataset->attributes[j].column, declared->column) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("column \"%s\" cannot be shown as pseudonyms, because it has the role %s",
								declared->column,
								role_name(dataset->attributes[j].role)),
						 errhint("Remove one of its roles with anonopt.drop_attribute.")));
		if (release->form != RELEASE_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a view cannot show column \"%s\" as pseudonyms", declared->column),
					 errdetail("The secret would have to be in its definition."),
					 errhint("Call anonopt.publish_table, or leave the column out with anonopt.drop_attribute.")));
	}
}

/* Keeps the name of a schema, and notes it. */
static void
keep_schema(Release *release, Oid schema)
{
	if (list_member_oid(release->schemas, schema) || isTempNamespace(schema))
		return;
	release->schemas = lappend_oid(release->schemas, schema);
	release->schema_names = lappend(release->schema_names, keep_schema_name(schema));
}

/* Keeps the names that statements will use: of the relations and of their columns' types. */
static void
keep_schemas(Release *release)
{
	ListCell   *cell;

	keep_schema(release, release->schema);
	foreach(cell, release->opened)
	{
		Relation	relation = lfirst(cell);

		keep_schema(release, RelationGetNamespace(relation));
		for (int i = 0; i < RelationGetNumberOfAttributes(relation); i++)
		{
			Oid			type = TupleDescAttr(RelationGetDescr(relation), i)->atttypid;

			if (!TupleDescAttr(RelationGetDescr(relation), i)->attisdropped &&
				getBaseType(type) >= FirstNormalObjectId)
				keep_schema(release, GetSysCacheOid1(TYPEOID, Anum_pg_type_typnamespace,
													 ObjectIdGetDatum(getBaseType(type))));
		}
	}
}

/*
 * A function of another role, as which a relation was read, may have renamed a
 * schema in this very transaction.
 */
void
release_check_names(const Release *release)
{
	for (int i = 0; i < list_length(release->schemas); i++)
	{
		const char *name = get_namespace_name(list_nth_oid(release->schemas, i));

		if (name == NULL || strcmp(name, list_nth(release->schema_names, i)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_IN_USE),
					 i == 0 ? errmsg("the schema of %s was changed while the data were read",
									 release->sql_name) :
					 errmsg("schema \"%s\" was renamed while the data were read",
							(char *) list_nth(release->schema_names, i)),
					 errhint("Call the function again.")));
	}
}

void
release_check(Release *release)
{
	const Dataset *dataset = release->dataset;
	ListCell   *cell;

	release_check_reading(dataset);
	if (release->by.kind == BY_RECODING || release->by.kind == BY_RECORDS)
		require_overlaps_kept(dataset, release->by.kind == BY_RECODING ? "a release of a recoding" :
							  "a release of records");
	for (int i = 0; i < dataset->npromises && release->by.kind != BY_RECODING; i++)
		if (model_needs_boxes(dataset->promises[i].model))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("only a recoding can keep the promise %s", promise_text(&dataset->promises[i])),
					 errhint("Create another recoding for the release, or publish it under another name.")));
	check_pseudonyms(release);
	release->opened = list_make1(relation_open_existing(dataset->relation));
	foreach(cell, release_hierarchies(dataset))
		release->opened = lappend(release->opened, relation_open_existing(lfirst_oid(cell)));
	for (int i = 0; i < dataset->nattributes && release->by.kind == BY_RECORDS; i++)
		if (OidIsValid(dataset->attributes[i].sensitivity))
			require_trusted_relation(dataset->attributes[i].sensitivity);
	if (release->by.kind == BY_RECODING)
	{
		Relation	table = recoding_table_open(release->by.recoding);

		if (table->rd_rel->relowner != GetUserId())
			aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(table));
		require_trusted_relation(release->by.recoding);
		recoding_table_add_promise(RelationGetRelid(table), unconstify(Dataset *, dataset));
		release->recoding = table;
		release->by.recoding_name = relation_sql_name(release->by.recoding);
		release->opened = lappend(release->opened, table);
	}
	for (int i = 0; i < dataset->npromises; i++)
		if (OidIsValid(dataset->promises[i].population))
			release->opened = lappend(release->opened,
									  relation_open_existing(dataset->promises[i].population));
	if (release->writes)
		keep_schemas(release);
	for (int i = 0; i < dataset->nattributes; i++)
	{
		const Declared *declared = &dataset->attributes[i];

		if (release_needs_hierarchy(dataset, declared))
			require_own_hierarchy(declared->hierarchy, declared->column);
	}
	(void) dataset_load_owned(dataset->name);
	check_identifiers(release);
	require_no_release(dataset->relation);
}
