/*
 * node_comparison.h
 *	  Two nodes compared person by person.
 */
#ifndef ANONOPT_NODE_COMPARISON_H
#define ANONOPT_NODE_COMPARISON_H

#include "compare/index_sums.h"
#include "compare/node_properties.h"

typedef struct Comparer Comparer;

/* A person's property in one node and in another. */
typedef struct Comparison
{
	IndexSums	a_over_b;
	IndexSums	b_over_a;
	IndexSums	a_to_best;		/* for P_rank */
	IndexSums	b_to_best;
} Comparison;

extern Comparer *comparer_create(Population *population, const Promise *promise);

/* Properties of people in any classes, by the population's tuples. */
typedef struct Side
{
	const NodeProperties *properties;
	const uint32 *class_of;
} Side;

/* Compares any two generalizations, tuple by tuple. */
extern void compare_sides(const Population *population, const Side *a, const Side *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

/*
 * Compares two nodes by some properties; which sums are computed is given as
 * in index_sums_add.
 */
extern void compare_nodes(Comparer *comparer, const int *a, const int *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

#endif
