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
#include "build/hierarchy_build.h"
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
 * Whether every value to be shown fits a release's column as it is, because rows
 * are written without the casts and checks of an INSERT; sets the type of the
 * values.
 */
static bool
type_fits(const Release *release, const ShownColumn *shown, const FormData_pg_attribute * column, Oid *type,
		  int32 *typmod)
{
	Oid			base;
	int32		base_typmod;
	Oid			collation;

	shown_type(release, shown, type, typmod, &collation);
	/* a statement may show a domain's values as its base type */
	base_typmod = *typmod;
	base = *type == column->atttypid ? *type : getBaseTypeAndTypmod(*type, &base_typmod);
	return base == column->atttypid &&
		(column->atttypmod == -1 || column->atttypmod == base_typmod ||
		 ((base == VARCHAROID || base == VARBITOID) && base_typmod != -1 &&
		  base_typmod <= column->atttypmod));
}

/*
 * Whether a relation has the columns that a release would have; unless any_type,
 * fails if it has them with other types.
 */
static bool
has_columns_of(const Release *release, Oid relation, bool any_type)
{
	Relation	rel = relation_open_existing(relation);
	int			n = RelationGetNumberOfAttributes(rel);
	bool		same = n == release->ncolumns + (release->star ? 1 : 0);

	for (int i = 0; i < n && same; i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(rel), i);
		const ShownColumn *shown = &release->columns[i];
		Oid			type;
		int32		typmod;

		same = !column->attisdropped && strcmp(NameStr(column->attname),
											   i < release->ncolumns ? shown->name :
											   "anonopt_suppressed") == 0;
		if (!same || i == release->ncolumns || type_fits(release, shown, column, &type, &typmod))
			continue;
		same = false;
		if (!any_type)
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("column \"%s\" of release %s has another type than its source has now",
							shown->name, release->sql_name),
					 errdetail("It shows type %s, and relation %s has %s.",
							   format_type_with_typemod(column->atttypid, column->atttypmod),
							   relation_sql_name(release->dataset->relation),
							   format_type_with_typemod(type, typmod)),
					 errhint(release->form == RELEASE_TABLE ?
							 "Change the type of either with ALTER TABLE, or drop the release and publish anew." :
							 "Change the type back with ALTER TABLE, or drop the release and publish anew.")));
	}
	relation_close(rel, NoLock);
	return same;
}

/*
 * Adds leaves for new values where that is declared, which the data's snapshot
 * must show.  Hierarchies are locked in order.
 */
static void
grow_hierarchies(const Dataset *dataset)
{
	List	   *hierarchies = NIL;
	ListCell   *cell;
	int64		all = 0;

	for (int i = 0; i < dataset->nattributes; i++)
		if (dataset->attributes[i].grows)
			hierarchies = list_append_unique_oid(hierarchies, dataset->attributes[i].hierarchy);
	list_sort(hierarchies, list_oid_cmp);
	foreach(cell, hierarchies)
	{
		int64		added = 0;

		for (int i = 0; i < dataset->nattributes; i++)
			if (dataset->attributes[i].grows && dataset->attributes[i].hierarchy == lfirst_oid(cell))
				added += hierarchy_extend(lfirst_oid(cell), dataset->relation, dataset->attributes[i].column);
		if (added > 0)
			ereport(NOTICE,
					(errmsg_plural("hierarchy %s has " INT64_FORMAT " new leaf",
								   "hierarchy %s has " INT64_FORMAT " new leaves",
								   (unsigned long) added, relation_sql_name(lfirst_oid(cell)), added)));
		all += added;
	}
	if (all == 0)
		return;
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
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
	release->promise.k = Max(release->promise.k, release->privacy.k);
	release_check(release);
	if (is_private(release))
		require_private(release);
	else if (!release->refills)
		grow_hierarchies(release->dataset);
	release->extends = extends && release->by.kind == BY_RECODING;
	if (release->extends)
		recoding = recoding_open_own(release->by.recoding);
	release_read(release);
	if (recoding != NULL)
		relation_close(recoding, NoLock);
	if (entry != NULL && !has_columns_of(release, entry->relation, false))
		refuse_changed(release);
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
	/* what shows the same as before, as after a restore, has the same figures */
	if (write != NULL || !release->unchanged)
		release_record_figures(release, entry);
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
	sql_run(psprintf("CREATE %s %s AS SELECT * FROM %s.released_rows(%s) AS r (%s) WITH NO DATA",
					 is_table ? "TABLE" : "MATERIALIZED VIEW",
					 release->sql_name, own_schema_name(), quote_literal_cstr(id),
					 column_definitions(release)), NULL);
	relation = made_relation(release->schema, release->name);
	if (!is_table)
	{
		require_definition(relation);
		depend_on_read(release, relation);
	}
	release_write_rows(release, relation, false);
	release_mark_filled(relation);
	release_analyze(relation);
	return relation;
}

