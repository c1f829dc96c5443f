/*
 * weights.h
 *	  Tables of weights, which say how sensitive a quasi-identifier's values
 *	  are.
 */
#ifndef ANONOPT_WEIGHTS_H
#define ANONOPT_WEIGHTS_H

#include "catalog/dataset.h"
#include "engine/population.h"

/* Weights by attribute and leaf; 1 for a leaf that is in no table. */
extern double **weights_read(const Dataset *dataset, const Population *population);

#endif
