/*
 * budget.c
 *	  The memory of one call, limited by anonopt.memory.
 *
 * A call's memory grows with the distinct tuples of a table.  A server must
 * refuse such a call in an orderly way long before the operating system does,
 * so every array that grows with the data is checked here first.
 */
#include "base/budget.h"

#include "miscadmin.h"
#include "utils/memutils.h"

int			budget_memory = 1024 * 1024;

/* Total bytes that the call is expected to need. */
static Size forecast = 0;

Size
budget_limit(void)
{
	return (Size) (budget_memory > 0 ? budget_memory : maintenance_work_mem) * 1024;
}

void
budget_expect(Size bytes)
{
	forecast = bytes;
}

void
budget_expect_further(MemoryContext context, Size more)
{
	forecast = Max(forecast, MemoryContextMemAllocated(context, true) + more);
}

bool
budget_allows(MemoryContext context, Size more)
{
	return MemoryContextMemAllocated(context, true) + more <= budget_limit();
}

void
budget_require(MemoryContext context, Size more)
{
	Size		wanted = MemoryContextMemAllocated(context, true) + more;

	if (wanted > budget_limit())
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("data set needs more memory than anonopt.memory allows"),
				 errdetail("At least %zu kB are needed, %zu kB are allowed.", wanted / 1024, budget_limit() / 1024),
				 errhint("Set anonopt.memory to '%zu MB', declare fewer columns, or start from coarser values.",
						 Max(forecast, wanted * 2) / (1024 * 1024) + 1)));
}

static void *
allocate(Size element, Size n, int flags)
{
	Size		size = element * n;

	budget_require(CurrentMemoryContext, size);
	return MemoryContextAllocExtended(CurrentMemoryContext, size, MCXT_ALLOC_HUGE | flags);
}

void *
budget_alloc(Size element, Size n)
{
	return allocate(element, n, 0);
}

void *
budget_alloc_zero(Size element, Size n)
{
	return allocate(element, n, MCXT_ALLOC_ZERO);
}

void *
budget_copy(MemoryContext context, const void *array, Size element, Size n, Size *capacity)
{
	void	   *copy = NULL;

	*capacity = 0;
	while (*capacity < n)
		copy = budget_grow(context, copy, element, capacity);
	if (n > 0)
		memcpy(copy, array, element * n);
	return copy;
}

void *
budget_grow(MemoryContext context, void *array, Size element, Size *capacity)
{
	Size		doubled = Max(*capacity * 2, 64);

	/* the old array lives until the new one is filled */
	budget_require(context, doubled * element);
	*capacity = doubled;
	if (array == NULL)
		return MemoryContextAllocHuge(context, doubled * element);
	return repalloc_huge(array, doubled * element);
}