/* ------------------------------------------------------- existing releases */

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

/* Whether the class of a row can be told by what it shows, so that rows can be held back. */
static bool
rows_tell_class(const ReleaseEntry *entry)
{
	return !entry->permuted && (entry->nforms == 0 || entry->by.kind != BY_RECODING);
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
	release->holds_back = holds_back && entry->form != RELEASE_LIVE_VIEW && rows_tell_class(entry) &&
		!entry->is_private;
	release->keep_deleted = keep_deleted;
	release->last_people_k = entry->people_k;
	release->filled_by = refills && entry->is_restored ? FILLED_BY_RESTORE : FILLED_BY_REFRESH;
	require_same_source(release, entry);
	/* what was promised is promised of the same people */
	if (entry->person != NULL && (release->dataset->person == NULL ||
								  strcmp(release->dataset->person, entry->person) != 0))
		refuse_changed(release);
	changed = changed_hierarchies(entry, GetUserId(), release->dataset);
	if (changed != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchies of release %s have changed", release->sql_name),
				 errdetail("%s", changed),
				 errhint("Leaves may be added, but existing leaves must keep their labels. If this change is wanted, call anonopt.republish.")));
	require_same_columns(release, entry, false);
	read_release(release, entry, true);
	return release;
}

/* Replaces the rows of a release that has been read, and writes its entry. */
static void
replace_rows(Release *release, const char *id, Oid relation, void (*write) (const ReleaseEntry *entry))
{
	FreshRows  *fresh = release->form == RELEASE_LIVE_VIEW ? NULL : release_fresh_rows(release, relation);

	/* functions of indexes may have renamed a schema */
	release_check_names(release);
	if (write != NULL && release->form == RELEASE_MATERIALIZED_VIEW)
		depend_on_read(release, relation);
	if (fresh == NULL && release->held != NULL)
		held_record(release, id);
	else
		write_down(release, id, relation, write);
	/* the last step, because readers are locked out from here on */
	if (fresh != NULL)
		release_swap_rows(fresh);
}

void
release_refresh(Oid relation, bool holds_back, bool keep_deleted)
{
	ReleaseEntry *entry = release_lock_entry(relation);
	Release    *release;

	if (entry->form == RELEASE_LIVE_VIEW && entry->by.kind != BY_RECODING)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("release %s is a live view: there is nothing to refresh",
						relation_sql_name(relation))));
	if (holds_back && entry->is_private && !composition_holds_back())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("nothing of release %s can be held back", relation_sql_name(relation)),
				 errdetail("It shows a sample, which is drawn again."),
				 errhint("Call refresh_release without hold_back.")));
	if (holds_back && !rows_tell_class(entry) && !composition_holds_back())
		refuse_to_hold_back(relation_sql_name(relation), entry->permuted ? "It shows true values, not"
							" the labels of its classes." :
							"It shows ranges of a recoding, from which its labels cannot be told.",
							"labels with columns_as => 'text'");
	release = read_of_entry(entry, false, holds_back, keep_deleted);
	replace_rows(release, entry->id, relation, NULL);
	PopActiveSnapshot();
	release_close(release);
}

/*
 * Reads for a view that PostgreSQL fills.  Nobody sees the warnings of a
 * restore, so what they would be about is an error then.  It leaves the view
 * without rows, and names the function that fills it.
 */
static Release *
read_for_filling(const ReleaseEntry *entry)
{
	MemoryContext context = CurrentMemoryContext;
	Release    *release = NULL;

	if (!entry->is_restored)
		return read_of_entry(entry, true, false, false);
	if (composition_level() == WARNING)
		sql_set("anonopt.composition", "refuse");
	PG_TRY();
	{
		release = read_of_entry(entry, true, false, false);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		error->hint = psprintf("The restored view %s has no rows until anonopt.refresh_release fills it.%s%s",
							   relation_sql_name(entry->relation), error->hint == NULL ? "" : " ",
							   error->hint == NULL ? "" : error->hint);
		ReThrowError(error);
	}
	PG_END_TRY();
	return release;
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
	release = read_for_filling(entry);
	write_down(release, entry->id, relation, NULL);
	depend_on_read(release, relation);
	release_return_rows(release, desc, rows);
	PopActiveSnapshot();
	release_close(release);
}

