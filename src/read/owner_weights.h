/*
 * owner_weights.h
 *	  How sensitive a quasi-identifier is to each record's owner: columns of
 *	  the relation.
 */
#ifndef ANONOPT_OWNER_WEIGHTS_H
#define ANONOPT_OWNER_WEIGHTS_H

#include "read/relation_rows.h"

typedef struct OwnerWeights OwnerWeights;

/* Fails where a column's values are no numbers. */
extern void require_weight_column(Oid relation, const char *column);

/*
 * Reads the rows once, for their owners' weights; NULL where no column holds
 * any.  Visits of the rows then hand on the weights behind the name.
 */
extern OwnerWeights *owner_weights_read(RelationRows *records, const Dataset *dataset, const Population *population);

/*
 * The population with a tuple for each different owners' weights, so that
 * some have the same key; and the weights, one a tuple and attribute.
 */
extern Population *owner_weights_split(const OwnerWeights *owners, const Population *population, double **weights);

/* The number among those of a row that is visited; shown is what the row hands on. */
extern uint32 owner_weights_find(const OwnerWeights *owners, uint32 tuple, const Datum *shown, const bool *nulls);

#endif
