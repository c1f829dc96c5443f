/*
 * release_publish.c
 *	  Creates releases, refreshes them with the current data, gives them another
 *	  generalization or promise, and drops them.
 *
 * A release that is published again stays the same relation, with its grants
 * and dependent objects, and so keeps its columns.  The current declaration is
 * used: hierarchies may differ from those it was made with.
 */
#include "release/release.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/dataset.h"
#include "catalog/dependency.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "release/hold_back.h"
#include "release/pseudonym.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* ---------------------------------------------------------- what all do alike */

/*
 * Fails unless every value to be shown fits a release's column as it is: rows
 * are written without the casts and checks of an INSERT.
 */
static void
check_type(const Release *release, const ShownColumn *shown, const FormData_pg_attribute * column)
{
	Oid			source = release->dataset->relation;
	Oid			type;
	int32		typmod;
	Oid			base;
	int32		base_typmod;
	Oid			collation;

	shown_type(release, shown, &type, &typmod, &collation);
	/* a statement may show a domain's values as its base type */
	base_typmod = typmod;
	base = type == column->atttypid ? type : getBaseTypeAndTypmod(type, &base_typmod);
	if (base == column->atttypid &&
		(column->atttypmod == -1 || column->atttypmod == base_typmod ||
		 ((base == VARCHAROID || base == VARBITOID) && base_typmod != -1 && base_typmod <= column->atttypmod)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("column \"%s\" of release %s has another type than its source has now", shown->name, release->sql_name),
			 errdetail("It shows type %s, and relation %s has %s.", format_type_with_typemod(column->atttypid, column->atttypmod),
					   relation_sql_name(source), format_type_with_typemod(type, typmod)),
			 errhint(release->form == RELEASE_TABLE ? "Change the type of either with ALTER TABLE, or drop the release and publish anew." :
					 "Change the type back with ALTER TABLE, or drop the release and publish anew.")));
}

/* Fails if the release would have other columns. */
static void
check_same_columns(const Release *release, const ReleaseEntry *entry)
{
	const Population *population = release->population;
	bool		same = population->nattrs == entry->ngeneralized;
	int			sensitive = 0;
	int			n = 0;
	Relation	rel;

	for (int a = 0; a < population->nattrs && same; a++)
		same = strcmp(population->attrs[a].name, entry->generalized[a]) == 0;
	for (int i = 0; i < release->ncolumns && same; i++)
		if (release->columns[i].attr < 0 && release->columns[i].promised)
			same = sensitive < entry->nsensitive && strcmp(release->columns[i].name, entry->sensitive[sensitive++]) == 0;
	if (!same || sensitive != entry->nsensitive)
		refuse_changed(release);
	rel = relation_open_existing(entry->relation);
	for (int i = 0; i < RelationGetNumberOfAttributes(rel); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(rel), i);

		if (column->attisdropped)
			refuse_changed(release);
		if (i < release->ncolumns && strcmp(NameStr(column->attname), release->columns[i].name) != 0)
			refuse_changed(release);
		if (i < release->ncolumns)
			check_type(release, &release->columns[i], column);
		n++;
	}
	relation_close(rel, NoLock);
	if (n != release->ncolumns + (release->star ? 1 : 0))
		refuse_changed(release);
}

/*
 * Reads for a release, and compares what it will show with what was shown
 * before; an existing one keeps its columns.  Its recoding may be extended by
 * new people.
 */
static void
read_release(Release *release, const ReleaseEntry *entry, bool extends)
{
	Relation	recoding = NULL;

	release->writes = true;
	release_check(release);
	release->extends = extends && release->by.kind == BY_RECODING;
	if (release->extends)
		recoding = recoding_open_own(release->by.recoding);
	release_read(release);
	if (recoding != NULL)
		relation_close(recoding, NoLock);
	if (entry != NULL)
		check_same_columns(release, entry);
	if (release->form != RELEASE_LIVE_VIEW)
	{
		release_choose_classes(release);
		release_make_content(release);
		composition_check(release);
	}
	release_check_names(release);
}

/*
 * Writes down what a release shows: as a new entry, in place of all of one, or
 * (NULL) what a refresh can change.
 */
