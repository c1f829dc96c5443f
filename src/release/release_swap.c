/*
 * release_swap.c
 *	  Replaces the rows of an existing release.
 *
 * Rows are written into a new heap, indexed and analyzed while readers continue
 * with the old one; then the two are swapped.  Only the swap locks out readers, so it comes
 * last.  The relation keeps its OID, its grants and its dependent objects.
 */
#include "release/release.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/heap.h"
#include "catalog/index.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/typed_rows.h"
#include "commands/defrem.h"
#include "commands/matview.h"
#include "commands/tablecmds.h"
#include "release/hold_back.h"
#include "storage/lmgr.h"
#include "storage/predicate.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ------------------------------------------------------------------- indexes */

/*
 * They are built while readers continue with the old rows.  An index of the
 * release and one of the new heap exchange their files, so the index keeps its
 * name, its constraint, its comment, its statistics targets, and whether it is
 * the replica identity or clustered.
 *
 * An index's expressions run functions, which may change anything that is not
 * in use.  So exchanged indexes are hidden only in the swap, when no such
 * function runs any more, and either all are exchanged or PostgreSQL builds them
 * all.  Copies are made from the catalogs, because a statement would name
 * functions, which others might give to their own meanwhile.
 */

/* An oidvector column of an index's row in pg_index. */
static Oid *
oids_of(Relation index, AttrNumber column)
{
	bool		isnull;
	Datum		value = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, column, &isnull);

	return ((oidvector *) DatumGetPointer(value))->values;
}

/* Makes an index one of no constraint, because analyzing looks for the constraint. */
static void
forget_exclusion(Oid index)
{
	Relation	catalog = table_open(IndexRelationId, RowExclusiveLock);
	HeapTuple	tuple = SearchSysCacheCopy1(INDEXRELID, ObjectIdGetDatum(index));

	((Form_pg_index) GETSTRUCT(tuple))->indisexclusion = false;
	CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

/* Builds a copy of an index on the new heap, from what the catalogs hold, without any name. */
static Oid
copy_index(Relation heap, Oid oid)
{
	Relation	index = index_open(oid, AccessShareLock);
	IndexInfo  *info = BuildIndexInfo(index);
	Datum	   *options = palloc0(sizeof(Datum) * (index->rd_att->natts + 1));
	bool		isnull;
	Datum		order = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, Anum_pg_index_indoption, &isnull);
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	Datum		parameters = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_reloptions, &isnull);
	char	   *name = ChooseRelationName(RelationGetRelationName(heap), NULL, "index",
										  RelationGetNamespace(heap), false);
	List	   *columns = NIL;
	Oid			copy;

	parameters = isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM_COPY(parameters));
	ReleaseSysCache(tuple);
	for (int i = 0; i < index->rd_att->natts; i++)
		columns = lappend(columns, pstrdup(NameStr(TupleDescAttr(index->rd_att, i)->attname)));
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		options[i] = get_attoptions(oid, i + 1);
	info->ii_ReadyForInserts = true;
	info->ii_Concurrent = false;
	copy = index_create(heap, name, InvalidOid, InvalidOid, InvalidOid, InvalidOid, info, columns,
						index->rd_rel->relam,
						index->rd_rel->reltablespace, oids_of(index, Anum_pg_index_indcollation),
						oids_of(index, Anum_pg_index_indclass),
						options, ((int2vector *) DatumGetPointer(order))->values, NULL, parameters, 0, 0,
						true, true, NULL);
	index_close(index, NoLock);
	CommandCounterIncrement();
	if (info->ii_ExclusionOps != NULL)
		forget_exclusion(copy);
	return copy;
}

/* Gives a relation the planner's statistics of another. */
static void
take_statistics(Oid relation, Oid fresh)
{
	RemoveStatistics(relation, 0);
	CopyStatistics(fresh, relation);
}

