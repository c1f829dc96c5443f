/*
 * hierarchy_table.h
 *	  A hierarchy table while it is built, for the builders.
 */
#ifndef ANONOPT_HIERARCHY_TABLE_H
#define ANONOPT_HIERARCHY_TABLE_H

#include "base/compat.h"

#include "access/htup_details.h"
#include "build/hierarchy_build.h"
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
	HierarchyRule rule;
	int			levels_given;	/* because it is extended, or 0 */
	int			names_level;
	bool		has_ranges;		/* leaves that must not overlap */
	bool		has_null_leaf;	/* which rules out a primary key */
	int			height;
	StringInfoData labels;		/* expressions of the levels, after the leaf's */
	ParamListInfo params;		/* of its statements */
} NewHierarchy;

/* ------------------------------------------------------------------ builders */

/* Where values without a leaf are to be expected. */
typedef enum NewValues
{
	VALUES_NOWHERE,				/* every value has a leaf */
	VALUES_BEYOND,				/* beyond the bounds, of numbers or days */
	VALUES_ANYWHERE				/* in the source */
} NewValues;

/* A builder adds levels for its rule, and fills the table. */
typedef struct HierarchyBuilder
{
	const char *name;
	void		(*build) (NewHierarchy *table);
	NewValues	new_values;
	int			needs;			/* arguments that must not be null */
} HierarchyBuilder;

extern const HierarchyBuilder hierarchy_builders[BUILDERS];

extern void build_numbers(NewHierarchy *table);
extern void build_coded(NewHierarchy *table);
extern void build_rounded(NewHierarchy *table);
extern void build_bins(NewHierarchy *table);
extern void build_dates(NewHierarchy *table);
extern void build_flat(NewHierarchy *table);
extern void build_mails(NewHierarchy *table);
extern void build_masks(NewHierarchy *table);
extern void build_quantiles(NewHierarchy *table);
extern void build_frequencies(NewHierarchy *table);
extern void build_prefixes(NewHierarchy *table);
extern void build_codes(NewHierarchy *table);
extern void build_addresses(NewHierarchy *table);
extern void build_hours(NewHierarchy *table);
extern void build_tree(NewHierarchy *table);

/* The first or last day of the widest unit that contains a day, in SQL. */
extern char *unit_end(Datum units, const char *day, bool last);

/* --------------------------------------------------------------------- rules */

/* Has a builder collect the rows that it would write. */
extern void hierarchy_rows_collect(NewLeaves *leaves, const HierarchyRule *rule);

/*
 * Reads the rule of a hierarchy, and checks that the table's mark proves it, and
 * what builders do not check.  Returns false if there is none; one that is not
 * sound is an error, or none.
 */
extern bool hierarchy_rule_read(Oid hierarchy, HierarchyRule *rule, bool fails);

/* -------------------------------------------------------------------- tables */

/* Begins a table, which must not exist.  Sets search_path to pg_catalog. */
extern NewHierarchy *hierarchy_table_begin(const char *name);

/* Adds a level above the last: an expression of its labels. */
extern void hierarchy_add_level(NewHierarchy *table, const char *label);

/*
 * Creates the table and its rows: an expression of leaves of a type, beside
 * those of the levels, over what follows FROM.
 */
extern void hierarchy_table_fill(NewHierarchy *table, const char *leaf_type, const char *leaf, const char *from);

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
