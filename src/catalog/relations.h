/*
 * relations.h
 *	  What the catalogs say of a relation: as a hierarchy, about unique rows, whether
 *	  it is distributed.
 */
#ifndef ANONOPT_RELATIONS_H
#define ANONOPT_RELATIONS_H

#include "base/compat.h"

#include "utils/relcache.h"

/* ------------------------- the shape of a hierarchy table, without its rows */

/*
 * Names of its columns, in order, and the base type of the first, which holds
 * the leaves.
 */
extern List *hierarchy_columns(Relation relation, Oid *leaf_type);

/* Base type of a hierarchy table's leaves. */
extern Oid	hierarchy_leaf_type(Oid relation);

/* Number of levels above the leaves. */
extern int	hierarchy_height(Oid relation);

/* ------------------------------------- whether a column's values are unique */

/*
 * Whether an index on a column alone is unique, valid, not partial and not
 * deferrable, and takes for equal what the column does; NULLs may repeat.
 */
extern bool index_keeps_unique(Relation relation, AttrNumber attnum);

/* Whether a relation's indexes guarantee that a column is unique and not null. */
extern bool column_is_unique(Oid relation, const char *column);

/* Fails with an SQLSTATE if two rows have the same value; SPI is connected. */
extern void require_unique(Oid relation, const char *column, int sqlstate, const char *hint);

/* --------------- relations whose rows an extension stores on other servers: */

/*
 * Whether a relation, or one that a view of it shows, is distributed.  Its
 * local indexes, triggers and ctids belong to an empty shell, and each shard
 * has its own snapshot.
 */
extern bool is_distributed(Oid relation);

#endif
