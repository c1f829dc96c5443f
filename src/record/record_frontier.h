/*
 * record_frontier.h
 *	  Least risk where it is monotone: by the frontier.
 */
#ifndef ANONOPT_RECORD_FRONTIER_H
#define ANONOPT_RECORD_FRONTIER_H

#include "record/record_run.h"

/* Least risk where it is monotone: by the frontier. */
extern void search_frontier(RecordRun *run);

/* Counts what a search from the top by risk visits; answers are there. */
extern void count_general_first(RecordRun *run);

#endif
