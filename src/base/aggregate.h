/*
 * aggregate.h
 *	  Common code of aggregate support functions.
 */
#ifndef ANONOPT_AGGREGATE_H
#define ANONOPT_AGGREGATE_H

#include "base/compat.h"

/* The memory context of the aggregate that calls a transition function. */
static inline MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "called outside an aggregate");
	return context;
}

#endif
