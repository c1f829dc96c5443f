/*
 * relations.c
 *	  What the catalogs say of a relation.
 */
#include "catalog/relations.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/sql.h"
#include "catalog/trusted_code.h"
#include "catalog/type_match.h"
#include "catalog/typed_rows.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/typcache.h"

/* ------------------------------- whether and by whom a relation can be read */

Oid
row_type(Oid relation)
{
	(void) relation_owner(relation);
	return get_rel_type_id(relation);
}

void
require_some_select(Oid relation)
{
	if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(relation, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relation)), get_rel_name(relation));
}

bool
relation_can_be_declared(Oid relation)
{
	/* not a system catalog: waiting for a data set must not block logins */
	if (relation < FirstNormalObjectId)
		return false;
	switch (get_rel_relkind(relation))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
			return true;
		default:
			return false;
	}
}

void
require_rows(Oid relation)
{
	(void) row_type(relation);
	if (relation_can_be_declared(relation))
		return;
	if (relation < FirstNormalObjectId)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s belongs to PostgreSQL itself", relation_sql_name(relation)),
				 errhint("Copy the rows you need into a table.")));
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("%s cannot be selected from", relation_sql_name(relation)),
			 errhint("Name a table, a view, a materialized view or a foreign table.")));
}

void
require_readable_column(Oid relation, const char *column)
{
	require_column(relation, column);
	require_columns_select(relation, list_make1_int(get_attnum(relation, column)));
}

/* ------------------------- the shape of a hierarchy table, without its rows */

List *
hierarchy_columns(Relation relation, Oid *leaf_type)
{
	List	   *columns = live_columns(relation);
	List	   *names = NIL;
	ListCell   *cell;

	if (columns == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("hierarchy %s has no columns", relation_sql_name(RelationGetRelid(relation))),
				 errhint("The first column holds the values, and each further column the labels one level higher.")));
	*leaf_type = getBaseType(((Form_pg_attribute) linitial(columns))->atttypid);
	foreach(cell, columns)
		names = lappend(names, pstrdup(NameStr(((Form_pg_attribute) lfirst(cell))->attname)));
	return names;
}

Oid
hierarchy_leaf_type(Oid relation)
{
	Relation	rel = relation_open_existing(relation);
	Oid			type;

	(void) hierarchy_columns(rel, &type);
	relation_close(rel, AccessShareLock);
	return type;
}

int
hierarchy_height(Oid relation)
{
	Relation	rel = relation_open_existing(relation);
	Oid			type;
	int			height = list_length(hierarchy_columns(rel, &type)) - 1;

	relation_close(rel, AccessShareLock);
	return height;
}

/* ------------------------------------- whether a column's values are unique */

/*
 * Whether values that are equal for a column are equal for an index over it.
 * An index with a finer equality, by its operator class or because its
 * collation distinguishes texts that the column's takes for one, allows what
 * is twice the same value.
 */
static bool
is_as_coarse(Relation index, Form_pg_attribute column)
{
	Oid			equality = lookup_type_cache(getBaseType(column->atttypid), TYPECACHE_EQ_OPR)->eq_opr;
	Oid			collation = column->attcollation;

	return OidIsValid(equality) && op_in_opfamily(equality, index->rd_opfamily[0]) &&
		(!OidIsValid(collation) || get_collation_isdeterministic(collation) || collation == index->rd_indcollation[0]);
}

bool
index_keeps_unique(Relation relation, AttrNumber attnum)
{
	List	   *indexes = RelationGetIndexList(relation);
	bool		found = false;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);
		Form_pg_index form = index->rd_index;

		found = found || (form->indisunique && form->indisvalid && form->indimmediate &&
						  form->indnkeyatts == 1 && form->indkey.values[0] == attnum &&
						  heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) &&
						  is_as_coarse(index, TupleDescAttr(RelationGetDescr(relation), attnum - 1)));
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

