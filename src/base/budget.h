/*
 * budget.h
 *	  Memory of one call, counted against anonopt.memory.
 */
#ifndef ANONOPT_BUDGET_H
#define ANONOPT_BUDGET_H

#include "postgres.h"

/* The setting anonopt.memory, in kB; 0: maintenance_work_mem counts. */
extern int	budget_memory;

/* The bytes that a call may take. */
extern Size budget_limit(void);

/* What a call is expected to take in all, for the hint of an error. */
extern void budget_expect(Size bytes);

/* Fails with 53200 if a context cannot take that much more. */
extern void budget_require(MemoryContext context, Size more);

/* Whether a context can take that much more: for what one can do without. */
extern bool budget_allows(MemoryContext context, Size more);

/* An array of any size in the current context, within that context's budget. */
extern void *budget_alloc(Size element, Size n);
extern void *budget_alloc_zero(Size element, Size n);

/* Doubles an array that is full, within the budget of its context. */
extern void *budget_grow(MemoryContext context, void *array, Size element, Size *capacity);

#endif
