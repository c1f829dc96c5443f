/*
 * cuts_argument.h
 *	  Partitions of ordered domains as arguments: bit strings.
 */
#ifndef ANONOPT_CUTS_ARGUMENT_H
#define ANONOPT_CUTS_ARGUMENT_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "engine/population.h"

/*
 * The bit strings in an array, one per quasi-identifier and partition; returns
 * the number of partitions.
 */
extern Datum *cuts_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes);

#endif