/* Exchanges the files of two indexes, as PostgreSQL does for two heaps. */
static void
exchange_files(Oid old, Oid fresh)
{
	Relation	catalog = table_open(RelationRelationId, RowExclusiveLock);
	Relation	old_index = relation_open(old, AccessExclusiveLock);
	Relation	fresh_index = relation_open(fresh, AccessExclusiveLock);
	HeapTuple	old_tuple = SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(old));
	HeapTuple	fresh_tuple = SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(fresh));
	Form_pg_class a;
	Form_pg_class b;
	FormData_pg_class kept;

	if (!HeapTupleIsValid(old_tuple) || !HeapTupleIsValid(fresh_tuple))
		elog(ERROR, "an index is missing");
	a = (Form_pg_class) GETSTRUCT(old_tuple);
	b = (Form_pg_class) GETSTRUCT(fresh_tuple);
	kept = *a;
	a->relfilenode = b->relfilenode;
	a->reltablespace = b->reltablespace;
	a->relpages = b->relpages;
	a->reltuples = b->reltuples;
	a->relallvisible = b->relallvisible;
	b->relfilenode = kept.relfilenode;
	b->reltablespace = kept.reltablespace;

	TransferPredicateLocksToHeapRelation(old_index);
	fresh_index->rd_createSubid = old_index->rd_createSubid;
	fresh_index->rd_newRelfilelocatorSubid = old_index->rd_newRelfilelocatorSubid;
	fresh_index->rd_firstRelfilelocatorSubid = old_index->rd_firstRelfilelocatorSubid;
	RelationAssumeNewRelfilelocator(old_index);
	relation_close(old_index, NoLock);
	relation_close(fresh_index, NoLock);
	take_statistics(old, fresh);

	CatalogTupleUpdate(catalog, &old_tuple->t_self, old_tuple);
	CatalogTupleUpdate(catalog, &fresh_tuple->t_self, fresh_tuple);
	table_close(catalog, RowExclusiveLock);
}

/* Hides indexes from the swap, which would build them again, or makes them valid again. */
static void
set_live(Oid relation, const List *indexes, bool live)
{
	Relation	catalog = table_open(IndexRelationId, RowExclusiveLock);
	ListCell   *cell;

	foreach(cell, indexes)
	{
		HeapTuple	tuple = SearchSysCacheCopy1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index form;

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "an index is missing");
		form = (Form_pg_index) GETSTRUCT(tuple);
		form->indislive = live;
		if (live)
		{
			form->indisvalid = true;
			form->indisready = true;
			form->indcheckxmin = false;
		}
		CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
	}
	table_close(catalog, RowExclusiveLock);
	CacheInvalidateRelcacheByRelid(relation);
	CommandCounterIncrement();
}

/* --------------------------------------------------------------------- rows */

/*
 * Subscribers get nothing of a swap.  Deleting and inserting needs a replica
 * identity, and must not run triggers, rules or policies, which could keep old
 * rows.
 */
static bool
must_copy_rows(Relation release)
{
	if (release->rd_rel->relkind != RELKIND_RELATION ||
		!OidIsValid(find_now("SELECT t.relid FROM pg_publication p,"
							 " pg_get_publication_tables(p.pubname) t WHERE t.relid = $1 LIMIT 1",
							 RelationGetRelid(release))))
		return false;
	if ((OidIsValid(RelationGetReplicaIndex(release)) ||
		 release->rd_rel->relreplident == REPLICA_IDENTITY_FULL) &&
		release->trigdesc == NULL && release->rd_rules == NULL && !release->rd_rel->relrowsecurity)
		return true;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("subscribers of a publication do not get the new rows of release %s",
					relation_sql_name(RelationGetRelid(release))),
			 errdetail("It has no replica identity, or it has triggers, rules or row security."),
			 errhint("Add a primary key, or set REPLICA IDENTITY FULL; or copy the table to the subscribers again.")));
	return false;
}

static void
drop_heap(Oid oid)
{
	ObjectAddress heap;

	ObjectAddressSet(heap, RelationRelationId, oid);
	performDeletion(&heap, DROP_RESTRICT, PERFORM_DELETION_INTERNAL);
	CommandCounterIncrement();
}

