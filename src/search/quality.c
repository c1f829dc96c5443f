/*
 * quality.c
 *	  How well a set of nodes stands for the exact non-dominated set.
 *
 * Every node of the lattice is measured.  The exact set holds all that no
 * other dominates, those with equal values too.
 */
#include "search/quality.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "engine/lattice.h"
#include "search/archive.h"
#include "search/maximized_objectives.h"

/* A vector of the exact set, and how many nodes have it. */
typedef struct ExactVector
{
	double		values[MAX_OBJECTIVES];
	int64		nnodes;
} ExactVector;

typedef struct ExactSet
{
	const Population *population;
	int			nobjectives;
	const Objective *objectives;
	int			nvectors;
	Size		capacity;
	ExactVector *vectors;
	int64		visited;
} ExactSet;

/* Counts a vector that is there; false where it is not. */
static bool
count_equal(ExactSet *set, const double *values)
{
	for (int i = 0; i < set->nvectors; i++)
		if (memcmp(set->vectors[i].values, values, sizeof(double) * set->nobjectives) == 0)
		{
			set->vectors[i].nnodes++;
			return true;
		}
	return false;
}

/* Adds a vector that is not there, unless one there dominates it. */
static void
add_vector(ExactSet *set, const double *values)
{
	int			kept = 0;

	for (int i = 0; i < set->nvectors; i++)
		if (dominates(set->vectors[i].values, values, set->nobjectives))
			return;
	for (int i = 0; i < set->nvectors; i++)
		if (!dominates(values, set->vectors[i].values, set->nobjectives))
			set->vectors[kept++] = set->vectors[i];
	set->nvectors = kept;
	if (set->nvectors == set->capacity)
		set->vectors = budget_grow(set->population->context, set->vectors, sizeof(ExactVector), &set->capacity);
	memcpy(set->vectors[set->nvectors].values, values, sizeof(double) * set->nobjectives);
	set->vectors[set->nvectors++].nnodes = 1;
}

static bool
visit_node(void *arg, const int *levels, const Measures *measures)
{
	ExactSet   *set = arg;
	double		values[MAX_OBJECTIVES];

	maximized_values(set->population, set->nobjectives, set->objectives, measures, values);
	if (!count_equal(set, values))
		add_vector(set, values);
	progress_update(++set->visited, set->nvectors);
	return true;
}

/* The boxes that no exact node's box dominates: those of an archive that all were offered to. */
static Archive *
exact_boxes(const ExactSet *set, const double *epsilon)
{
	Archive    *archive = archive_create(set->population->context, set->nobjectives, epsilon);

	for (int i = 0; i < set->nvectors; i++)
		archive_offer(archive, i, set->vectors[i].values);
	return archive;
}

/* The largest exact value of each objective. */
static void
find_largest(const ExactSet *set, double *largest)
{
	memset(largest, 0, sizeof(double) * MAX_OBJECTIVES);
	for (int i = 0; i < set->nvectors; i++)
		for (int j = 0; j < set->nobjectives; j++)
			largest[j] = Max(largest[j], set->vectors[i].values[j]);
}

static double
distance_to_nearest(const ExactSet *set, const double *largest, const double *values)
{
	double		nearest = HUGE_VAL;

	for (int i = 0; i < set->nvectors; i++)
	{
		double		squares = 0;

		for (int j = 0; j < set->nobjectives; j++)
		{
			double		difference = values[j] - set->vectors[i].values[j];

			if (largest[j] > 0)
				squares += (difference / largest[j]) * (difference / largest[j]);
		}
		nearest = Min(nearest, squares);
	}
	return sqrt(nearest);
}

/* Whether a box is one of the archive's. */
static int
find_box(const Archive *archive, const double *values)
{
	double		boxes[MAX_OBJECTIVES];

	archive_boxes(archive, values, boxes);
	for (int i = 0; i < archive->nmembers; i++)
		if (memcmp(archive->members[i].boxes, boxes, sizeof(double) * archive->nobjectives) == 0)
			return i;
	return -1;
}

void
archive_quality(Population *population, const Promise *promise, int nobjectives, const Objective *objectives,
				const double *epsilon, int nnodes, int *const *levels, int workers, Quality *quality)
{
	ExactSet	set = {.population = population,.nobjectives = nobjectives,.objectives = objectives};
	Measurer   *measurer = measurer_create(population, promise);
	Archive    *boxes;
	bool	   *occupied;
	int			noccupied = 0;
	double		largest[MAX_OBJECTIVES];

	quality->helped = lattice_measure(population, promise, workers, visit_node, &set);
	quality->measured = set.visited;
	boxes = exact_boxes(&set, epsilon);
	find_largest(&set, largest);
	occupied = palloc0(sizeof(bool) * (boxes->nmembers + 1));
	quality->convergence_error = 0;
	for (int i = 0; i < nnodes; i++)
	{
		Measures	measures;
		double		values[MAX_OBJECTIVES];
		int			box;

		measure_alone(measurer, node_of_levels(population, levels[i]), &measures);
		maximized_values(population, nobjectives, objectives, &measures, values);
		quality->convergence_error += distance_to_nearest(&set, largest, values);
		box = find_box(boxes, values);
		if (box >= 0 && !occupied[box])
		{
			occupied[box] = true;
			noccupied++;
		}
	}
	quality->boxes = boxes->nmembers;
	quality->representation_ratio = (double) noccupied / boxes->nmembers;
	quality->minimal = 0;
	for (int i = 0; i < set.nvectors; i++)
		quality->minimal += set.vectors[i].nnodes;
}
