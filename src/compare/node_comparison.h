/*
 * node_comparison.h
 *	  Two nodes compared person by person.
 */
#ifndef ANONOPT_NODE_COMPARISON_H
#define ANONOPT_NODE_COMPARISON_H

#include "compare/index_sums.h"
#include "compare/node_properties.h"

typedef struct Comparer Comparer;

/* What a person has in one node, beside what the same person has in another. */
typedef struct Comparison
{
	IndexSums	a_over_b;
	IndexSums	b_over_a;
	IndexSums	a_to_best;		/* for P_rank */
	IndexSums	b_to_best;
} Comparison;

extern Comparer *comparer_create(Population *population, const Promise *promise);

/* Compares two nodes by some properties; which sums is told as in index_sums_add. */
extern void compare_nodes(Comparer *comparer, const int *a, const int *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

#endif