FreshRows *
release_fresh_rows(Release *release, Oid relation)
{
	HeldBack   *held = release->held;
	FreshRows  *fresh = palloc0(sizeof(FreshRows));
	Relation	table;
	Form_pg_class form;
	Relation	heap;

	if (held != NULL)
		table_close(held->table, NoLock);
	table = table_open(relation, ExclusiveLock);
	form = table->rd_rel;
	CheckTableNotInUse(table, "refresh_release");

	/*
	 * a swap checks no constraint on the rows that it brings, and others may
	 * rely on one
	 */
	if (form->relispartition ||
		OidIsValid(find_now("SELECT $1 FROM pg_constraint WHERE contype IN ('c', 'f') AND (conrelid ="
							" $1 OR confrelid = $1) LIMIT 1", relation)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("release %s has constraints that refreshing would not check",
						relation_sql_name(relation)),
				 errhint("Drop its check constraints and the foreign keys of it and to it, and detach it if it is a partition.")));
	/* building its indexes runs their functions */
	require_trusted_relation(relation);
	fresh->release = table;
	if (held != NULL)
		held->table = table;
	while (held == NULL || !held_shows_last(held))
	{
		fresh->heap = make_new_heap(relation, form->reltablespace, form->relam, form->relpersistence,
									ExclusiveLock);
		release_write_rows(release, fresh->heap, true);
		if (held == NULL || held_rows_keep(held, fresh->heap))
			break;
		drop_heap(fresh->heap);
		fresh->heap = InvalidOid;
	}
	if (held != NULL)
	{
		spool_end(&release->spool);
		UnregisterSnapshot(held->snapshot);
	}
	if (!OidIsValid(fresh->heap))
	{
		table_close(table, NoLock);
		return NULL;
	}
	fresh->copied = must_copy_rows(table);
	if (fresh->copied)
		return fresh;
	fresh->indexes = list_copy(RelationGetIndexList(table));
	heap = table_open(fresh->heap, AccessExclusiveLock);
	for (int i = 0; i < list_length(fresh->indexes); i++)
		fresh->copies = lappend_oid(fresh->copies, copy_index(heap, list_nth_oid(fresh->indexes, i)));
	table_close(heap, NoLock);
	release_analyze(fresh->heap);
	take_statistics(relation, fresh->heap);
	return fresh;
}

void
release_analyze(Oid relation)
{
	sql_run(psprintf("ANALYZE %s", relation_sql_name(relation)), NULL);
}

/* Marks a materialized view as populated, since it may have been created WITH NO DATA. */
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
				 errmsg("columns of release %s have changed meanwhile",
						relation_sql_name(RelationGetRelid(fresh->release)))));
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

		(void) rows_change(psprintf("DELETE FROM ONLY %s", name), relations, NULL, NULL);
		(void) rows_change(psprintf("INSERT INTO %s SELECT * FROM %s", name,
									relation_sql_name(fresh->heap)), relations, NULL, NULL);
		drop_heap(fresh->heap);
		table_close(fresh->release, NoLock);
		release_analyze(relation);
		return;
	}
	LockRelationOid(relation, AccessExclusiveLock);
	/* functions of indexes may have left a cursor open */
	CheckTableNotInUse(fresh->release, "refresh_release");
	require_same_shape(fresh);
	release_mark_filled(relation);

	/*
	 * functions of indexes may have made or dropped some; then PostgreSQL
	 * builds all of them
	 */
	exchanged = fresh->indexes != NIL && equal(RelationGetIndexList(fresh->release), fresh->indexes);
	for (int i = 0; i < list_length(fresh->copies); i++)
		exchanged = exchanged && IndexGetRelation(list_nth_oid(fresh->copies, i), true) == fresh->heap;
	for (int i = 0; i < list_length(fresh->indexes) && exchanged; i++)
		exchange_files(list_nth_oid(fresh->indexes, i), list_nth_oid(fresh->copies, i));
	if (exchanged)
		set_live(relation, fresh->indexes, false);
	finish_heap_swap(relation, fresh->heap, false, false, true, true, true, RecentXmin, ReadNextMultiXactId(),
					 get_rel_persistence(relation));
	CommandCounterIncrement();
	if (exchanged)
		set_live(relation, fresh->indexes, true);
	table_close(fresh->release, NoLock);
	fresh->release = NULL;
}
