/*
 * distributed.h
 *	  Relations whose rows an extension stores on other servers: Citus.
 */
#ifndef ANONOPT_DISTRIBUTED_H
#define ANONOPT_DISTRIBUTED_H

/*
 * Whether a relation, or one that a view of it shows, is distributed.  Its
 * local indexes, triggers and ctids belong to an empty shell, and each shard
 * has its own snapshot.
 */
extern bool is_distributed(Oid relation);

#endif
