/*
 * shown_runs.h
 *	  What people can do with data as they are shown: classes of people, each
 *	  with a run of leaves for each attribute.
 */
#ifndef ANONOPT_SHOWN_RUNS_H
#define ANONOPT_SHOWN_RUNS_H

#include "base/prng.h"
#include "engine/measure.h"

/* Classes that are shown.  Data as they are have a class a tuple, and runs of one leaf. */
typedef struct ShownRuns
{
	const Population *population;
	uint32		n;
	int64		people;
	int64	   *counts;			/* by class */
	uint32	   *first_leaf;		/* by class and attribute */
	uint32	   *leaves;
	uint32	  **slices;			/* by column and class: histograms */
}			ShownRuns;

/* The data as they are. */
extern ShownRuns * runs_of_tuples(const Population *population);

/*
 * Classes that keep a promise, of any generalization: their table, and the
 * runs they show.  shown tells by class whether it is one of them.
 */
extern ShownRuns * runs_of_classes(const Population *population, const TupleTable *classes, const uint32 *first_leaf,
								   const uint32 *leaves, const bool *shown);

/* People by leaf of an attribute, those of a run spread over its leaves evenly. */
extern double *people_by_leaf(const ShownRuns * runs, int attr);

/* How far two distributions are apart: half the sum of differences; and the earth mover's way along the order. */
extern double total_variation(const double *a, double a_people, const double *b, double b_people, uint32 n);
extern double earth_movers(const double *a, double a_people, const double *b, double b_people, uint32 n);

/* At most so many runs of leaves, or of values, stand for an attribute, or a column, in associations. */
#define ASSOCIATION_GROUPS 16

/* Runs of leaves or values with about equally many people each. */
typedef struct Grouping
{
	uint32		n;
	uint32		ninhabited;		/* groups with people */
	uint32		start[ASSOCIATION_GROUPS + 1];
}			Grouping;

extern Grouping group_evenly(const double *people, uint32 n);

/* People by value of a counted column. */
extern double *people_by_value(const ShownRuns * runs, int column);

/*
 * Cramér's V of two attributes, or of an attribute and a counted column, as
 * if all groups of the data were still there; 0 where one has a single group.
 */
extern double attributes_association(const ShownRuns * runs, int a, const Grouping * groups_a, int b, const Grouping * groups_b);
extern double column_association(const ShownRuns * runs, int a, const Grouping * groups_a, int column, const Grouping * groups);

/* A count of people whose values lie in a box of leaves. */
typedef struct RangeQuery
{
	int			nattrs;
	int			attrs[3];
	uint32		first[3];
	uint32		last[3];
}			RangeQuery;

extern RangeQuery random_range_query(const Population *population, Prng *prng);
extern double range_query_count(const ShownRuns * runs, const RangeQuery * query);

#endif
