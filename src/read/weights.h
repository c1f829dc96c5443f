/*
 * weights.h
 *	  How sensitive a quasi-identifier's values are: tables of weights.
 */
#ifndef ANONOPT_WEIGHTS_H
#define ANONOPT_WEIGHTS_H

#include "catalog/dataset.h"
#include "engine/population.h"

/* Weights by attribute and leaf: 1 for what no table names. */
extern double **weights_read(const Dataset *dataset, const Population *population);

#endif
