/*
 * hierarchy_builders.h
 *	  Hierarchy tables made from a description or from data.
 */
#ifndef ANONOPT_HIERARCHY_BUILDERS_H
#define ANONOPT_HIERARCHY_BUILDERS_H

#include "base/compat.h"

#include "access/htup_details.h"
#include "lib/stringinfo.h"

/* So many levels a table has room for, whatever their labels. */
#define MOST_LEVELS (MaxTupleAttributeNumber / 2 - 1)

/* A hierarchy table while it is being made. */
typedef struct NewHierarchy
{
	char	   *relname;
	Oid			schema;
	char	   *sql_name;		/* qualified and quoted */
	int			height;
	bool		has_null_leaf;	/* so that no primary key is possible */
	int			names_level;
} NewHierarchy;

/* A builder makes at most this many leaves: a typing error must not fill a disk. */
#define MAX_LEAVES 10000000

/* Begins a table named as in SQL; it must not exist.  Connects to SPI, search_path is pg_catalog. */
extern NewHierarchy *hierarchy_table_begin(const char *name);

/* Creates it, empty, with leaves of a type and so many levels above them. */
extern void hierarchy_table_create(NewHierarchy *table, const char *leaf_type, int height);

/* Makes keys, keeps what is from data to the owner, and ends what was begun; returns the table. */
extern Oid	hierarchy_table_finish(NewHierarchy *table, bool ranges, bool from_data);

/* An array whose first element has the number 1, as statements name it. */
extern Datum array_from_one(Datum array);

/* Elements of a one-dimensional array without nulls, else an error; their number. */
extern int	count_elements(Datum array, const char *name);

/* Evaluates a condition over parameters; SPI is connected. */
extern bool holds(const char *condition, int nargs, Oid *types, Datum *values);

/* Fails with 22023. */
extern void refuse_description(const char *message, const char *hint);

/* Fail with 22023 unless $1 to $2 are bounds for leaves $4 wide, and each of $3 a multiple of the one before. */
extern void check_bounds(Oid *types, Datum *values);
extern void check_widths(Oid *types, Datum *values);

/* A column as leaves: texts by their bytes, everything else as it is. */
typedef struct LeafColumn
{
	char	   *expression;		/* of r */
	Oid			type_oid;
	char	   *type;
	char	   *relation;
} LeafColumn;

extern LeafColumn leaf_column(Oid relation, const char *column);

/* An expression of a leaf's type as text. */
extern const char *leaf_text(const LeafColumn *leaf, const char *expression);

/* Leaves of a hierarchy of dates: days, ranges of one day for what holds times too, or these with open ends. */
typedef enum DateKind
{
	DATES_PLAIN,
	DATES_AS_RANGES,
	DATES_OPEN
} DateKind;

/*
 * The builders; name is the table's.  Numbers and dates are given as SQL
 * datums: numeric, numeric[], date, text[].  What was chosen by what the data
 * hold is from data, too.
 */
extern Oid	build_intervals(const char *name, Datum low, Datum high, Datum widths, bool from_data);
extern Oid	build_ranges(const char *name, Datum low, Datum high, Datum step, Datum widths, bool from_data);
extern Oid	build_dates(const char *name, Datum low, Datum high, Datum units, DateKind kind, bool from_data);
extern Oid	build_masks(const char *name, Oid relation, const char *column, const char *mask);

/* Ranges between edges and with open ends; each level's edges are among those below. */
extern Oid	build_bins(const char *name, const Datum *edges, int nlevels);

/* Times of day: hours, then quarters of the day. */
extern Oid	build_hours(const char *name, Oid relation, const char *column);

/* Addresses of mail: their domains. */
extern Oid	build_mails(const char *name, Oid relation, const char *column);

/* Rare values become one label, other, or for NULL one that no value is. */
extern Oid	build_frequencies(const char *name, Oid relation, const char *column, int64 minimum, const char *other);
extern Oid	build_flat(const char *name, Oid relation, const char *column);

#endif
