/*
 * recoding_start.h
 *	  First answers, for a search to better.
 */
#ifndef ANONOPT_RECODING_START_H
#define ANONOPT_RECODING_START_H

#include "search/recoding_classes.h"

/* Classes of nodes, those that lose least first; some tuples may be left without one. */
extern void start_by_nodes(Classes *classes);

/*
 * The classes of the one node that keeps the promise at least cost, what
 * breaks it suppressed; false where no node that is looked at does.
 */
extern bool start_by_one_node(Classes *classes);

/* Gives tuples without a class one, by merging them; some may be left. */
extern void start_by_merging(Classes *classes);

/* Merges what is left with the nearest classes; false where that cannot be. */
extern bool mend_classes(Classes *classes);

#endif
