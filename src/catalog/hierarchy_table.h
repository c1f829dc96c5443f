/*
 * hierarchy_table.h
 *	  The shape of a hierarchy table, without its rows.
 */
#ifndef ANONOPT_HIERARCHY_TABLE_H
#define ANONOPT_HIERARCHY_TABLE_H

#include "base/compat.h"

#include "utils/relcache.h"

/*
 * Names of its columns, in order, and the base type of the first, which holds
 * the leaves.
 */
extern List *hierarchy_columns(Relation relation, Oid *leaf_type);

/* Base type of a hierarchy table's leaves. */
extern Oid	hierarchy_leaf_type(Oid relation);

/* Number of levels above the leaves. */
extern int	hierarchy_height(Oid relation);

#endif
