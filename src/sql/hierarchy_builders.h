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
	int			names_level;
} NewHierarchy;

/* Begins a table named as in SQL; it must not exist.  Connects to SPI, search_path is pg_catalog. */
extern NewHierarchy *hierarchy_table_begin(const char *name);

/* Creates it, empty, with leaves of a type and so many levels above them. */
extern void hierarchy_table_create(NewHierarchy *table, const char *leaf_type, int height);

/* Makes keys, keeps what is from data to the owner, and ends what was begun; returns the table. */
extern Oid	hierarchy_table_finish(NewHierarchy *table, bool ranges, bool from_data);

/* An array whose first element has the number 1, as statements name it. */
extern Datum array_from_one(Datum array);

/*
 * The builders; name is the table's.  Numbers and dates are given as SQL
 * datums: numeric, numeric[], date, text[].  What was chosen by what the data
 * hold is from data, too.
 */
extern Oid	build_intervals(const char *name, Datum low, Datum high, Datum widths, bool from_data);
extern Oid	build_ranges(const char *name, Datum low, Datum high, Datum step, Datum widths, bool from_data);
extern Oid	build_dates(const char *name, Datum low, Datum high, Datum units, bool as_ranges, bool from_data);
extern Oid	build_masks(const char *name, Oid relation, const char *column, const char *mask);
extern Oid	build_flat(const char *name, Oid relation, const char *column);

#endif