bool
column_is_unique(Oid relation, const char *column)
{
	Relation	rel = relation_open_existing(relation);
	AttrNumber	attnum = get_attnum(relation, column);
	bool		found;

	/*
	 * An index does not cover the rows of children, and one of a distributed
	 * relation is unique within each shard at best.  The statement reports a
	 * missing column.
	 */
	found = attnum > 0 && TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attnotnull &&
		(!rel->rd_rel->relhassubclass || rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) &&
		index_keeps_unique(rel, attnum);
	relation_close(rel, AccessShareLock);
	return found && !is_distributed(relation);
}

/* --------------------------------- relations whose rows are on other servers */

/* Citus lists its tables in a catalog of its own. */
bool
is_distributed(Oid relation)
{
	Oid			partitions = get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE);

	return OidIsValid(partitions) &&
		rows_of_query(RELATIONS_READ "SELECT 1 FROM read JOIN pg_catalog.pg_dist_partition p"
					  " ON p.logicalrelid OPERATOR(pg_catalog.=) read.relation LIMIT 1",
					  list_make1_oid(partitions), add_oid(NULL, relation), NULL, 0, NULL)->n > 0;
}

/*
 * Citus fetches a column that is only relabelled in a subquery under its own
 * type, and then refuses it.
 */
char *
column_text(Oid relation, Oid type, const char *value)
{
	return sql_as(type == VARCHAROID && is_distributed(relation) ? "(%v OPERATOR(pg_catalog.||) '')" : text_form(type), value);
}

List *
partitions_with_rows(Oid relation)
{
	List	   *leaves = NIL;
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relation, AccessShareLock, NULL))
		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_PARTITIONED_TABLE)
		leaves = lappend_oid(leaves, lfirst_oid(cell));
	return leaves;
}

List *
foreign_leaves(Oid relation)
{
	List	   *foreign = NIL;
	ListCell   *cell;

	foreach(cell, partitions_with_rows(relation))
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
		foreign = lappend_oid(foreign, lfirst_oid(cell));
	return foreign;
}

List *
readable_leaves(Oid relation, const List *columns)
{
	List	   *leaves = partitions_with_rows(relation);
	ListCell   *leaf;
	ListCell   *cell;

	foreach(leaf, lcons_oid(relation, list_copy(leaves)))
	{
		List	   *numbers = NIL;

		foreach(cell, columns)
			numbers = lappend_int(numbers, get_attnum(lfirst_oid(leaf), lfirst(cell)));
		/* rows are only counted without columns */
		if (check_enable_rls(lfirst_oid(leaf), InvalidOid, true) == RLS_ENABLED || !may_select(lfirst_oid(leaf), numbers) ||
			(columns == NIL && pg_class_aclcheck(lfirst_oid(leaf), GetUserId(), ACL_SELECT) != ACLCHECK_OK))
			return NIL;
	}
	return leaves;
}

char *
text_of_foreign(Oid type, const char *value)
{
	return type == TEXTOID || type == VARCHAROID ? psprintf("(%s OPERATOR(pg_catalog.||) '')", value) : pstrdup(value);
}

char *
grouped_elsewhere(Oid relation, const List *columns, List **relations)
{
	List	   *leaves = foreign_leaves(relation) == NIL ? NIL : readable_leaves(relation, columns);
	const char *before = "";
	StringInfoData sql;
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&sql);
	initStringInfo(&names);
	*relations = leaves == NIL ? list_make1_oid(relation) : leaves;
	foreach(cell, columns)
		appendStringInfo(&names, "%s, ", text_of_foreign(column_type(relation, lfirst(cell)),
														 psprintf("r.%s", quote_identifier(lfirst(cell)))));
	foreach(cell, leaves)
	{
		appendStringInfo(&sql, "%sSELECT %spg_catalog.count(*) FROM %s%s r", before, names.data,
						 has_subclass(lfirst_oid(cell)) ? "ONLY " : "", relation_sql_name(lfirst_oid(cell)));
		if (columns != NIL)
			appendStringInfo(&sql, " GROUP BY %.*s", names.len - 2, names.data);
		before = " UNION ALL ";
	}
	return leaves == NIL ? NULL : sql.data;
}