static void
write_down(const Release *release, const char *id, Oid relation, void (*write) (const ReleaseEntry *entry))
{
	/* with rows that are held back, the one by which they were measured */
	ReleaseEntry *entry = release->held != NULL ? release->held->entry : NULL;

	if (entry == NULL)
		entry = entry_of_release(release, id, relation);
	entry->relation = relation;

	/*
	 * if it is refreshed, what is shown may be as it was, but not who was
	 * left out, or what is promised
	 */
	if (write != NULL)
		write(entry);
	else
		release_entry_update(entry, release->unchanged);
	if (release->content != NULL && (write != NULL || !release->unchanged))
		release_content_insert(entry, release->content, release->difference);
	linked_people_insert(release, entry->id);
	held_record(release, entry->id);
}

/* ------------------------------------------------------------------- creates */

/* Creates the relation and fills it; a view's query has PostgreSQL fill it as we do. */
static Oid
make_relation(Release *release, const char *id)
{
	bool		is_table = release->form == RELEASE_TABLE;
	Oid			relation;

	if (release->form == RELEASE_LIVE_VIEW)
		return release_create_live(release, id);
	sql_run(psprintf("CREATE %s %s AS SELECT * FROM %s.released_rows(%s) AS r (%s) WITH NO DATA", is_table ? "TABLE" : "MATERIALIZED VIEW",
					 release->sql_name, own_schema_name(), quote_literal_cstr(id), column_definitions(release)), NULL);
	relation = made_relation(release->schema, release->name);
	if (!is_table)
	{
		require_definition(relation);
		depend_on_read(release, relation);
	}
	release_write_rows(release, relation, false);
	release_mark_filled(relation);
	return relation;
}

Oid
release_create(Release *release)
{
	char	   *id = DatumGetCString(DirectFunctionCall1(uuid_out, DirectFunctionCall1(gen_random_uuid, (Datum) 0)));
	Oid			relation;

	read_release(release, NULL, false);
	relation = make_relation(release, id);
	CreateComments(relation, RelationRelationId, 0, release_comment(release, id));
	write_down(release, id, relation, release_entry_insert);
	release_close(release);
	return relation;
}

/* ------------------------------------------------------ refreshes, republishes */

/* The entry as it is now, even if others have committed it since our snapshot. */
static ReleaseEntry *
current_entry(Oid relation)
{
	ReleaseEntry *entry;

	see_own_changes();
	entry = release_entry_require(relation);
	PopActiveSnapshot();
	return entry;
}

/* The entry of a release that the caller itself owns; locks it against other refreshes. */
static ReleaseEntry *
release_lock_entry(Oid relation)
{
	(void) current_entry(relation);
	require_release_owner(relation);

	/*
	 * refreshes of a release are serialized, so that none holds a lock that
	 * another's swap waits for
	 */
	LockRelationOid(relation, ShareUpdateExclusiveLock);
	require_release_owner(relation);
	return current_entry(relation);
}

/* Reads the current data for an existing release.  Ends with PopActiveSnapshot and release_close. */
static Release *
read_of_entry(const ReleaseEntry *entry, bool refills, bool holds_back, bool keep_deleted)
{
	Release    *release;
	char	   *changed;

	/* what others wrote before they released the lock must be read */
	PushActiveSnapshot(GetTransactionSnapshot());
	release = release_of_entry(entry);
	release->refills = refills;
	release->holds_back = holds_back && entry->form != RELEASE_LIVE_VIEW && entry->nforms == 0 && !entry->permuted;
	release->keep_deleted = keep_deleted;
	release->last_people_k = entry->people_k;
	if (release->dataset->relation != entry->source)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("release %s was made from another relation than data set \"%s\" declares now", release->sql_name, entry->dataset),
				 errdetail("The data set declares %s.", relation_sql_name(release->dataset->relation)),
				 errhint("If this change is wanted, call anonopt.republish.")));
	changed = changed_hierarchies(entry, GetUserId(), release->dataset);
	if (changed != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchies of release %s have changed", release->sql_name),
				 errdetail("%s", changed),
				 errhint("Leaves may be added, but existing leaves must keep their labels. If this change is wanted, call anonopt.republish.")));
	read_release(release, entry, true);
	return release;
}

