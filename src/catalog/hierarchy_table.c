/*
 * hierarchy_table.c
 *	  The shape of a hierarchy table, without its rows.
 */
#include "catalog/hierarchy_table.h"

#include "access/relation.h"
#include "catalog/sql.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

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
