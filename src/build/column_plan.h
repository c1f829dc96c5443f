/*
 * column_plan.h
 *	  Plans the role of a column, and its hierarchy.
 */
#ifndef ANONOPT_COLUMN_PLAN_H
#define ANONOPT_COLUMN_PLAN_H

#include "base/compat.h"

#include "build/hierarchy_build.h"
#include "utils/relcache.h"

/* Statistics of a column, as far as they apply to its type. */
typedef struct Profile
{
	int64		values;			/* distinct ones */
	int64		people;			/* people with a value */
	int64		nulls;
	int64		singles;		/* values of a single person */
	int64		frequent;		/* values that are not rare */
	int64		rare_people;	/* people with another value */
	int64		infinite;
	double		low;			/* as numbers, or days since 2000-01-01 */
	double		high;
	int			longest;		/* text */
	bool		codes;			/* short texts of digits and capitals */
	bool		uniform;		/* all written alike */
	bool		mostly_codes;	/* short texts with a digit, but for a few */
	int			code_length;	/* of the longest, as build_codes writes it */
	bool		countries;		/* most begin with a country */
	bool		addresses;		/* nearly all are of the Internet */
	bool		mails;
	bool		prose;			/* texts of many words */
} Profile;

#define MOST_BIN_LEVELS 4

/*
 * Of more different texts than this, rare ones share a label; and one step to *
 * is too large.
 */
#define MANY_TEXTS 100

typedef struct ColumnPlan
{
	char	   *column;
	Oid			type;
	HierarchyRule rule;			/* of its hierarchy */
	Profile		profile;
	int			levels;
	const char *role;			/* the role that auto_dataset suggests */
	const char *reason;			/* for that role */
	const char *form;			/* what its hierarchy does */
	const char *refusal;		/* why it cannot be a quasi-identifier, or
								 * NULL */
	const char *hint;

	double		low;			/* of dates, or between which bins are: as in
								 * the profile */
	double		high;
	Datum		edges[MOST_BIN_LEVELS];
	const char *bins;			/* how they were chosen */
} ColumnPlan;

/* Plans from a column's type alone. */
extern ColumnPlan *column_plan_by_type(Oid relation, const char *column);

/* Examines the column's values and completes the plan. */
extern void column_plan_by_data(ColumnPlan *plan, Relation relation);

/*
 * Whether values that few people share would single them out if the column were
 * shown as it is, and its hierarchy makes bands of them.
 */
extern bool column_plan_needs_bands(const ColumnPlan *plan);

/* Values of fewer people than this are rare. */
#define RARE_PEOPLE 10

/* Reports what may surprise users of that hierarchy. */
extern void column_plan_tell(const ColumnPlan *plan);

#endif
