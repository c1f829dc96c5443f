/*
 * search_call.h
 *	  What the SQL functions of all searches share.
 */
#ifndef ANONOPT_SEARCH_CALL_H
#define ANONOPT_SEARCH_CALL_H

#include "catalog/dataset.h"
#include "search/objective.h"

/* An objective, or a loss, that a data set has the columns for. */
extern Objective objective_argument(const char *name, const Dataset *dataset, bool losses);

/* Objectives of an array, each once; returns how many. */
extern int	objectives_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset,
								Objective *objectives);

/* When a search must end, or 0. */
extern int64 deadline_argument(FunctionCallInfo fcinfo, int argument);

/* The population that a search must see: without columns where it needs none. */
extern Population *searched_population(Population *population, const Promise *promise, int nobjectives,
									   const Objective *objectives);

/* Adds the rows of the nodes that a search found, in their order. */
extern void put_found(ReturnSetInfo *result, Population *population, const Population *searched,
					  const Promise *promise, int nnodes, MeasuredNode *nodes);

#endif
