/*
 * read_plan.h
 *	  How a relation is read: by our aggregate, or grouped where its rows are.
 */
#ifndef ANONOPT_READ_PLAN_H
#define ANONOPT_READ_PLAN_H

#include "reading.h"
#include "store.h"

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
	List	   *foreign;		/* names of those that are elsewhere, for
								 * messages */
	Buckets   **buckets;		/* by column; NULL where values come as they
								 * are */
} ReadPlan;

/* The statement over a store's rows, where they cannot be encoded without one. */
extern void plan_store_statement(const Reading *reading, ReadPlan *plan);

/* The plan for a reading whose columns are prepared; SPI is connected. */
extern ReadPlan *plan_read(const Reading *reading);

/*
 * Lets errors tell which servers are read, until error_context_stack is set
 * back to the callback's previous.
 */
extern void begin_telling_servers(ReadPlan *plan, Oid relation, ErrorContextCallback *callback);

/* Fails where partitions have come or gone since. */
extern void check_leaves(const ReadPlan *plan, Oid relation);

/* Whether a partition's rows are elsewhere. */
extern bool has_foreign_leaf(Oid relation);

extern void read_plan_define_settings(void);

#endif