/* Leaves out what an entry promises of a model. */
static void
withdraw(ReleaseEntry *entry, PromiseModel model)
{
	int			n = 0;
	int			ngeneral = 0;

	for (int i = 0; i < entry->npromises; i++)
		if (entry->promises[i].model != model || promise_is_of_known(&entry->promises[i]))
		{
			ngeneral += i < entry->ngeneral;
			entry->promises[n++] = entry->promises[i];
		}
	entry->npromises = n;
	entry->ngeneral = ngeneral;
}

Release *
release_republish_begin(Oid relation, ReleaseEntry **entry, bool keeps_l, bool keeps_t)
{
	Release    *release;

	*entry = release_lock_entry(relation);
	if (!keeps_l)
		withdraw(*entry, MODEL_L);
	if (!keeps_t)
		withdraw(*entry, MODEL_T);
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

	require_same_columns(release, entry, true);
	read_release(release, entry, false);
	if (release->form == RELEASE_LIVE_VIEW)
		live_check_source(release);
	replace_rows(release, entry->id, relation, release_entry_replace);
	PopActiveSnapshot();
	release_close(release);
	/* it states the promise, unless somebody has replaced it */
	comment = GetComment(relation, RelationRelationId, 0);
	if (comment != NULL && strncmp(comment, "anonopt release ", 16) == 0)
		CreateComments(relation, RelationRelationId, 0, release_comment(release, entry->id));
}

/* ------------------------- drops releases and the objects created with them */

/*
 * Those through whom others can have read a release, for a message: roles with
 * any privilege on it or on the function of a live view, publications, and
 * tables of which it is a part; if its relation stays, views and functions that
 * read it, too, which otherwise keep it from being dropped.  NULL if there is
 * nothing.
 */
static char *
readers_of(const ReleaseEntry *entry, bool stays)
{
	const Oid	type = TEXTOID;
	ParamListInfo params = add_oid(add_oid(NULL, entry->relation),
								   entry->form == RELEASE_LIVE_VIEW ? rows_function(entry->relation) :
								   InvalidOid);
	QueryRows  *rows;

	params = add_value(params, BOOLOID, BoolGetDatum(stays), false);
	see_own_changes();
	rows = rows_of_query("SELECT string_agg(reader, ', ' ORDER BY reader) FROM (SELECT COALESCE('role"
						 " ' || quote_ident(r.rolname), 'everybody') AS reader"
						 " FROM (SELECT x.grantee FROM pg_class c, aclexplode(c.relacl) x WHERE c.oid"
						 " = $1 AND x.grantee <> c.relowner"
						 " UNION SELECT x.grantee FROM pg_class c JOIN pg_attribute a ON a.attrelid ="
						 " c.oid, aclexplode(a.attacl) x"
						 " WHERE c.oid = $1 AND x.grantee <> c.relowner"
						 " UNION SELECT x.grantee FROM pg_proc p, aclexplode(COALESCE(p.proacl,"
						 " acldefault('f', p.proowner))) x"
						 " WHERE p.oid = $2 AND x.grantee <> p.proowner) g LEFT JOIN pg_roles r ON"
						 " r.oid = g.grantee"
						 " UNION ALL SELECT 'publication ' || quote_ident(p.pubname) FROM"
						 " pg_publication p, pg_get_publication_tables(p.pubname) t WHERE t.relid = $1"
						 " UNION ALL SELECT 'table ' || i.inhparent::regclass FROM pg_inherits i WHERE"
						 " i.inhrelid = $1"
						 " UNION ALL SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) FROM pg_depend d"
						 " WHERE $3 AND d.refclassid = 'pg_class'::regclass AND d.refobjid = $1 AND d.deptype = 'n'"
						 " AND d.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass)"
						 " AND NOT EXISTS (SELECT FROM pg_rewrite w WHERE w.oid = d.objid AND w.ev_class = $1)) s",
						 NIL, params, NULL, 1, &type);
	PopActiveSnapshot();
	return row_text(rows, 0, 0);
}

