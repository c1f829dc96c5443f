/*
 * shards.h
 *	  Foreign tables whose rows a reading groups remotely.
 */
#ifndef ANONOPT_SHARDS_H
#define ANONOPT_SHARDS_H

#include "read/read_plan.h"

/* The partitions or children of a table that hold rows, in a fixed order. */
extern List *leaf_partitions(Oid relation);

/* Whether any of them is a foreign table. */
extern bool has_foreign_leaf(Oid relation);

/*
 * Makes errors name the servers that are read, until error_context_stack is
 * reset to the callback's previous.
 */
extern void begin_telling_servers(const ReadPlan *plan, Oid relation, ErrorContextCallback *callback);

/* Fails if a shard would treat different texts as equal; SPI is connected. */
extern void check_shard_collations(const Reading *reading, const ReadPlan *plan);

/* Fails if partitions were attached or detached since. */
extern void check_leaves(const ReadPlan *plan, Oid relation);

#endif
