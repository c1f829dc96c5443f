/*
 * record_alike.h
 *	  Searches for any goal, if labels need only be alike.
 */
#ifndef ANONOPT_RECORD_ALIKE_H
#define ANONOPT_RECORD_ALIKE_H

#include "record/record_run.h"

/* Anything, node by node, by bounds of weight and utility. */
extern void search_alike(RecordRun *run);

#endif
