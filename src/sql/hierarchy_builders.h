/*
 * hierarchy_builders.h
 *	  Builds hierarchy tables from a description or from data.
 */
#ifndef ANONOPT_HIERARCHY_BUILDERS_H
#define ANONOPT_HIERARCHY_BUILDERS_H

#include "base/compat.h"

#include "access/htup_details.h"
#include "lib/stringinfo.h"

/* The most levels that fit into a table, whatever their labels. */
#define MOST_LEVELS (MaxTupleAttributeNumber / 2 - 1)

/* A hierarchy table while it is being built. */
typedef struct NewHierarchy
{
	char	   *relname;
	Oid			schema;
	char	   *sql_name;		/* qualified and quoted */
	int			height;
	bool		has_null_leaf;	/* which rules out a primary key */
	int			names_level;
} NewHierarchy;

/* The most leaves a builder writes, so that a typo does not fill a disk. */
#define MAX_LEAVES 10000000

/*
 * Begins a table with a name as in SQL; it must not exist.  Connects to SPI
 * and sets search_path to pg_catalog.
 */
extern NewHierarchy *hierarchy_table_begin(const char *name);

/* Creates it, empty, with leaves of a type and a number of levels above them. */
extern void hierarchy_table_create(NewHierarchy *table, const char *leaf_type, int height);

/*
 * Creates keys, revokes rights on a table built from data, and ends what was
 * begun; returns the table.
 */
extern Oid	hierarchy_table_finish(NewHierarchy *table, bool ranges, bool from_data);

/* A copy of an array with a lower bound of 1, as statements expect it. */
extern Datum array_from_one(Datum array);

/*
 * The elements of a one-dimensional array without nulls, otherwise an error;
 * returns their number.
 */
extern int	count_elements(Datum array, const char *name);

/* Evaluates a condition over parameters; SPI is connected. */
extern bool holds(const char *condition, int nargs, Oid *types, Datum *values);

/* Fails with 22023. */
extern void refuse_description(const char *message, const char *hint);

/* Fail with 22023 unless $1 to $2 are bounds for leaves $4 wide, and each of $3 a multiple of the one before. */
extern void check_bounds(Oid *types, Datum *values);
extern void check_widths(Oid *types, Datum *values);

/* A column as leaves: texts compared by their bytes, other types unchanged. */
typedef struct LeafColumn
{
	char	   *expression;		/* of r */
	Oid			type_oid;
	char	   *type;
	char	   *relation;
} LeafColumn;

extern LeafColumn leaf_column(Oid relation, const char *column);

/* An expression with the type of leaves, as text. */
extern const char *leaf_text(const LeafColumn *leaf, const char *expression);

/*
 * The leaves of a hierarchy of dates: days, ranges of one day for columns with
 * times, or ranges with open ends.
 */
typedef enum DateKind
{
	DATES_PLAIN,
	DATES_AS_RANGES,
	DATES_OPEN
} DateKind;

/*
 * The builders; name is that of the table.  Numbers and dates are SQL datums:
 * numeric, numeric[], date, text[].  A table with edges chosen by the data
 * counts as built from data, too.
 */
extern Oid	build_intervals(const char *name, Datum low, Datum high, Datum widths, bool from_data);
extern Oid	build_ranges(const char *name, Datum low, Datum high, Datum step, Datum widths, bool from_data);
extern Oid	build_dates(const char *name, Datum low, Datum high, Datum units, DateKind kind, bool from_data);
extern Oid	build_masks(const char *name, Oid relation, const char *column, const char *mask);

/*
 * Ranges between edges, with open ends; each level's edges are a subset of
 * those below.
 */
extern Oid	build_bins(const char *name, const Datum *edges, int nlevels);

/* Times of day: hours, then quarters of the day. */
extern Oid	build_hours(const char *name, Oid relation, const char *column);

/* E-mail addresses, then their domains. */
extern Oid	build_mails(const char *name, Oid relation, const char *column);

/*
 * Rare values become the label other or, if that is NULL, a label that is not
 * a value.
 */
extern Oid	build_frequencies(const char *name, Oid relation, const char *column, int64 minimum, const char *other);
extern Oid	build_flat(const char *name, Oid relation, const char *column);

#endif
