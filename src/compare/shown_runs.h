/*
 * shown_runs.h
 *	  The usefulness of data as a release shows them: classes of people, each
 *	  with a run of leaves for each attribute.
 */
#ifndef ANONOPT_SHOWN_RUNS_H
#define ANONOPT_SHOWN_RUNS_H

#include "base/prng.h"
#include "engine/measure.h"

/*
 * Classes shown by a release.  The original data have one class per tuple, and
 * runs of one leaf.
 */
typedef struct ShownRuns
{
	const Population *population;
	uint32		n;
	int64		people;
	int64	   *counts;			/* by class */
	uint32	   *first_leaf;		/* by class and attribute */
	uint32	   *leaves;
	uint32	  **slices;			/* by column and class: histograms */
} ShownRuns;

/* The original data. */
extern ShownRuns *runs_of_tuples(const Population *population);

/*
 * The classes of any generalization that keep a promise, given their table and
 * the runs they show; shown says for each class whether it is one of them.
 */
extern ShownRuns *runs_of_classes(const Population *population, const TupleTable *classes, const uint32 *first_leaf,
								  const uint32 *leaves, const bool *shown);

/*
 * People by leaf of an attribute; the people of a run are divided evenly among
 * its leaves.
 */
extern double *people_by_leaf(const ShownRuns *runs, int attr);

/*
 * The distance between two distributions: half the sum of differences, and the
 * earth mover's distance along the order.
 */
extern double total_variation(const double *a, double a_people, const double *b, double b_people, uint32 n);
extern double earth_movers(const double *a, double a_people, const double *b, double b_people, uint32 n);

/*
 * The most runs of leaves or values into which associations group an attribute
 * or a column.
 */
#define ASSOCIATION_GROUPS 16

/* Runs of leaves or values with about equally many people each. */
typedef struct Grouping
{
	uint32		n;
	uint32		ninhabited;		/* groups with people */
	uint32		start[ASSOCIATION_GROUPS + 1];
} Grouping;

extern Grouping group_evenly(const double *people, uint32 n);

/* People by value of a counted column. */
extern double *people_by_value(const ShownRuns *runs, int column);

/*
 * Cramér's V of two attributes, or of an attribute and a counted column, as if
 * all groups of the data were still present; 0 if one has a single group.
 */
extern double attributes_association(const ShownRuns *runs, int a, const Grouping *groups_a, int b, const Grouping *groups_b);
extern double column_association(const ShownRuns *runs, int a, const Grouping *groups_a, int column, const Grouping *groups);

/* The number of people whose values lie in a box of leaves. */
typedef struct RangeQuery
{
	int			nattrs;
	int			attrs[3];
	uint32		first[3];
	uint32		last[3];
} RangeQuery;

extern RangeQuery random_range_query(const Population *population, Prng *prng);
extern double range_query_count(const ShownRuns *runs, const RangeQuery *query);

#endif
