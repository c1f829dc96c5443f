/*
 * hierarchy_build.h
 *	  Builds hierarchy tables from a description, a column, a tree or a file.
 */
#ifndef ANONOPT_HIERARCHY_BUILD_H
#define ANONOPT_HIERARCHY_BUILD_H

#include "base/compat.h"

#include "utils/array.h"

/*
 * What a builder makes: a table with a name as in SQL, or only its rows, for one
 * that is extended.  A function that a source calls may build others meanwhile.
 */
typedef struct BuildTarget
{
	const char *name;
	struct NewLeaves *leaves;	/* NULL for a new table */
}			BuildTarget;

extern BuildTarget new_table(const char *name);

/*
 * Each returns the table.  Numbers and dates are SQL datums: numeric, numeric[],
 * date, text[].  from_data means that what describes the hierarchy was read from
 * data.
 */

/*
 * Numbers in ranges of a step's width, and wider ones; without a step, 0,
 * leaves are integers, and the wider ones intervals.
 */
extern Oid	build_numbers(BuildTarget target, Datum low, Datum high, Datum step, Datum widths, bool from_data);

/*
 * Numbers with one label for all from top, and one for all below bottom; 0
 * for none.  Without a step, leaves are integers, and each has a label.
 */
extern Oid	build_coded(BuildTarget target, Datum low, Datum high, Datum top, Datum bottom, Datum widths, Datum step);

/* Numbers rounded to multiples of steps; leaves are integers unless continuous. */
extern Oid	build_rounded(BuildTarget target, Datum low, Datum high, Datum steps, bool continuous);

/*
 * Ranges between edges, with open ends; each level's edges are a subset of
 * those below.
 */
extern Oid	build_bins(BuildTarget target, const Datum *edges, int nlevels);

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

extern Oid	build_dates(BuildTarget target, Datum low, Datum high, Datum units, DateKind kind, bool from_data);

/* The first or last day of the widest unit that contains a day, in SQL. */
extern char *unit_end(Datum units, const char *day, bool last);

/* ------------------------------------- a column's values, which are the leaves */

/* In one step to *; e-mail addresses to their domains first. */
extern Oid	build_flat(BuildTarget target, Oid relation, const char *column);
extern Oid	build_mails(BuildTarget target, Oid relation, const char *column);

/* Masked from the right by a character. */
extern Oid	build_masks(BuildTarget target, Oid relation, const char *column, const char *mask);

/* In buckets of as many people each. */
extern Oid	build_quantiles(BuildTarget target, Oid relation, const char *column, ArrayType *buckets);

/*
 * Rare values become the label other or, if that is NULL, a label that is not
 * a value.
 */
extern Oid	build_frequencies(BuildTarget target, Oid relation, const char *column, int64 minimum, const char *other);

/* Cut to fewer parts between separators, then to lengths; either may be NULL. */
extern Oid	build_prefixes(BuildTarget target, Oid relation, const char *column, ArrayType *lengths, const char *separator);

/*
 * Codes that people write in different ways, such as postcodes: in capitals
 * without blanks and hyphens, and at most this long; then cut to fewer
 * characters; then to their country, if they have one in front.
 */
extern Oid	build_codes(BuildTarget target, Oid relation, const char *column, int longest, bool countries);

/* A text v as such a code, with the country in front, and the country, or '', in SQL. */
extern char *code_of_text(const char *v);
extern char *country_of_text(const char *v);

/*
 * Addresses of the Internet, as such or as texts: networks of 24, 16 and 8
 * bits, or 64, 48 and 32 of the sixth version.
 */
extern Oid	build_addresses(BuildTarget target, Oid relation, const char *column);

/* Whether a text v is such an address, so that a cast does not fail, in SQL. */
extern char *text_is_address(const char *v);

/* Times of day: hours, then quarters of the day. */
extern Oid	build_hours(BuildTarget target, Oid relation, const char *column);

/* ------------------------------------------------- leaves for values that came later */

/* Whether a hierarchy has the rule by which it was built. */
extern bool hierarchy_has_rule(Oid hierarchy);

/*
 * Adds leaves by that rule, for the values of a column, or of the columns where
 * new ones are to be expected; returns their number.  Only for the hierarchy's
 * very owner.
 */
extern int64 hierarchy_extend(Oid hierarchy, Oid relation, const char *column);
extern int64 hierarchy_extend_all(Oid hierarchy);

/* ------------------------------------------------------------ trees and files */

/* A table of children and their parents. */
extern Oid	build_tree(BuildTarget target, Oid edges);

/* A line per leaf of a type: the value, then its label at each level. */
extern Oid	build_csv(const char *name, const char *csv, Size length, const char *delimiter, Oid type);

#endif
