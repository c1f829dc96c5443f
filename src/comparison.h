/*
 * comparison.h
 *	  Two nodes compared person by person.
 */
#ifndef ANONOPT_COMPARISON_H
#define ANONOPT_COMPARISON_H

#include "pairs.h"
#include "property.h"

typedef struct Comparer Comparer;

/* What a person has in one node, beside what the same person has in another. */
typedef struct Comparison
{
	Pairs		a_over_b;
	Pairs		b_over_a;
	Pairs		a_to_best;		/* for P_rank */
	Pairs		b_to_best;
} Comparison;

extern Comparer *comparer_create(Population *population, const Promise *promise);

/* Compares two nodes by some properties; which sums is told as in pairs_add. */
extern void compare_nodes(Comparer *comparer, const int *a, const int *b, int nproperties,
						  const Property *properties, int wanted, Comparison *comparisons);

#endif
