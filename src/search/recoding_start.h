/*
 * recoding_start.h
 *	  First answers for a search.
 */
#ifndef ANONOPT_RECODING_START_H
#define ANONOPT_RECODING_START_H

#include "search/recoding_classes.h"

/*
 * Creates classes of nodes, those that lose least first; some tuples may be
 * left without one.
 */
extern void start_by_nodes(Classes *classes);

/*
 * Creates the classes of the cheapest node that keeps the promise, suppressing
 * classes that break it; returns false if no visited node does at less than
 * the given cost.  With such a cost, the watch may end the search.
 */
extern bool start_by_one_node(Classes *classes, int64 below, const RecodingWatch *watch);

/* Merges tuples without a class into classes; some may be left. */
extern void start_by_merging(Classes *classes);

/*
 * Merges the remaining tuples with the nearest classes; returns false if that
 * is impossible.
 */
extern bool mend_classes(Classes *classes);

#endif
