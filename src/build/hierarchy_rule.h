/*
 * hierarchy_rule.h
 *	  The rules by which hierarchies were built.
 */
#ifndef ANONOPT_HIERARCHY_RULE_H
#define ANONOPT_HIERARCHY_RULE_H

#include "base/compat.h"

#include "utils/date.h"

/* The builders whose rule gives leaves to values that come later. */
typedef enum Builder
{
	BUILDER_NONE,
	BUILDER_INTERVALS,
	BUILDER_RANGES,
	BUILDER_CODED,
	BUILDER_ROUNDED,
	BUILDER_ROUNDED_RANGES,
	BUILDER_BINS,
	BUILDER_DATES,
	BUILDER_DATES_AS_RANGES,
	BUILDER_DATES_OPEN,
	BUILDER_FLAT,
	BUILDER_MAILS,
	BUILDER_MASKS,
	BUILDER_QUANTILES,
	BUILDER_FREQUENCIES,
	BUILDER_PREFIXES,
	BUILDER_CODES,
	BUILDER_COUNTRY_CODES,
	BUILDER_ADDRESSES,
	BUILDER_HOURS,
	BUILDER_TREE,
	BUILDERS
} Builder;

/* Where new values are to be expected. */
typedef enum NewValues
{
	VALUES_NOWHERE,				/* every value has a leaf */
	VALUES_BEYOND,				/* beyond the bounds, of numbers or days */
	VALUES_ANYWHERE				/* in the source */
} NewValues;

/* A builder and its arguments; a datum is 0 where there is none. */
typedef struct HierarchyRule
{
	Builder		builder;
	NewValues	values;			/* once it has been read */
	Oid			relation;		/* the source, and */
	const char *column;			/* of it */
	Datum		low;			/* numeric */
	Datum		high;
	Datum		step;
	Datum		top;
	Datum		bottom;
	Datum		numbers;		/* widths or steps: numeric[] */
	DateADT		first_day;
	DateADT		last_day;
	Datum		units;			/* text[] */
	Datum		lengths;		/* or buckets: int4[] */
	const char *word;			/* a mask, a separator or the label of rare
								 * values */
	int64		minimum;
} HierarchyRule;

/* Records the rule of a hierarchy that was built, perhaps from data, and marks the table with it. */
extern void hierarchy_rule_write(Oid hierarchy, const HierarchyRule *rule, bool from_data);

/*
 * Reads it, and checks that the table's mark proves it, and what builders do not
 * check; returns false if there is none.
 */
extern bool hierarchy_rule_read(Oid hierarchy, HierarchyRule *rule);

#endif
