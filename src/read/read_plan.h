/*
 * read_plan.h
 *	  How a relation is read: by our aggregate, or grouped where its rows are.
 */
#ifndef ANONOPT_READ_PLAN_H
#define ANONOPT_READ_PLAN_H

#include "read/reading.h"
#include "store/store.h"

/* A column that is grouped by the intervals of its leaves. */
typedef struct Buckets
{
	int			n;				/* thresholds; buckets are 0 to n */
	char	   *thresholds;		/* as an array of SQL */
	char	   *last;			/* the last one, where it is in the bucket
								 * before; or NULL */
	uint32	   *codes;			/* by bucket; NO_LEAF for a gap */
	char	  **names;			/* by threshold, for messages */
} Buckets;

typedef struct ReadPlan
{
	bool		grouped;
	char	   *statement;
	StoreRead  *store;			/* what is read in place of the relation, or
								 * NULL */
	int		   *places;			/* by column: in the store's table, whose rows
								 * are encoded without a statement; or NULL */
	List	   *leaves;			/* partitions that are read for the parent */
	Buckets   **buckets;		/* by column; NULL where values come as they
								 * are */
} ReadPlan;

/* The statement over a store's rows, where they cannot be encoded without one. */
extern void plan_store_statement(const Reading *reading, ReadPlan *plan);

/* The plan for a reading whose columns are prepared; SPI is connected. */
extern ReadPlan *plan_read(const Reading *reading);

/* The types of the columns, and of a count behind them, as they are decoded; under a plan or, if NULL, as they are. */
extern Oid *reading_types(const Reading *reading, const ReadPlan *plan);

extern void read_plan_define_settings(void);

#endif
