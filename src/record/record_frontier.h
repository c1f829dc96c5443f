/*
 * record_frontier.h
 *	  Finds the least risk by the frontier, if risk is monotone.
 */
#ifndef ANONOPT_RECORD_FRONTIER_H
#define ANONOPT_RECORD_FRONTIER_H

#include "record/record_run.h"

/* Finds the least risk by the frontier, if risk is monotone. */
extern void search_frontier(RecordRun *run);

/* Counts the nodes that a search from the top by risk visits, given the answers. */
extern void count_general_first(RecordRun *run);

#endif
