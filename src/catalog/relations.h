/*
 * relations.h
 *	  What the catalogs say of a relation: as a hierarchy, about unique rows, whether
 *	  it is distributed.
 */
#ifndef ANONOPT_RELATIONS_H
#define ANONOPT_RELATIONS_H

#include "base/compat.h"

#include "utils/relcache.h"

/* ------------------------------- whether and by whom a relation can be read */

/* The row type of an existing relation. */
extern Oid	row_type(Oid relation);

/* Whether it is a table or a view, and not one of PostgreSQL's own. */
extern bool relation_can_be_declared(Oid relation);

/*
 * Fails unless a relation exists and can be a data set's, a hierarchy, a table
 * of weights or a population.
 */
extern void require_rows(Oid relation);

/* Fails with 42501 unless the caller may read some column. */
extern void require_some_select(Oid relation);

/*
 * Fails with 42703 if a relation lacks a column, and with 42501 if the caller
 * may not read it.
 */
extern void require_readable_column(Oid relation, const char *column);

/* ------------------------- the shape of a hierarchy table, without its rows */

/*
 * Names of its columns, in order, and the base type of the first, which holds
 * the leaves.
 */
extern List *hierarchy_columns(Relation relation, Oid *leaf_type);

/* Base type of a hierarchy table's leaves, and number of levels above them. */
extern Oid	hierarchy_leaf_type(Oid relation);
extern int	hierarchy_height(Oid relation);

/* ------------------------------------- whether a column's values are unique */

/*
 * Whether an index on a column alone is unique, valid, not partial and not
 * deferrable, and takes for equal what the column does; NULLs may repeat.
 */
extern bool index_keeps_unique(Relation relation, AttrNumber attnum);

/* Whether a relation's indexes guarantee that a column is unique and not null. */
extern bool column_is_unique(Oid relation, const char *column);

/* --------------------------------- relations whose rows are on other servers */

/*
 * Whether a relation, or one that a view of it shows, is distributed.  Its
 * local indexes, triggers and ctids belong to an empty shell, and each shard
 * has its own snapshot.
 */
extern bool is_distributed(Oid relation);

/*
 * A table and its partitions or children, as far as they hold rows, in a fixed
 * order; and which of them are foreign tables.
 */
extern List *partitions_with_rows(Oid relation);
extern List *foreign_leaves(Oid relation);

/*
 * These relations, if reading them instead of a relation bypasses no
 * protection of it: the caller may select the named columns of each, and no
 * row security applies.  NIL otherwise.
 */
extern List *readable_leaves(Oid relation, const List *columns);

/*
 * What a column of foreign tables is grouped by: their server may have given a
 * text another type, whose values are equal where their texts are not.
 */
extern char *text_of_foreign(Oid type, const char *value);

/*
 * A statement that returns these columns and how many rows have their values,
 * in groups that foreign servers make, each of its own rows; NULL if a
 * relation's rows are here, or may only be read through it.  Sets which
 * relations are then read.
 */
extern char *grouped_elsewhere(Oid relation, const List *columns, List **relations);

/* A value of a relation's column, of a string type, as a text. */
extern char *column_text(Oid relation, Oid type, const char *value);

#endif
