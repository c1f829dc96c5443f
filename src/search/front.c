/*
 * front.c
 *	  A set of cost vectors that do not cover each other, each with data.
 */
#include "search/front.h"

#include "base/budget.h"

Front *
front_create(MemoryContext context, int ncosts, Size member_size)
{
	Front	   *front = MemoryContextAllocZero(context, sizeof(Front));

	front->context = context;
	front->ncosts = ncosts;
	front->member_size = member_size;
	return front;
}

int
front_find(const Front *front, const double *costs, bool *equal)
{
	for (int i = 0; i < front->nmembers; i++)
		if (covers(front_costs(front, i), costs, front->ncosts, equal))
			return i;
	return -1;
}

static void
drop_covered(Front *front, const double *costs)
{
	int			kept = 0;
	bool		equal;

	for (int i = 0; i < front->nmembers; i++)
	{
		if (covers(costs, front_costs(front, i), front->ncosts, &equal))
		{
			if (front->drop != NULL)
				front->drop(front_member(front, i));
			continue;
		}
		if (kept < i)
		{
			memcpy(front_costs(front, kept), front_costs(front, i), sizeof(double) * front->ncosts);
			memcpy(front_member(front, kept), front_member(front, i), front->member_size);
		}
		kept++;
	}
	front->nmembers = kept;
}

void *
front_add(Front *front, const double *costs)
{
	drop_covered(front, costs);
	if (front->nmembers == front->capacity)
	{
		Size		capacity = front->capacity;

		front->costs = budget_grow(front->context, front->costs, sizeof(double) * front->ncosts, &capacity);
		front->members = budget_grow(front->context, front->members, front->member_size, &front->capacity);
	}
	memcpy(front_costs(front, front->nmembers), costs, sizeof(double) * front->ncosts);
	return front_member(front, front->nmembers++);
}
