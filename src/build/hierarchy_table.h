/*
 * hierarchy_table.h
 *	  A hierarchy table while it is built, for the builders.
 */
#ifndef ANONOPT_HIERARCHY_TABLE_H
#define ANONOPT_HIERARCHY_TABLE_H

#include "base/compat.h"

#include "access/htup_details.h"
#include "build/hierarchy_build.h"
#include "build/hierarchy_rule.h"
#include "catalog/sql.h"
#include "lib/stringinfo.h"
#include "utils/tuplestore.h"

/* The most levels that fit into a table, whatever their labels. */
#define MOST_LEVELS (MaxTupleAttributeNumber / 2 - 1)

/* The most leaves a builder writes, so that a typo does not fill a disk. */
#define MAX_LEAVES 10000000

/* Rows that a builder would write, while it is called to extend a hierarchy. */
typedef struct NewLeaves
{
	Oid			hierarchy;
	Oid			leaf_type;
	int			height;
	List	   *sources;		/* relations that the builder reads */
	TupleDesc	desc;			/* value, level1, level2 and so on */
	Tuplestorestate *rows;
} NewLeaves;

typedef struct NewHierarchy
{
	NewRelation made;
	NewLeaves  *leaves;			/* or the rows of a table that is extended */
	HierarchyRule rule;			/* if its builder has one */
	int			names_level;
	bool		from_data;		/* the table shows values, so it is its
								 * owner's */
	bool		has_ranges;		/* leaves that must not overlap */
	bool		has_null_leaf;	/* which rules out a primary key */
	int			height;
	StringInfoData labels;		/* expressions of the levels, after the leaf's */
	ParamListInfo params;		/* of its statements */
} NewHierarchy;

/*
 * Begins a table, which must not exist, or the rows of one.  Sets search_path to
 * pg_catalog.
 */
extern NewHierarchy *hierarchy_table_begin(BuildTarget target, bool from_data);

/* The number of levels that it must have because it is extended, or 0. */
extern int	hierarchy_levels_given(const NewHierarchy *table);

/* Adds a level above the last: an expression of its labels. */
extern void hierarchy_add_level(NewHierarchy *table, const char *label);

/*
 * Creates the table and its rows: an expression of leaves of a type, beside
 * those of the levels, over what follows FROM.  Then ends it.
 */
extern Oid	hierarchy_table_fill(NewHierarchy *table, const char *leaf_type, const char *leaf, const char *from);

/* Creates it, empty, with leaves of a type and its height. */
extern void hierarchy_table_create(NewHierarchy *table, const char *leaf_type);

/*
 * Creates keys, revokes rights on a table built from data, and ends what was
 * begun; returns the table.
 */
extern Oid	hierarchy_table_finish(NewHierarchy *table);

/* Evaluates a condition over the parameters. */
extern bool holds(const NewHierarchy *table, const char *condition);

/* Fails with 22023. */
pg_noreturn extern void refuse_description(const char *message, const char *hint);

/* Fails with 22023 unless a condition over the parameters holds. */
extern void require_description(const NewHierarchy *table, const char *condition, const char *message, const char *hint);

/* Adds an array as a parameter, with a lower bound of 1, as statements expect it. */
extern ParamListInfo add_array(ParamListInfo params, Oid type, Datum array);

#endif
