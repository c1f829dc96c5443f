/*
 * archive_quality.c
 *	  How well a set of nodes represents the exact non-dominated set.
 *
 * The convergence error measures how far the nodes are from the exact vectors,
 * IGD+ how much better the exact ones are than the nearest node.
 *
 * Every node of the lattice is measured.  The exact set contains all nodes
 * that no other dominates, including those with equal values.
 */
#include "search/searches.h"

#include <math.h>

#include "base/bytes.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "miscadmin.h"
#include "search/lower_bounds.h"

typedef struct ExactSet
{
	const Population *population;
	const Objectives *objectives;
	Front	   *front;			/* the data of a vector is the number of nodes
								 * that have it, an int64 */
	int64		visited;
} ExactSet;

static bool
visit_node(void *arg, const int *levels, const Measures *measures)
{
	ExactSet   *set = arg;
	double		costs[MAX_OBJECTIVES];
	bool		equal;
	int			found;

	bounded_costs(set->population, set->objectives, measures, costs);
	found = front_find(set->front, costs, &equal);
	if (found < 0)
		*(int64 *) front_add(set->front, costs) = 1;
	else if (equal)
		(*(int64 *) front_member(set->front, found))++;
	progress_update(++set->visited, set->front->nmembers);
	return true;
}

/* How far a vector is from an exact one; for a shortfall, only costs in which it is worse count. */
static double
distance(const double *costs, const double *exact, const double *largest, int ncosts, bool shortfall)
{
	double		squares = 0;

	for (int j = 0; j < ncosts; j++)
	{
		double		share = largest[j] > 0 ? (costs[j] - exact[j]) / largest[j] : 0;

		if (share > 0 || !shortfall)
			squares += share * share;
	}
	return sqrt(squares);
}

void
archive_quality(Population *population, const Promise *promise, const Objectives *objectives,
				const double *epsilon, int nnodes, int *const *levels, int workers, Quality *quality)
{
	ExactSet	set = {population, objectives, front_create(population->context, objectives->n, sizeof(int64)), 0};
	Measurer   *measurer = measurer_create(population, promise);
	Archive    *boxes = archive_create(population->context, objectives->n, epsilon);
	bool	   *occupied;
	int			noccupied = 0;
	double		largest[MAX_OBJECTIVES] = {0};	/* distance of the exact
												 * vectors from the worst, by
												 * objective */
	double	   *shortfalls;

	quality->helped = lattice_measure(population, promise, workers, 0, visit_node, &set);
	quality->measured = set.visited;

	/* an archive of all nodes has the boxes that none dominates */
	for (int i = 0; i < set.front->nmembers; i++)
	{
		archive_offer(boxes, i, front_costs(set.front, i));
		for (int j = 0; j < objectives->n; j++)
			largest[j] = Max(largest[j], -front_costs(set.front, i)[j]);
	}
	occupied = palloc0(sizeof(bool) * (archive_size(boxes) + 1));
	shortfalls = palloc(sizeof(double) * (set.front->nmembers + 1));
	for (int i = 0; i < set.front->nmembers; i++)
		shortfalls[i] = HUGE_VAL;
	quality->convergence_error = 0;
	for (int i = 0; i < nnodes; i++)
	{
		Measures	measures;
		double		costs[MAX_OBJECTIVES];
		double		nearest = HUGE_VAL;
		int			box;

		measure_alone(measurer, node_of_levels(population, levels[i]), &measures);
		bounded_costs(population, objectives, &measures, costs);
		for (int j = 0; j < set.front->nmembers; j++)
		{
			const double *exact = front_costs(set.front, j);

			shortfalls[j] = Min(shortfalls[j], distance(costs, exact, largest, objectives->n, true));
			nearest = Min(nearest, distance(costs, exact, largest, objectives->n, false));
		}
		quality->convergence_error += nearest;
		box = archive_find_box(boxes, costs);
		if (box >= 0 && !occupied[box])
		{
			occupied[box] = true;
			noccupied++;
		}
	}
	quality->boxes = archive_size(boxes);
	quality->representation_ratio = (double) noccupied / archive_size(boxes);
	quality->minimal = 0;
	quality->igd_plus = 0;
	/* sort, because sums of doubles depend on the order, which workers change */
	qsort(shortfalls, set.front->nmembers, sizeof(double), compare_doubles);
	for (int i = 0; i < set.front->nmembers; i++)
	{
		quality->minimal += *(int64 *) front_member(set.front, i);
		quality->igd_plus += shortfalls[i] / set.front->nmembers;
	}
}

/* -------------------- the volume covered by cost vectors, up to a reference */

/*
 * The volume is cut into slabs along the last cost.  The slab between two
 * neighbours is as thick as their distance, and its area is what the vectors
 * up to there cover in the other costs.
 */

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

/* The volume in any number of costs; vectors are sorted by the last one. */
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

/* The volume of all vectors that a member covers and that cover the reference. */
static double
hypervolume(const Front *front, const double *reference)
{
	double	  **vectors = MemoryContextAllocHuge(front->context, sizeof(double *) * ((Size) front->nmembers + 1));
	int			nvectors = 0;
	int			last = front->ncosts - 1;
	bool		equal;

	for (int i = 0; i < front->nmembers; i++)
		if (covers(front_costs(front, i), reference, front->ncosts, &equal))
			vectors[nvectors++] = front_costs(front, i);
	qsort_arg(vectors, nvectors, sizeof(double *), compare_costs, &last);
	return nvectors == 0 ? 0 : volume(vectors, nvectors, front->ncosts, reference);
}

double
nodes_hypervolume(Population *population, const Promise *promise, const Objectives *objectives,
				  int nnodes, int *const *levels, const double *reference)
{
	Front	   *front = front_create(population->context, objectives->n, sizeof(int));
	Measurer   *measurer = measurer_create(population, promise);
	double		costs[MAX_OBJECTIVES];
	bool		equal;

	for (int i = 0; i < nnodes; i++)
	{
		Measures	measures;

		measure_alone(measurer, node_of_levels(population, levels[i]), &measures);
		objectives_costs(objectives, &measures, costs);
		if (front_find(front, costs, &equal) < 0)
			front_add(front, costs);
	}
	for (int j = 0; j < objectives->n; j++)
		costs[j] = objective_rises(objectives->of[j]) ? -reference[j] : reference[j];
	return hypervolume(front, costs);
}
