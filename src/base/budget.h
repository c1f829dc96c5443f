/*
 * budget.h
 *	  The memory of one call, limited by anonopt.memory.
 */
#ifndef ANONOPT_BUDGET_H
#define ANONOPT_BUDGET_H

#include "postgres.h"

#include "fmgr.h"

/* The setting anonopt.memory, in kB; 0 means maintenance_work_mem. */
extern int	budget_memory;

/* The bytes that a call may use. */
extern Size budget_limit(void);

/* Sets the total a call is expected to need, for the hint of an error. */
extern void budget_expect(Size bytes);

/* Raises that total to what a context has and is going to grow by, if that is more. */
extern void budget_expect_further(MemoryContext context, Size more);

/* Fails with 53200 if a context may not grow by that much. */
extern void budget_require(MemoryContext context, Size more);

/* Whether a context may grow by that much, for memory that is optional. */
extern bool budget_allows(MemoryContext context, Size more);

/* Allocates an array of any size in the current context, within its budget. */
extern void *budget_alloc(Size element, Size n);
extern void *budget_alloc_zero(Size element, Size n);

/* Doubles a full array, within the budget of its context. */
extern void *budget_grow(MemoryContext context, void *array, Size element, Size *capacity);

/* A copy of an array that will grow. */
extern void *budget_copy(MemoryContext context, const void *array, Size element, Size n, Size *capacity);

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
