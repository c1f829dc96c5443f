/*
 * search_call.h
 *	  Code shared by the SQL functions.
 */
#ifndef ANONOPT_SEARCH_CALL_H
#define ANONOPT_SEARCH_CALL_H

#include "base/progress.h"
#include "catalog/dataset.h"
#include "engine/measure.h"
#include "engine/population.h"
#include "fmgr.h"
#include "search/objective.h"
#include "utils/tuplestore.h"

/* Gets an objective, or a loss; fails if the data set lacks its column. */
extern Objective objective_argument(const char *name, const Dataset *dataset, bool losses);

/* "loss": the one for a recoding to minimize, by name. */
extern Objective recoding_loss_argument(FunctionCallInfo fcinfo, const Dataset *dataset);

/* Gets objectives from an array, each once; returns their number. */
extern int	objectives_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset,
								Objective *objectives);

/* "time_limit": the time when a search must end, or 0. */
extern int64 deadline_argument(FunctionCallInfo fcinfo);

/* The population for a search: without counted columns if it needs none. */
extern Population *searched_population(Population *population, const Promise *promise, int nobjectives,
									   const Objective *objectives);

/* Adds the rows of the nodes that a search found, in order. */
extern void put_found(ReturnSetInfo *result, Population *population, const Population *searched,
					  const Promise *promise, int nnodes, MeasuredNode *nodes);

/* --------------------------------- statistics of this session's last search */

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

/* ----------------------------------------------------- rows of anonopt.node */

/* Levels as an array. */
extern Datum levels_datum(const int *levels, int nattrs);

/* Adds a row; levels are NULL for cuts. */
extern void put_node(ReturnSetInfo *result, const Population *population, const int *levels,
					 const Measures *measures);

/* -------------------- treats a relation without a declaration as a data set */

/* Builds it from "relation" and "quasi_identifiers". */
extern Dataset *undeclared(FunctionCallInfo fcinfo);

/* Reads it: its classes are its distinct tuples. */
extern Population *read_undeclared(const Dataset *dataset);

#endif
