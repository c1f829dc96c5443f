/*
 * search_call.h
 *	  Code shared by the SQL functions of all searches.
 */
#ifndef ANONOPT_SEARCH_CALL_H
#define ANONOPT_SEARCH_CALL_H

#include "catalog/dataset.h"
#include "search/objective.h"

/* Gets an objective, or a loss; fails if the data set lacks its column. */
extern Objective objective_argument(const char *name, const Dataset *dataset, bool losses);

/* Gets objectives from an array, each once; returns their number. */
extern int	objectives_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset,
								Objective *objectives);

/* The time when a search must end, or 0. */
extern int64 deadline_argument(FunctionCallInfo fcinfo, int argument);

/* The population for a search: without counted columns if it needs none. */
extern Population *searched_population(Population *population, const Promise *promise, int nobjectives,
									   const Objective *objectives);

/* Adds the rows of the nodes that a search found, in order. */
extern void put_found(ReturnSetInfo *result, Population *population, const Population *searched,
					  const Promise *promise, int nnodes, MeasuredNode *nodes);

#endif
