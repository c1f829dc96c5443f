/*
 * relation_measures.h
 *	  Treats a relation without a declaration as a data set.
 */
#ifndef ANONOPT_RELATION_MEASURES_H
#define ANONOPT_RELATION_MEASURES_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "fmgr.h"

/* Builds it from the first two arguments, relation and quasi_identifiers. */
extern Dataset *undeclared(FunctionCallInfo fcinfo);

/* Reads it: its classes are its distinct tuples. */
extern Population *read_undeclared(const Dataset *dataset);

#endif
