/*
 * session.h
 *	  What this session's last search did.
 */
#ifndef ANONOPT_SESSION_H
#define ANONOPT_SESSION_H

#include "dataset.h"
#include "population.h"

extern void session_begin(const char *algorithm, const Dataset *dataset);

/* The relation is read; NULL where it has no rows. */
extern void session_read(const Population *population);
extern void session_end(int64 evaluated, int workers, bool exact);

/* Of how many nodes a lattice has, as numeric. */
extern Datum lattice_size(const Dataset *dataset);

#endif
