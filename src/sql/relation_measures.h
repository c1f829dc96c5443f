/*
 * relation_measures.h
 *	  A relation that nobody declared, as a data set.
 */
#ifndef ANONOPT_RELATION_MEASURES_H
#define ANONOPT_RELATION_MEASURES_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "fmgr.h"

/* From the arguments relation and quasi_identifiers, the first two. */
extern Dataset *undeclared(FunctionCallInfo fcinfo);

/* Reads it: its classes are its distinct tuples. */
extern Population *read_undeclared(const Dataset *dataset);

#endif