static void
drop_objects(const ReleaseEntry *entry)
{
	ObjectAddresses *objects = new_object_addresses();
	ObjectAddress object;

	(void) write_catalog("DELETE FROM anonopt.published_held WHERE id = $1::uuid", add_text(NULL, entry->id));
	ObjectAddressSet(object, ProcedureRelationId,
					 entry->form == RELEASE_LIVE_VIEW ? rows_function(entry->relation) : InvalidOid);
	if (OidIsValid(object.objectId))
		add_exact_object_address(&object, objects);
	LockRelationOid(entry->relation, AccessExclusiveLock);
	ObjectAddressSet(object, RelationRelationId, entry->relation);
	add_exact_object_address(&object, objects);
	performMultipleDeletions(objects, DROP_RESTRICT, 0);
	free_object_addresses(objects);
	if (entry->by.kind == BY_RECODING && OidIsValid(entry->by.recoding) &&
		get_rel_name(entry->by.recoding) != NULL)
		ereport(NOTICE,
				(errmsg("recoding %s of release %s is left", relation_sql_name(entry->by.recoding),
						entry->name),
				 errdetail("It holds values of the source as they are."),
				 errhint("If nothing else uses it, drop it with DROP TABLE.")));
}

void
release_drop(Oid relation)
{
	ReleaseEntry *entry = release_entry_require(relation);

	/* by any owner, members too: dropping runs no code of the relation */
	if (!object_ownercheck(RelationRelationId, relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)),
					   get_rel_name(relation));
	/* nobody reads it from here on by a privilege that is granted now */
	LockRelationOid(relation, AccessExclusiveLock);
	release_entry_note_readers(entry->id, readers_of(entry, false));
	drop_objects(entry);
}

void
release_forget(Oid relation)
{
	ReleaseEntry *entry = release_lock_entry(relation);
	Relation	rel;
	char	   *readers = NULL;
	bool		is_new;

	/*
	 * readers wait from here on, so nobody reads it by a privilege that is
	 * granted now
	 */
	LockRelationOid(relation, AccessExclusiveLock);
	rel = relation_open_existing(relation);
	is_new = rel->rd_createSubid != InvalidSubTransactionId;
	relation_close(rel, NoLock);
	see_own_changes();
	is_new = is_new && release_entry_is_new(entry->id);
	PopActiveSnapshot();
	if (!is_new)
		readers = readers_of(entry, false);
	if (readers != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("others may have read release %s", entry->name),
				 errdetail("It was open to: %s.", readers),
				 errhint("Call anonopt.drop_release, which keeps on record what it showed; if you know that nobody has read it, revoke all privileges first.")));
	drop_objects(entry);
	release_entry_forget(entry->id);
}

/* ------------------------------------------------------------------- creates */

/*
 * Takes the place of an existing release, whose entry stays as that of a release
 * that was dropped, with all that it showed.  If the columns are the same, so is
 * the relation, with its grants, indexes and dependent objects.
 */
static Oid
take_place(Release *release, const char *id, const ReleaseEntry *replaced)
{
	Oid			relation = replaced->relation;

	if (replaced->form == release->form && has_columns_of(release, relation, true))
	{
		release_entry_retire(replaced->id);
		replace_rows(release, id, relation, release_entry_insert);
		/* nobody reads the old rows by a privilege that is granted now */
		release_entry_note_readers(replaced->id, readers_of(replaced, true));
		return relation;
	}
	LockRelationOid(relation, AccessExclusiveLock);
	release_entry_note_readers(replaced->id, readers_of(replaced, false));
	drop_objects(replaced);
	CommandCounterIncrement();
	ereport(NOTICE,
			(errmsg("release %s has other columns than before, and is a new relation", release->sql_name),
			 errdetail("Privileges, indexes and comments of the old one are gone.")));
	return InvalidOid;
}

Oid
release_create(Release *release)
{
	char	   *id = DatumGetCString(DirectFunctionCall1(uuid_out,
														 DirectFunctionCall1(gen_random_uuid, (Datum) 0)));
	ReleaseEntry *replaced = OidIsValid(release->replaced) ? release_lock_entry(release->replaced) : NULL;
	Oid			relation = InvalidOid;

	PushActiveSnapshot(GetTransactionSnapshot());
	read_release(release, NULL, false);
	if (replaced != NULL)
		relation = take_place(release, id, replaced);
	if (!OidIsValid(relation))
	{
		relation = make_relation(release, id);
		write_down(release, id, relation, release_entry_insert);
	}
	CreateComments(relation, RelationRelationId, 0, release_comment(release, id));
	PopActiveSnapshot();
	release_close(release);
	return relation;
}
