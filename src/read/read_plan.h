/*
 * read_plan.h
 *	  How a relation is read: by our aggregate, or grouped where its rows are
 *	  stored.
 */
#ifndef ANONOPT_READ_PLAN_H
#define ANONOPT_READ_PLAN_H

#include "read/reading.h"
#include "store/store.h"

/* A column grouped by the intervals of its leaves. */
typedef struct Buckets
{
	int			n;				/* thresholds; buckets are 0 to n */
	char	   *thresholds;		/* as an array of SQL */
	char	   *last;			/* the last one, if it belongs to the bucket
								 * before; or NULL */
	uint32	   *codes;			/* by bucket; NO_LEAF for a gap */
	char	  **names;			/* by threshold, for messages */
} Buckets;

typedef struct ReadPlan
{
	bool		grouped;
	char	   *statement;
	StoreRead  *store;			/* read instead of the relation, or NULL */
	int		   *places;			/* by column: its position in the store's
								 * table, if rows are encoded without a
								 * statement; or NULL */
	List	   *leaves;			/* partitions read instead of the parent */
	Buckets   **buckets;		/* by column; NULL if values come unchanged */
} ReadPlan;

/* The statement over a store's rows, if they cannot be encoded without one. */
extern void plan_store_statement(const Reading *reading, ReadPlan *plan);

/* Plans a reading whose columns are prepared; SPI is connected. */
extern ReadPlan *plan_read(const Reading *reading);

/*
 * The types as which the columns, and a count behind them, are decoded; under
 * a plan or, if it is NULL, without one.
 */
extern Oid *reading_types(const Reading *reading, const ReadPlan *plan);

extern void read_plan_define_settings(void);

#endif
