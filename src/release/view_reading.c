/*
 * view_reading.c
 *	  SQL: released_rows, from which views get their rows.
 *
 * The query of a materialized view calls this function, so that REFRESH
 * MATERIALIZED VIEW, and pg_restore with it, reads, measures, checks and
 * records as refresh_release does.  A live view calls it at every reading.
 */
#include "release/release.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/own_objects.h"
#include "catalog/pg_class.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ------------------------------------------------------------- live views */

/*
 * The source is read and measured as for publishing, and what keeps the promise
 * now is shown.  The reader must not learn of other rows: those with a value
 * without a leaf, or with a tuple that a recoding lacks, are left out without a
 * word, and no number of people is an error.
 */

static void
refuse_source(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("the source of a live release has changed"),
			 errdetail("A relation that it reads, or the type of a column, is another one than when it was published."),
			 errhint("Its owner can adopt the change: see anonopt.republish.")));
}

/*
 * Fails unless the data and the populations are still plain tables, with types
 * that nobody else can give casts of their own.
 */
static void
check_sources(const Release *release)
{
	const Dataset *dataset = release->dataset;
	ListCell   *cell;

	if (dataset->person != NULL)
		refuse_source();
	foreach(cell, live_sources(release))
	{
		Relation	source = lfirst(cell);
		Oid			relation = RelationGetRelid(source);

		if (!is_plain_source(source) || source->rd_rel->relrowsecurity || source->rd_rel->relforcerowsecurity)
			refuse_source();
		for (int i = 0; i < dataset->nattributes; i++)
		{
			Oid			type = column_type(relation, dataset->attributes[i].column);

			if (is_read_live(dataset, i, relation) && OidIsValid(type) && !type_is_trusted(type))
				refuse_source();
		}
	}
}

/*
 * Fails if somebody has changed a relation since the snapshot was taken, while
 * we waited for it: rows that were written anew would not be seen.
 */
static void
require_seen(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	TransactionId writer;

	if (!HeapTupleIsValid(tuple))
		relation_is_missing(relation);
	writer = HeapTupleHeaderGetXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	if (TransactionIdIsNormal(writer) && !TransactionIdIsCurrentTransactionId(writer) &&
		XidInMVCCSnapshot(writer, GetActiveSnapshot()))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("relation %s was altered meanwhile", relation_sql_name(relation)),
				 errhint("Read again.")));
}

/* Returns what a live view shows now. */
static void
read_live(Oid view, TupleDesc desc, Tuplestorestate *rows)
{
	ReleaseEntry *entry = release_entry_require(view);
	Release    *release;
	List	   *hierarchies;
	List	   *relations = NIL;
	ListCell   *cell;

	require_release_owner(view);

	/*
	 * whoever may still call a function that the view no longer reads learns
	 * no more
	 */
	if (entry->form != RELEASE_LIVE_VIEW || !OidIsValid(rows_function(view)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the live release has been dropped")));
	release = release_of_entry(entry);
	/* the declaration must name the same relations */
	hierarchies = release_hierarchies(release->dataset);
	if (release->dataset->relation != entry->source || entry->nhierarchies != list_length(hierarchies))
		refuse_source();
	for (int i = 0; i < entry->nhierarchies; i++)
		if (entry->hierarchies[i] != list_nth_oid(hierarchies, i))
			refuse_source();
	require_same_columns(release, entry, false);
	release_check(release);
	check_sources(release);
	foreach(cell, live_sources(release))
		require_seen(RelationGetRelid((Relation) lfirst(cell)));
	foreach(cell, release->opened)
		relations = list_append_unique_oid(relations, RelationGetRelid((Relation) lfirst(cell)));
	/* a reader could change what is shown, unless it may read the data anyway */
	if (pg_class_aclcheck(entry->source, GetSessionUserId(), ACL_SELECT) != ACLCHECK_OK &&
		may_be_written(relations, false))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may write the source of a live release, so it may not read it",
						GetUserNameFromId(GetSessionUserId(), false)),
				 errdetail("Rows that a reader adds, changes or deletes could expose a class of one person. Writing a parent, a referenced table or a view counts, too.")));
	release_read_shown(release);
	if (release->classes != NULL)
		release_return_rows(release, desc, rows);
	release_close(release);
}

/* --------------------------------------------------------------- the function */

static void
refuse_call(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("released_rows can only be called by the view of a release"),
			 errdetail("A live view calls it when it is read, and a materialized view when it is filled."),
			 errhint("Call anonopt.refresh_release; or publish a view again that has lost the comment with its id.")));
}

/*
 * Fails unless this session has locked the release against others who fill or
 * refresh it, as it does to fill it; and unless its owner, or
 * who may act as the owner, asks: others could learn from errors, and choose
 * anonopt.composition.
 */
static void
require_filling(Oid relation)
{
	Relation	rel;
	bool		is_locked;

	PreventCommandIfReadOnly("released_rows()");
	if (!InSecurityRestrictedOperation())
		refuse_call();
	rel = relation_open_existing(relation);
	is_locked = CheckRelationLockedByMe(rel, ExclusiveLock, true);

	relation_close(rel, NoLock);
	if (!is_locked)
		refuse_call();
	if (!has_privs_of_role(GetOuterUserId(), GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of release %s", relation_sql_name(relation))));
}

OWN_FUNCTION(anonopt_released_rows)
{
	ReturnSetInfo *result = begin_named_rows(fcinfo, "released_rows");
	Oid			relation;
	int			settings;

	relation = release_by_id(PG_GETARG_DATUM(0));
	if (!OidIsValid(relation) && !InSecurityRestrictedOperation())
		refuse_call();
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no release with id %s",
						DatumGetCString(DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(0)))),
				 errdetail("Its entry is gone, or its relation has lost the comment that names it."),
				 errhint("If a restore has yet to fill the tables of anonopt, call anonopt.refresh_release after that; otherwise drop the view, and publish it again.")));
	if (get_rel_relkind(relation) != RELKIND_VIEW)
		require_filling(relation);
	settings = release_settings_begin();
	if (get_rel_relkind(relation) == RELKIND_VIEW)
		read_live(relation, result->setDesc, result->setResult);
	else
		release_fill(relation, result->setDesc, result->setResult);
	release_settings_end(settings);
	return (Datum) 0;
}
