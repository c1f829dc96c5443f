/*
 * distributed.h
 *	  Relations whose rows an extension keeps on other servers: Citus.
 */
#ifndef ANONOPT_DISTRIBUTED_H
#define ANONOPT_DISTRIBUTED_H

/*
 * Whether a relation, or one that a view of it shows, is distributed.  Its
 * indexes, triggers and ctids are those of an empty shell here, and its parts
 * have a snapshot each.
 */
extern bool is_distributed(Oid relation);

#endif