/* Replaces the rows of a release that has been read, and its entry. */
static void
replace_rows(Release *release, const ReleaseEntry *entry, void (*write) (const ReleaseEntry *entry))
{
	FreshRows  *fresh = release->form == RELEASE_LIVE_VIEW ? NULL : release_fresh_rows(release, entry->relation);

	/* functions of indexes may have renamed a schema */
	release_check_names(release);
	if (write != NULL && release->form == RELEASE_MATERIALIZED_VIEW)
		depend_on_read(release, entry->relation);
	if (fresh == NULL && release->held != NULL)
		held_record(release, entry->id);
	else
		write_down(release, entry->id, entry->relation, write);
	/* the last step, because readers are locked out from here on */
	if (fresh != NULL)
		release_swap_rows(fresh);
	PopActiveSnapshot();
	release_close(release);
}

void
release_refresh(Oid relation, bool holds_back, bool keep_deleted)
{
	ReleaseEntry *entry = release_lock_entry(relation);

	if (entry->form == RELEASE_LIVE_VIEW && entry->by.kind != BY_RECODING)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("release %s is a live view: there is nothing to refresh", relation_sql_name(relation))));
	/* rows that are held back are found by their labels */
	if (holds_back && (entry->nforms > 0 || entry->permuted) && !composition_holds_back())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("nothing of release %s can be held back", relation_sql_name(relation)),
				 errdetail("It does not show the labels of its classes as text."),
				 errhint("Call refresh_release with hold_back => false after more people have changed, or publish with columns_as => 'text'.")));
	replace_rows(read_of_entry(entry, false, holds_back, keep_deleted), entry, NULL);
}

void
release_fill(Oid relation, TupleDesc desc, Tuplestorestate *rows)
{
	ReleaseEntry *entry = current_entry(relation);
	Release    *release;

	require_release_owner(relation);
	if (entry->form != RELEASE_MATERIALIZED_VIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("release %s is not a materialized view", relation_sql_name(relation))));
	release = read_of_entry(entry, true, false, false);
	write_down(release, entry->id, relation, NULL);
	depend_on_read(release, relation);
	release_return_rows(release, desc, rows);
	PopActiveSnapshot();
	release_close(release);
}

Release *
release_republish_begin(Oid relation, ReleaseEntry **entry)
{
	Release    *release;

	*entry = release_lock_entry(relation);
	PushActiveSnapshot(GetTransactionSnapshot());
	release = release_of_entry(*entry);
	if (release->by.kind == BY_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("release %s shows a generalization per record", release->sql_name),
				 errhint("Drop it, and call anonopt.publish_records again.")));
	return release;
}

void
release_republish(Release *release, const ReleaseEntry *entry)
{
	Oid			relation = entry->relation;
	char	   *comment;

	read_release(release, entry, false);
	if (release->form == RELEASE_LIVE_VIEW)
		live_check_source(release);
	replace_rows(release, entry, release_entry_replace);
	/* it states the promise, unless somebody has replaced it */
	comment = GetComment(relation, RelationRelationId, 0);
	if (comment != NULL && strncmp(comment, "anonopt release ", 16) == 0)
		CreateComments(relation, RelationRelationId, 0, release_comment(release, entry->id));
}

/* ------------------------- drops releases and the objects created with them */

void
release_drop(Oid relation)
{
	ReleaseEntry *entry = release_entry_require(relation);
	ObjectAddresses *objects = new_object_addresses();
	ObjectAddress object;

	/* by any owner, members too: dropping runs no code of the relation */
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
	(void) write_catalog("DELETE FROM anonopt.published_held WHERE id = $1::uuid", add_text(NULL, entry->id));
	ObjectAddressSet(object, ProcedureRelationId, entry->form == RELEASE_LIVE_VIEW ? rows_function(relation) : InvalidOid);
	if (OidIsValid(object.objectId))
		add_exact_object_address(&object, objects);
	LockRelationOid(relation, AccessExclusiveLock);
	ObjectAddressSet(object, RelationRelationId, relation);
	add_exact_object_address(&object, objects);
	performMultipleDeletions(objects, DROP_RESTRICT, 0);
	free_object_addresses(objects);
}
