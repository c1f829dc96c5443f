/*
 * live_rows.c
 *	  Reads the rows of a live view.
 *
 * The source is read and measured as for publishing, and what keeps the promise
 * now is shown.  The reader must not learn of other rows: those with a value
 * without a leaf, or with a tuple that a recoding lacks, are left out without a
 * word, and no number of people is an error.
 */
#include "release/release_parts.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/sql.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "catalog/trusted_code.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

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
 * Fails if the reader, in any role that it can assume, may write one of the
 * relations, unless it may read the data.
 */
static void
check_reader(Oid source, const List *relations)
{
	Oid			types[2] = {OIDOID, OIDARRAYOID};
	Datum		arguments[2] = {ObjectIdGetDatum(source), oids_datum(relations, OIDOID)};
	bool		isnull;
	bool		may_write;

	sql_connect();
	sql_read("SELECT NOT pg_catalog.has_table_privilege(session_user, $1, 'SELECT') AND EXISTS (" WRITABLE_CLOSURE("$2")
			 " SELECT FROM pg_catalog.pg_roles o CROSS JOIN writable WHERE pg_catalog.pg_has_role(session_user, o.oid, 'MEMBER')"
			 " AND " MAY_WRITE("o.oid") ")", 2, types, arguments);
	may_write = DatumGetBool(sql_value(1, BOOLOID, &isnull)) && !isnull;
	sql_finish();
	if (may_write)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may write the source of a live release, so it may not read it",
						GetUserNameFromId(GetSessionUserId(), false)),
				 errdetail("Rows that a reader adds, changes or deletes could expose a class of one person. Writing a parent, a referenced table or a view counts, too.")));
}

/* Fails if the declaration names other relations than when it was published. */
static void
check_declaration(const Release *release, const ReleaseEntry *entry)
{
	List	   *now = release_hierarchies(release->spec.dataset);

	if (release->spec.dataset->relation != entry->source || entry->nhierarchies != list_length(now))
		refuse_source();
	for (int i = 0; i < entry->nhierarchies; i++)
		if (entry->hierarchies[i] != list_nth_oid(now, i))
			refuse_source();
}

/* Whether a relation is a plain table all of whose rows are read. */
static bool
is_plain_source(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	FormData_pg_class class;

	if (!HeapTupleIsValid(tuple))
		return false;
	class = *(Form_pg_class) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	return class.relkind == RELKIND_RELATION && !class.relrowsecurity && !class.relforcerowsecurity &&
		find_inheritance_children(relation, NoLock) == NIL;
}

/*
 * Fails unless the data and the populations are still plain tables, with types
 * that nobody else can give casts of their own.
 */
static void
check_sources(const Release *release)
{
	const Dataset *dataset = release->spec.dataset;
	ListCell   *cell;

	if (dataset->person != NULL)
		refuse_source();
	foreach(cell, live_sources(release))
		for (int i = 0; i < dataset->nattributes; i++)
	{
		Oid			relation = lfirst_oid(cell);
		Oid			type = column_type(relation, dataset->attributes[i].column);

		if (!is_plain_source(relation) || (is_read_live(dataset, i, relation) && OidIsValid(type) && !type_is_trusted(type)))
			refuse_source();
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
	if (TransactionIdIsNormal(writer) && !TransactionIdIsCurrentTransactionId(writer) && XidInMVCCSnapshot(writer, GetActiveSnapshot()))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("relation %s was altered meanwhile", relation_sql_name(relation)),
				 errhint("Read again.")));
}

/* The relations whose writers could change what is shown. */
static List *
relations_read(const Release *release)
{
	List	   *relations = NIL;
	ListCell   *cell;

	foreach(cell, release->opened)
		relations = list_append_unique_oid(relations, RelationGetRelid((Relation) lfirst(cell)));
	return relations;
}

void
release_read_live(Oid view, TupleDesc desc, Tuplestorestate *rows)
{
	ReleaseEntry *entry = release_entry_require(view);
	Release    *release;
	ListCell   *cell;

	require_release_owner(view);

	/*
	 * whoever may still call a function that the view no longer reads learns
	 * no more
	 */
	if (entry->form != RELEASE_LIVE_VIEW || !OidIsValid(rows_function(view)))
		refuse_dropped();
	release = release_of_entry(entry);
	check_declaration(release, entry);
	release_check(release);
	check_sources(release);
	foreach(cell, live_sources(release))
		require_seen(lfirst_oid(cell));
	check_reader(entry->source, relations_read(release));
	release_read_shown(release);
	if (release->classes != NULL)
		release_return_rows(release, desc, rows);
	release_close(release);
}
