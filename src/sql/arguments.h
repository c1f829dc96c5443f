/*
 * arguments.h
 *	  Arguments of SQL-callable functions, checked.
 */
#ifndef ANONOPT_ARGUMENTS_H
#define ANONOPT_ARGUMENTS_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "engine/measure.h"
#include "record/record_model.h"
#include "utils/array.h"

/* Fails with 22023 where an argument is null. */
extern void require_argument(FunctionCallInfo fcinfo, int argument, const char *name);

extern char *name_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* A number in [0,1]; the default for NULL. */
extern double probability_argument(FunctionCallInfo fcinfo, int argument, const char *name, double otherwise);

/* An integer within bounds. */
extern int	integer_argument(FunctionCallInfo fcinfo, int argument, const char *name, int least, int most);

/* True or false. */
extern bool boolean_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* A seed, a new one for NULL. */
extern int64 seed_argument(FunctionCallInfo fcinfo, int argument);

/* A declared data set, sound and with a quasi-identifier. */
extern Dataset *dataset_argument(FunctionCallInfo fcinfo, int argument);

/* Reads it; NULL where it has no rows. */
extern Population *population_argument(const Dataset *dataset);

/* k, l and t, which begin at an argument; the limit follows when people are known. */
extern Promise promise_arguments(FunctionCallInfo fcinfo, int first, const Dataset *dataset);

/* The same, each at a place of its own. */
extern Promise promise_at(FunctionCallInfo fcinfo, int k, int l, int t, const Dataset *dataset);

/* Models of risk and utility, by name. */
extern RiskModel risk_argument(FunctionCallInfo fcinfo, int argument);
extern UtilityModel utility_argument(FunctionCallInfo fcinfo, int argument);

/* An array of one element a quasi-identifier, or of such arrays: a node each, *nnodes of them. */
extern ArrayType *attributes_argument(FunctionCallInfo fcinfo, int argument, const char *name, const char *element,
									  const Dataset *dataset, int *nnodes);

/* Nodes of an array of levels, one or two dimensions; their number in *nnodes. */
extern int **levels_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes);

/* The only node of such an array. */
extern int *node_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset);

/* The column that names rows, or NULL. */
extern char *key_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset);

/* Columns of a relation, each there and named once. */
extern char **columns_argument(FunctionCallInfo fcinfo, int argument, Oid relation, int *ncolumns);

/* Fails where the hierarchical distance has no hierarchy. */
extern void require_distance_hierarchy(Distance distance, Oid hierarchy);

#endif
