/*
 * release_indexes.c
 *	  Indexes of new rows, built while readers continue with the old rows.
 *
 * An index of the release and one of the new heap exchange their files, so the
 * index keeps its name, its constraint, its comment, its statistics targets,
 * and whether it is the replica identity or clustered.
 *
 * An index's expressions run functions, which may change anything that is not
 * in use.  So exchanged indexes are hidden only in the swap, when no such
 * function runs any more, and either all are exchanged or PostgreSQL builds them
 * all.  Copies are made from the catalogs, because a statement would name
 * functions, which others might give to their own meanwhile.
 */
#include "release/release_parts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "storage/lmgr.h"
#include "storage/predicate.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* An oidvector column of an index's row in pg_index. */
static Oid *
oids_of(Relation index, AttrNumber column)
{
	bool		isnull;
	Datum		value = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, column, &isnull);

	return ((oidvector *) DatumGetPointer(value))->values;
}

/* The storage parameters of an index; 0 if it has none. */
static Datum
parameters_of(Oid index)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
	bool		isnull;
	Datum		value = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_reloptions, &isnull);

	value = isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	ReleaseSysCache(tuple);
	return value;
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
	char	   *name = ChooseRelationName(RelationGetRelationName(heap), NULL, "index", RelationGetNamespace(heap), false);
	List	   *columns = NIL;
	Oid			copy;

	for (int i = 0; i < index->rd_att->natts; i++)
		columns = lappend(columns, pstrdup(NameStr(TupleDescAttr(index->rd_att, i)->attname)));
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		options[i] = get_attoptions(oid, i + 1);
	info->ii_ReadyForInserts = true;
	info->ii_Concurrent = false;
	copy = index_create(heap, name, InvalidOid, InvalidOid, InvalidOid, InvalidOid, info, columns, index->rd_rel->relam,
						index->rd_rel->reltablespace, oids_of(index, Anum_pg_index_indcollation), oids_of(index, Anum_pg_index_indclass),
						options, ((int2vector *) DatumGetPointer(order))->values, NULL, parameters_of(oid), 0, 0, true, true, NULL);
	index_close(index, NoLock);
	CommandCounterIncrement();
	return copy;
}

void
fresh_build_indexes(FreshRows *fresh)
{
	Relation	heap = table_open(fresh->heap, AccessExclusiveLock);

	fresh->indexes = list_copy(RelationGetIndexList(fresh->release));
	for (int i = 0; i < list_length(fresh->indexes); i++)
		fresh->copies = lappend_oid(fresh->copies, copy_index(heap, list_nth_oid(fresh->indexes, i)));
	table_close(heap, NoLock);
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

	CatalogTupleUpdate(catalog, &old_tuple->t_self, old_tuple);
	CatalogTupleUpdate(catalog, &fresh_tuple->t_self, fresh_tuple);
	table_close(catalog, RowExclusiveLock);
}

/*
 * Hides an index from the swap, which would build it again, or makes it valid
 * again.
 */
static void
set_live(Oid index, bool live)
{
	Relation	catalog = table_open(IndexRelationId, RowExclusiveLock);
	HeapTuple	tuple = SearchSysCacheCopy1(INDEXRELID, ObjectIdGetDatum(index));
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
	table_close(catalog, RowExclusiveLock);
}

static void
set_all_live(Oid relation, const List *indexes, bool live)
{
	ListCell   *cell;

	foreach(cell, indexes)
		set_live(lfirst_oid(cell), live);
	CacheInvalidateRelcacheByRelid(relation);
	CommandCounterIncrement();
}

/* Functions of indexes may have made or dropped some; then PostgreSQL builds all of them. */
bool
fresh_begin_swap(const FreshRows *fresh)
{
	if (fresh->indexes == NIL || !equal(RelationGetIndexList(fresh->release), fresh->indexes))
		return false;
	for (int i = 0; i < list_length(fresh->copies); i++)
		if (IndexGetRelation(list_nth_oid(fresh->copies, i), true) != fresh->heap)
			return false;
	for (int i = 0; i < list_length(fresh->indexes); i++)
		exchange_files(list_nth_oid(fresh->indexes, i), list_nth_oid(fresh->copies, i));
	set_all_live(RelationGetRelid(fresh->release), fresh->indexes, false);
	return true;
}

void
fresh_end_swap(const FreshRows *fresh)
{
	set_all_live(RelationGetRelid(fresh->release), fresh->indexes, true);
}
