/*
 * column_plan.h
 *	  What suits a column: the role it should have, and its hierarchy.
 */
#ifndef ANONOPT_COLUMN_PLAN_H
#define ANONOPT_COLUMN_PLAN_H

#include "base/compat.h"

#include "utils/relcache.h"

typedef enum PlanKind
{
	PLAN_NOTHING,				/* no hierarchy can be made */
	PLAN_FLAT,					/* one step to * */
	PLAN_INTERVALS,
	PLAN_RANGES,
	PLAN_BINS,					/* with open ends */
	PLAN_DATES,
	PLAN_HOURS,					/* of times without a date */
	PLAN_MASKS,
	PLAN_MAILS,					/* to their domains */
	PLAN_FREQUENCIES
} PlanKind;

/* What a column holds, as far as its type has it. */
typedef struct Profile
{
	int64		values;			/* distinct ones */
	int64		people;			/* who have one */
	int64		nulls;
	int64		singles;		/* values that one has alone */
	int64		frequent;		/* values that are not rare */
	int64		infinite;
	double		low;			/* of numbers, or days since 2000-01-01 */
	double		high;
	int			longest;		/* text */
	bool		codes;			/* short texts of digits and capitals */
	bool		mails;
	bool		prose;			/* texts of many words */
} Profile;

#define MOST_BIN_LEVELS 4

typedef struct ColumnPlan
{
	char	   *column;
	Oid			type;
	PlanKind	kind;
	Profile		profile;
	int			levels;
	const char *role;			/* what auto_dataset would make of it by
								 * itself */
	const char *reason;			/* for that role */
	const char *form;			/* what its hierarchy does */
	const char *refusal;		/* why it can be no quasi-identifier, or NULL */
	const char *hint;

	/* numbers: widths of intervals, or the edges of bins at each level */
	double		low;
	double		high;
	Datum		step;
	Datum		widths;
	int			nedges;			/* levels that have edges, with the leaves */
	Datum		edges[MOST_BIN_LEVELS];
	const char *bins;			/* how they were chosen */

	/* dates */
	Datum		units;
	int			day_kind;
	double		last_day;
	/* texts */
	int64		minimum;
} ColumnPlan;

/* What can be said by a column's type alone. */
extern ColumnPlan *column_plan_by_type(Oid relation, const char *column);

/* Looks at what the column holds. */
extern void column_plan_by_data(ColumnPlan *plan, Relation relation);

/* Builds the hierarchy that was planned; its name is free. */
extern Oid	column_plan_build(const ColumnPlan *plan, const char *name, Oid relation);

/* Tells what may surprise whoever uses that hierarchy. */
extern void column_plan_tell(const ColumnPlan *plan);

#endif
