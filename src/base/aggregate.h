/*
 * aggregate.h
 *	  What functions of aggregates begin with.
 */
#ifndef ANONOPT_AGGREGATE_H
#define ANONOPT_AGGREGATE_H

#include "base/compat.h"

/* The memory of the aggregate that a transition function works for. */
static inline MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "called outside an aggregate");
	return context;
}

#endif
