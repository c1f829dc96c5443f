/*
 * release_indexes.c
 *	  Indexes of new rows, built while readers continue with the old rows.
 *
 * An index of the release and one of the new heap exchange their files, so the
 * index keeps its name, its constraint, its comment, its statistics targets,
 * and whether it is the replica identity or clustered.
 *
 * An index's expressions run functions, which may change anything that is not
 * in use.  So the new heap is found by its OID for each index, and only in the
 * swap, when no such function runs any more, are indexes paired, by their
 * definitions.  Exchanged indexes are hidden while the heaps are swapped, and
 * would miss rows that somebody changed meanwhile.  So either all indexes are
 * exchanged or, if the owner could not create one of them, PostgreSQL builds
 * them all in the swap.
 */
#include "release/release_parts.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dataset_rights.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "storage/lmgr.h"
#include "storage/predicate.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* The columns of the query about each index, in order. */
typedef struct IndexText
{
	Oid			index;
	char	   *definition;		/* of an exclusion constraint: of that */
	char	   *prefix;			/* its beginning, up to the method; NULL for a
								 * constraint */
	char	   *tablespace;		/* or '' */
	bool		unique;
} IndexText;

static List *
find_indexes(Oid relation)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	MemoryContext context = CurrentMemoryContext;
	List	   *indexes = NIL;

	see_own_changes();
	sql_connect();
	sql_read("SELECT c.oid, pg_get_indexdef(c.oid),"
			 " format('CREATE %sINDEX %I ON %I.%I ', CASE WHEN i.indisunique THEN 'UNIQUE ' ELSE '' END, c.relname, n.nspname, r.relname),"
			 " coalesce(t.spcname, ''), i.indisunique, pg_get_constraintdef(x.oid)"
			 " FROM pg_index i LEFT JOIN pg_constraint x ON x.conindid = i.indexrelid AND x.conrelid = i.indrelid AND x.contype = 'x' JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class r ON r.oid = i.indrelid"
			 " JOIN pg_namespace n ON n.oid = r.relnamespace LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace"
			 " WHERE i.indrelid = $1 AND i.indislive AND i.indisexclusion = (x.oid IS NOT NULL)"
			 " AND has_schema_privilege(n.oid, 'CREATE') AND (t.oid IS NULL OR has_tablespace_privilege(t.oid, 'CREATE')) ORDER BY c.oid", 1, types, values);
	MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		IndexText  *found = palloc(sizeof(IndexText));
		bool		isnull;

		found->index = DatumGetObjectId(SPI_getbinval(row, desc, 1, &isnull));
		found->definition = SPI_getvalue(row, desc, 2);
		found->prefix = SPI_getvalue(row, desc, 3);
		found->tablespace = SPI_getvalue(row, desc, 4);
		found->unique = DatumGetBool(SPI_getbinval(row, desc, 5, &isnull));
		if (SPI_getvalue(row, desc, 6) != NULL)
		{
			found->definition = SPI_getvalue(row, desc, 6);
			found->prefix = NULL;
			indexes = lappend(indexes, found);
		}
		/* skip definitions in any other form */
		else if (strncmp(found->definition, found->prefix, strlen(found->prefix)) == 0)
			indexes = lappend(indexes, found);
	}
	sql_finish();
	PopActiveSnapshot();
	return indexes;
}

/* The indexes of a release, or none unless all can be built on the new heap. */
static List *
find_all_indexes(Relation release)
{
	List	   *indexes = find_indexes(RelationGetRelid(release));

	return list_length(indexes) == list_length(RelationGetIndexList(release)) ? indexes : NIL;
}

/* The definition after the name and the table. */
static const char *
method_of(const IndexText *index)
{
	return index->prefix == NULL ? index->definition : index->definition + strlen(index->prefix);
}

void
fresh_build_indexes(const FreshRows *fresh)
{
	int			level = NewGUCNestLevel();
	ListCell   *cell;

	foreach(cell, find_all_indexes(fresh->release))
	{
		IndexText  *old = lfirst(cell);

		(void) set_config_option("default_tablespace", old->tablespace, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
		release_run(old->prefix == NULL ? psprintf("ALTER TABLE %s ADD %s", relation_sql_name(fresh->heap), old->definition) :
					psprintf("CREATE %sINDEX ON %s %s", old->unique ? "UNIQUE " : "", relation_sql_name(fresh->heap), method_of(old)));
		CommandCounterIncrement();
	}
	AtEOXact_GUC(false, level);
}

static bool
same_definition(const IndexText *a, const IndexText *b)
{
	return a->unique == b->unique && (a->prefix == NULL) == (b->prefix == NULL) && strcmp(method_of(a), method_of(b)) == 0;
}

/* Finds an index with the same definition, and removes it from a list; NULL if there is none. */
static const IndexText *
take_same(List **indexes, const IndexText *wanted)
{
	ListCell   *cell;

	foreach(cell, *indexes)
	{
		IndexText  *index = lfirst(cell);

		if (same_definition(index, wanted))
		{
			*indexes = list_delete_cell(*indexes, cell);
			return index;
		}
	}
	return NULL;
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

List *
fresh_begin_swap(const FreshRows *fresh)
{
	List	   *built = find_indexes(fresh->heap);
	List	   *indexes = find_all_indexes(fresh->release);
	List	   *same = NIL;
	List	   *exchanged = NIL;

	for (int i = 0; i < list_length(indexes); i++)
	{
		same = lappend(same, unconstify(IndexText *, take_same(&built, list_nth(indexes, i))));
		if (llast(same) == NULL)
			return NIL;
	}
	for (int i = 0; i < list_length(indexes); i++)
	{
		Oid			index = ((IndexText *) list_nth(indexes, i))->index;

		exchange_files(index, ((IndexText *) list_nth(same, i))->index);
		exchanged = lappend_oid(exchanged, index);
	}
	if (exchanged != NIL)
		set_all_live(RelationGetRelid(fresh->release), exchanged, false);
	return exchanged;
}

void
fresh_end_swap(const FreshRows *fresh, const List *exchanged)
{
	if (exchanged != NIL)
		set_all_live(RelationGetRelid(fresh->release), exchanged, true);
}
