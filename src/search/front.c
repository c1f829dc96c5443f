/*
 * front.c
 *	  The nodes that no other is better than, one a vector of costs.
 */
#include "search/front.h"

#include "base/budget.h"

Front *
front_create(MemoryContext context, int nobjectives, const Objective *objectives, int nattrs)
{
	Front	   *front = MemoryContextAllocZero(context, sizeof(Front));

	front->context = context;
	front->nobjectives = nobjectives;
	memcpy(front->objectives, objectives, sizeof(Objective) * nobjectives);
	front->nattrs = nattrs;
	return front;
}

/* Whether one vector is nowhere worse than another; equal tells if it is nowhere better. */
static inline bool
covers(const double *a, const double *b, int n, bool *equal)
{
	*equal = true;
	for (int i = 0; i < n; i++)
	{
		if (a[i] > b[i])
			return false;
		if (a[i] < b[i])
			*equal = false;
	}
	return true;
}

bool
front_beats(const Front *front, const double *costs, const int *levels)
{
	for (int i = 0; i < front->nmembers; i++)
	{
		const FrontMember *member = &front->members[i];
		bool		equal;

		if (covers(member->costs, costs, front->nobjectives, &equal) &&
			(!equal || compare_levels(member->levels, levels, front->nattrs) <= 0))
			return true;
	}
	return false;
}

/* Drops the members that a vector covers. */
static void
drop_covered(Front *front, const double *costs)
{
	int			kept = 0;
	bool		equal;

	for (int i = 0; i < front->nmembers; i++)
	{
		if (covers(costs, front->members[i].costs, front->nobjectives, &equal))
			pfree(front->members[i].levels);
		else
			front->members[kept++] = front->members[i];
	}
	front->nmembers = kept;
}

void
front_offer(Front *front, const int *levels, const Measures *measures)
{
	double		costs[MAX_OBJECTIVES];
	FrontMember *member;

	for (int i = 0; i < front->nobjectives; i++)
		costs[i] = objective_cost(front->objectives[i], measures);
	if (front_beats(front, costs, levels))
		return;
	drop_covered(front, costs);
	if (front->nmembers == front->capacity)
		front->members = budget_grow(front->context, front->members, sizeof(FrontMember), &front->capacity);
	member = &front->members[front->nmembers++];
	memcpy(member->costs, costs, sizeof(costs));
	member->levels = MemoryContextAlloc(front->context, sizeof(int) * front->nattrs);
	memcpy(member->levels, levels, sizeof(int) * front->nattrs);
	member->measures = *measures;
}

static int
compare_members(const void *a, const void *b, void *arg)
{
	const FrontMember *x = a;
	const FrontMember *y = b;
	const Front *front = arg;

	for (int i = 0; i < front->nobjectives; i++)
		if (x->costs[i] != y->costs[i])
			return x->costs[i] < y->costs[i] ? -1 : 1;
	return compare_levels(x->levels, y->levels, front->nattrs);
}

void
front_sort(Front *front)
{
	if (front->nmembers > 1)
		qsort_arg(front->members, front->nmembers, sizeof(FrontMember), compare_members, front);
}
