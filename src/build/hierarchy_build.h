/*
 * hierarchy_build.h
 *	  Builds hierarchy tables from a description, a column, a tree or a file, and
 *	  extends them.
 */
#ifndef ANONOPT_HIERARCHY_BUILD_H
#define ANONOPT_HIERARCHY_BUILD_H

#include "base/compat.h"

/* What a hierarchy can be built by.  Of a column, its values are the leaves. */
typedef enum Builder
{
	BUILDER_NONE,

	/* numbers: integers, with intervals as labels, or in ranges of a step */
	BUILDER_INTERVALS,
	BUILDER_RANGES,

	/*
	 * with one label for all from top, and one for all below bottom; without
	 * a step, leaves are integers, and each has a label
	 */
	BUILDER_CODED,
	/* rounded to multiples of steps; integers, or ranges */
	BUILDER_ROUNDED,
	BUILDER_ROUNDED_RANGES,
	/* ranges between edges, each level's a subset of those below; open ends */
	BUILDER_BINS,

	/* days, ranges of one day for columns with times, or with open ends */
	BUILDER_DATES,
	BUILDER_DATES_AS_RANGES,
	BUILDER_DATES_OPEN,

	/*
	 * a column's values: in one step to *, or e-mail addresses to domains
	 * first
	 */
	BUILDER_FLAT,
	BUILDER_MAILS,
	/* masked from the right by a character */
	BUILDER_MASKS,
	/* in buckets of as many people each */
	BUILDER_QUANTILES,

	/*
	 * values of fewer people than the minimum become a word or, without one,
	 * a label that is not a value
	 */
	BUILDER_FREQUENCIES,
	/* cut to fewer parts between separators, then to lengths */
	BUILDER_PREFIXES,

	/*
	 * codes that people write in different ways, such as postcodes: in
	 * capitals without blanks and hyphens, and at most as long as the
	 * minimum; then cut to fewer characters; then to their country, if they
	 * have one in front
	 */
	BUILDER_CODES,
	BUILDER_COUNTRY_CODES,

	/*
	 * addresses of the Internet, as such or as texts: networks of 24, 16 and
	 * 8 bits, or 64, 48 and 32 of the sixth version
	 */
	BUILDER_ADDRESSES,
	/* times of day: hours, then quarters of the day */
	BUILDER_HOURS,
	/* a table of children and their parents */
	BUILDER_TREE,
	BUILDERS
} Builder;

/*
 * A builder and its arguments; a datum is 0 where there is none.  Kept for a
 * table, it is the rule by which that grows.
 */
typedef struct HierarchyRule
{
	Builder		builder;
	bool		from_data;		/* leaves are values that somebody has */
	Oid			relation;		/* the source, and */
	const char *column;			/* of it */
	Datum		low;			/* numeric: numbers, or days since 2000-01-01 */
	Datum		high;
	Datum		step;
	Datum		top;
	Datum		bottom;
	Datum		numbers;		/* widths or steps: numeric[] */
	Datum		units;			/* text[] */
	Datum		lengths;		/* or buckets: int4[] */
	Datum		minimum;		/* int8: people, or characters of codes */
	const char *word;			/* a mask, a separator or the label of rare
								 * values */
	/* bins, which are not kept: numeric[] for each level, from the leaves */
	const Datum *edges;
	int			nedges;
} HierarchyRule;

/* Builds a table with a name as in SQL, and returns it. */
extern Oid	hierarchy_table_build(const char *name, const HierarchyRule *rule);

/* From a file with a line per leaf of a type: the value, then its label at each level. */
extern Oid	build_csv(const char *name, const char *csv, Size length, const char *delimiter, Oid type);

/* A day as a bound, and back. */
extern Datum day_bound(int32 day);
extern int32 bound_day(Datum bound);

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

/*
 * Whether a hierarchy is known to be independent of any data: it has the rows
 * that its rule gives, no more and no others, and that is a description of
 * numbers or dates, not made from data.
 */
extern bool hierarchy_is_described(Oid hierarchy);

/* ------------------------------------------------------- what texts are, in SQL */

/* A text v as a code, with the country in front, and the country, or ''. */
extern char *code_of_text(const char *v);
extern char *country_of_text(const char *v);

/* Whether a text v is an address of the Internet, so that a cast does not fail. */
extern char *text_is_address(const char *v);

#endif
