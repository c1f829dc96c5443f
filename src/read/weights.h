/*
 * weights.h
 *	  Weights of leaves and of owners.
 */
#ifndef ANONOPT_WEIGHTS_H
#define ANONOPT_WEIGHTS_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "read/relation_rows.h"

/* Weights by attribute and leaf; 1 for a leaf that is in no table. */
extern double **weights_read(const Dataset *dataset, const Population *population);

/* ----------------------------------------------------------- owners' weights */

typedef struct OwnerWeights OwnerWeights;

/* Fails unless a column's values are numbers. */
extern void require_weight_column(Oid relation, const char *column);

/*
 * Reads the rows once for their owners' weights; returns NULL if there are no
 * columns of weights.  Visits of the rows then pass on the weights after the
 * name.
 */
extern OwnerWeights *owner_weights_read(RelationRows *records, const Dataset *dataset, const Population *population);

/*
 * The population with one tuple for each combination of owners' weights, so
 * that several may have the same key; and the weights, by tuple and attribute.
 */
extern Population *owner_weights_split(const OwnerWeights *owners, const Population *population, double **weights);

/* The tuple of a visited row in that population; shown and nulls are the visitor's. */
extern uint32 owner_weights_find(const OwnerWeights *owners, uint32 tuple, const Datum *shown, const bool *nulls);

#endif
