/*
 * hypervolume.c
 *	  The volume covered by cost vectors, up to a reference.
 *
 * The volume is cut into slices along the last cost.  The slice between two
 * neighbours is as thick as their distance, and its area is what the vectors
 * up to there cover in the other costs.
 */
#include "search/hypervolume.h"

#include "miscadmin.h"

static int
compare_costs(const void *a, const void *b, void *arg)
{
	int			last = *(const int *) arg;
	double		x = (*(double *const *) a)[last];
	double		y = (*(double *const *) b)[last];

	return x < y ? -1 : x > y;
}

/* For two costs: as wide as the least first cost so far. */
static double
area(double *const *vectors, int nvectors, const double *reference)
{
	double		least = reference[0];
	double		sum = 0;

	for (int i = 0; i < nvectors; i++)
	{
		double		next = i + 1 < nvectors ? vectors[i + 1][1] : reference[1];

		least = Min(least, vectors[i][0]);
		sum += (reference[0] - least) * (next - vectors[i][1]);
	}
	return sum;
}

/* The same for any number of costs; vectors are sorted by the last one. */
static double
volume(double *const *vectors, int nvectors, int ncosts, const double *reference)
{
	double	  **before;
	int			last = ncosts - 1;
	int			other = ncosts - 2;
	double		sum = 0;

	CHECK_FOR_INTERRUPTS();
	if (ncosts == 2)
		return area(vectors, nvectors, reference);
	before = palloc(sizeof(double *) * nvectors);
	for (int i = 0; i < nvectors; i++)
	{
		double		next = i + 1 < nvectors ? vectors[i + 1][last] : reference[last];
		int			place = i;

		/* sorted by the next cost */
		for (; place > 0 && before[place - 1][other] > vectors[i][other]; place--)
			before[place] = before[place - 1];
		before[place] = vectors[i];
		if (next > vectors[i][last])
			sum += volume(before, i + 1, ncosts - 1, reference) * (next - vectors[i][last]);
	}
	pfree(before);
	return sum;
}

static bool
covers_reference(const double *costs, const double *reference, int ncosts)
{
	bool		equal;

	return covers(costs, reference, ncosts, &equal);
}

double
hypervolume(const Front *front, const double *reference)
{
	double	  **vectors = MemoryContextAllocHuge(front->context, sizeof(double *) * ((Size) front->nmembers + 1));
	int			nvectors = 0;
	int			last = front->ncosts - 1;

	for (int i = 0; i < front->nmembers; i++)
		if (covers_reference(front_costs(front, i), reference, front->ncosts))
			vectors[nvectors++] = front_costs(front, i);
	qsort_arg(vectors, nvectors, sizeof(double *), compare_costs, &last);
	return nvectors == 0 ? 0 : volume(vectors, nvectors, front->ncosts, reference);
}
