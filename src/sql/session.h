/*
 * session.h
 *	  Statistics of this session's last search.
 */
#ifndef ANONOPT_SESSION_H
#define ANONOPT_SESSION_H

#include "base/progress.h"
#include "catalog/dataset.h"
#include "engine/population.h"

typedef struct Session Session;

/* A search begins; another may begin while it reads its relation. */
extern Session *session_begin(Algorithm algorithm, const Dataset *dataset);

/* The relation has been read; NULL if it has no rows, which ends the search. */
extern void session_read(Session *session, const Population *population);

/* Records the search's seed. */
extern void session_seed(Session *session, int64 seed);

/* Records a lower bound of the cost of nodes that keep the promise. */
extern void session_bound(Session *session, double bound);
extern void session_end(Session *session, int64 evaluated, int workers, bool exact);

/* The most workers for a search: anonopt.max_workers. */
extern int	max_workers(void);
extern void session_define_settings(void);

/* The number of nodes of a lattice, as numeric. */
extern Datum lattice_size(const Dataset *dataset);

#endif
