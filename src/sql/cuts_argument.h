/*
 * cuts_argument.h
 *	  Partitions of ordered domains, as SQL writes them: bit strings.
 */
#ifndef ANONOPT_CUTS_ARGUMENT_H
#define ANONOPT_CUTS_ARGUMENT_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "engine/population.h"

/* Bit strings of an array, one a quasi-identifier and generalization; how many of those. */
extern Datum *cuts_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes);

#endif
