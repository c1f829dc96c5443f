/*
 * shards.h
 *	  Foreign tables that a reading groups where they are.
 */
#ifndef ANONOPT_SHARDS_H
#define ANONOPT_SHARDS_H

#include "read/read_plan.h"

/* The partitions or children of a table that hold rows, in a fixed order. */
extern List *leaf_partitions(Oid relation);

/* Whether the rows of one of them are elsewhere. */
extern bool has_foreign_leaf(Oid relation);

/*
 * Lets errors tell which servers are read, until error_context_stack is set
 * back to the callback's previous.
 */
extern void begin_telling_servers(const ReadPlan *plan, Oid relation, ErrorContextCallback *callback);

/* Fails where a shard would take different texts for the same; SPI is connected. */
extern void check_shard_collations(const Reading *reading, const ReadPlan *plan);

/* Fails where partitions have come or gone since. */
extern void check_leaves(const ReadPlan *plan, Oid relation);

#endif
