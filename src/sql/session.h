/*
 * session.h
 *	  What this session's last search did.
 */
#ifndef ANONOPT_SESSION_H
#define ANONOPT_SESSION_H

#include "base/progress.h"
#include "catalog/dataset.h"
#include "engine/population.h"

typedef struct Session Session;

/* A search begins; one that begins while it reads its relation is another. */
extern Session *session_begin(Algorithm algorithm, const Dataset *dataset);

/* The relation is read; NULL where it has no rows, which ends the search. */
extern void session_read(Session *session, const Population *population);

/* The seed that the search begins with. */
extern void session_seed(Session *session, int64 seed);

/* No node that keeps the promise costs less. */
extern void session_bound(Session *session, double bound);
extern void session_end(Session *session, int64 evaluated, int workers, bool exact);

/* Workers that a search may ask for: anonopt.max_workers. */
extern int	max_workers(void);
extern void session_define_settings(void);

/* Of how many nodes a lattice has, as numeric. */
extern Datum lattice_size(const Dataset *dataset);

#endif
