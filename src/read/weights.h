/*
 * weights.h
 *	  Weights of leaves and of owners.
 */
#ifndef ANONOPT_WEIGHTS_H
#define ANONOPT_WEIGHTS_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "read/row_spool.h"

/* Weights by attribute and leaf; 1 for a leaf that is in no table. */
extern double **weights_read(const Dataset *dataset, const Population *population);

/* ----------------------------------------------------------- owners' weights */

typedef struct OwnerWeights OwnerWeights;

/* Fails unless a column's values are numbers. */
extern void require_weight_column(Oid relation, const char *column);

/*
 * Lets a spool keep the owners' weights behind the row's name; returns NULL if
 * there are no columns of weights.
 */
extern OwnerWeights *owner_weights_begin(const Dataset *dataset, SpoolColumn *columns, int *ncolumns);

/* Counts the combinations of owners' weights among the spooled rows. */
extern void owner_weights_read(OwnerWeights *owners, RowSpool *spool);

/*
 * The population with one tuple for each combination of owners' weights, so
 * that several may have the same key; and the weights, by tuple and attribute.
 */
extern Population *owner_weights_split(const OwnerWeights *owners, const Population *population, double **weights);

/* The tuple of a spooled row in that population; values and nulls are the visitor's. */
extern uint32 owner_weights_find(const OwnerWeights *owners, uint32 tuple, const Datum *values, const bool *nulls);

#endif
