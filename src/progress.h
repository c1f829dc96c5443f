/*
 * progress.h
 *	  How far a running search has come.
 */
#ifndef ANONOPT_PROGRESS_H
#define ANONOPT_PROGRESS_H

#include "postgres.h"

/* Nodes measured so far, and nodes found. */
static inline void
progress_update(int64 done, int64 found)
{
}

#endif
