/*
 * budget.c
 *	  Memory of one call, counted against maintenance_work_mem.
 *
 * What a call holds grows with the distinct tuples of a table.  A server
 * must refuse such a call in an orderly way long before the operating
 * system does, so every array that grows with the data asks here first.
 */
#include "base/budget.h"

#include "miscadmin.h"
#include "utils/memutils.h"

/* Says that the limit is reached, and what to do about it. */
static void
budget_exceeded(Size wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("data set needs more memory than maintenance_work_mem allows"),
			 errdetail("At least %zu kB are needed, %d kB are allowed.",
					   wanted / 1024, maintenance_work_mem),
			 errhint("Raise maintenance_work_mem, declare fewer columns, or start from coarser values.")));
}

bool
budget_allows(MemoryContext context, Size more)
{
	return (MemoryContextMemAllocated(context, true) + more) / 1024 <= (Size) maintenance_work_mem;
}

void
budget_require(MemoryContext context, Size more)
{
	if (!budget_allows(context, more))
		budget_exceeded(MemoryContextMemAllocated(context, true) + more);
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
