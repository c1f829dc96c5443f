/*
 * release_swap.c
 *	  Replaces the rows of an existing release.
 *
 * Rows are written into a new heap and indexed while readers continue with
 * the old one; then the two are swapped.  Only the swap locks out readers, so it comes
 * last.  The relation keeps its OID, its grants and its dependent objects.
 */
#include "release/release_parts.h"

#include "access/multixact.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dataset.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "commands/matview.h"
#include "commands/tablecmds.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* Rows that are swapped in bypass constraints, which others may rely on. */
static void
refuse_constraints(Relation table)
{
	if (table->rd_rel->relispartition ||
		rows_of_query("SELECT 1 FROM pg_constraint WHERE contype IN ('c', 'f') AND (conrelid = $1 OR confrelid = $1) LIMIT 1", NIL,
					  add_oid(NULL, RelationGetRelid(table)), NULL, 0, NULL)->n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("release %s has constraints that refreshing would not check", relation_sql_name(RelationGetRelid(table))),
				 errhint("Drop its check constraints and the foreign keys of it and to it, and detach it if it is a partition.")));
}

/* Whether a publication has a table. */
static bool
is_published(Oid relation)
{
	bool		found;

	see_own_changes();
	found = rows_of_query("SELECT FROM pg_publication p, pg_get_publication_tables(p.pubname) t WHERE t.relid = $1 LIMIT 1", NIL,
						  add_oid(NULL, relation), NULL, 0, NULL)->n > 0;
	PopActiveSnapshot();
	return found;
}

/*
 * Subscribers get nothing of a swap.  Deleting and inserting needs a replica
 * identity, and must not run triggers, rules or policies, which could keep old
 * rows.
 */
static bool
must_copy_rows(Relation release)
{
	if (release->rd_rel->relkind != RELKIND_RELATION || !is_published(RelationGetRelid(release)))
		return false;
	if ((OidIsValid(RelationGetReplicaIndex(release)) || release->rd_rel->relreplident == REPLICA_IDENTITY_FULL) &&
		release->trigdesc == NULL && release->rd_rules == NULL && !release->rd_rel->relrowsecurity)
		return true;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("subscribers of a publication do not get the new rows of release %s", relation_sql_name(RelationGetRelid(release))),
			 errdetail("It has no replica identity, or it has triggers, rules or row security."),
			 errhint("Add a primary key, or set REPLICA IDENTITY FULL; or copy the table to the subscribers again.")));
	return false;
}

FreshRows *
release_fresh_rows(Release *release, Oid relation)
{
	Relation	table = table_open(relation, ExclusiveLock);
	Oid			tablespace = table->rd_rel->reltablespace;
	Oid			access_method = table->rd_rel->relam;
	char		persistence = table->rd_rel->relpersistence;
	FreshRows  *fresh = palloc0(sizeof(FreshRows));

	CheckTableNotInUse(table, "refresh_release");
	refuse_constraints(table);
	/* building its indexes runs their functions */
	require_trusted_relation(relation);
	fresh->release = table;
	fresh->heap = make_new_heap(relation, tablespace, access_method, persistence, ExclusiveLock);
	release_write_rows(release, fresh->heap, true);
	fresh->copied = must_copy_rows(table);
	if (!fresh->copied)
		fresh_build_indexes(fresh);
	return fresh;
}

/*
 * Marks a materialized view as populated, since it may have been created WITH
 * NO DATA.
 */
void
release_mark_filled(Oid relation)
{
	Relation	view = table_open(relation, AccessExclusiveLock);

	if (view->rd_rel->relkind == RELKIND_MATVIEW && !RelationIsPopulated(view))
		SetMatViewPopulatedState(view, true);
	table_close(view, NoLock);
	CommandCounterIncrement();
}

/* Fails if the new heap is not shaped like the release. */
static void
require_same_shape(const FreshRows *fresh)
{
	Relation	heap = table_open(fresh->heap, AccessExclusiveLock);
	TupleDesc	wanted = RelationGetDescr(fresh->release);
	TupleDesc	made = RelationGetDescr(heap);
	bool		same = wanted->natts == made->natts;

	for (int i = 0; i < wanted->natts && same; i++)
		same = TupleDescAttr(wanted, i)->atttypid == TupleDescAttr(made, i)->atttypid &&
			TupleDescAttr(wanted, i)->attisdropped == TupleDescAttr(made, i)->attisdropped;
	table_close(heap, NoLock);
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("columns of release %s have changed meanwhile", relation_sql_name(RelationGetRelid(fresh->release)))));
}

void
release_swap_rows(FreshRows *fresh)
{
	Oid			relation = RelationGetRelid(fresh->release);
	bool		exchanged;

	if (fresh->copied)
	{
		const char *name = relation_sql_name(relation);
		List	   *relations = list_make2_oid(relation, fresh->heap);
		ObjectAddress heap;

		(void) rows_change(psprintf("DELETE FROM ONLY %s", name), relations, NULL, NULL);
		(void) rows_change(psprintf("INSERT INTO %s SELECT * FROM %s", name, relation_sql_name(fresh->heap)), relations, NULL, NULL);
		ObjectAddressSet(heap, RelationRelationId, fresh->heap);
		performDeletion(&heap, DROP_RESTRICT, PERFORM_DELETION_INTERNAL);
		table_close(fresh->release, NoLock);
		return;
	}
	LockRelationOid(relation, AccessExclusiveLock);
	/* functions of indexes may have left a cursor open */
	CheckTableNotInUse(fresh->release, "refresh_release");
	require_same_shape(fresh);
	release_mark_filled(relation);
	exchanged = fresh_begin_swap(fresh);
	finish_heap_swap(relation, fresh->heap, false, false, true, true, true, RecentXmin, ReadNextMultiXactId(),
					 get_rel_persistence(relation));
	CommandCounterIncrement();
	if (exchanged)
		fresh_end_swap(fresh);
	table_close(fresh->release, NoLock);
	fresh->release = NULL;
}
