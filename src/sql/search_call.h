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
#include "search/objective.h"
#include "sql/call.h"

/* ------------------------------------- what a search is asked to minimize */

/* Gets "loss"; fails if the data set lacks the column that it needs. */
extern Objective loss_argument(FunctionCallInfo fcinfo, const Dataset *dataset);

/* Gets "loss", one that a recoding can minimize. */
extern Objective recoding_loss_argument(FunctionCallInfo fcinfo, const Dataset *dataset);

/* Gets objectives from an array, each once. */
extern Objectives objectives_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset);

/* "time_limit": the time when a search must end, or 0. */
extern int64 deadline_argument(FunctionCallInfo fcinfo);

/* Microseconds that an argument allows; 0 if it is not given, or as good as for ever. */
extern int64 span_argument(FunctionCallInfo fcinfo, const char *name);

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

/* The search ended at a moment; what follows is writing its result. */
extern void session_searched(Session *session, TimestampTz ended);

extern void session_end(Session *session, int64 evaluated, int workers, bool exact);

/*
 * After the end, says that a time limit left something undone, or that it had
 * passed before there was an answer, and what took how long.
 */
extern void session_tell_limit(const Session *session, bool late);

/* Says how far a loss, of one of several k if given, can be above the least possible, if there is a bound. */
extern void session_tell_gap(const Session *session, double loss, int64 k);

/* The most workers for a search: anonopt.max_workers. */
extern int	max_workers(void);

/* ------------------------------------------------ a search as an SQL function */

/* What a function has got and read, step by step. */
typedef struct SearchCall
{
	ResultRow  *row;
	Dataset    *dataset;
	Promise		promise;		/* its limit is set when the relation is read */
	double		headroom;		/* the share of the limit that is left */
	Session    *session;
	Population *population;
} SearchCall;

/* Reads the relation; returns false if it has no rows. */
extern bool call_read(SearchCall *call);

/* Reads it as part of a search that last_search shows; the seed may be NULL. */
extern bool search_read(SearchCall *call, Algorithm algorithm, const int64 *seed);

/* The population for a search: without counted columns if it needs none. */
extern Population *searched_population(Population *population, const Objectives *objectives);

/* Adds the rows of the nodes that a search found, in order. */
extern void put_found(const SearchCall *call, const Population *searched, int nnodes, MeasuredNode *nodes);

/* The labels of a key at some levels; its codes are those of leaves, or of these labels. */
extern Datum labels_datum(const Population *population, const uint64 *key, const int *levels, bool of_leaves);

/* Adds a row of anonopt.node; levels are NULL for cuts. */
extern void put_node(ResultRow *row, const Population *population, const int *levels, const Measures *measures);

#endif
