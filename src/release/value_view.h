/*
 * value_view.h
 *	  The coarsest common view of the labels of two contents.
 */
#ifndef ANONOPT_VALUE_VIEW_H
#define ANONOPT_VALUE_VIEW_H

#include "release/placed_content.h"

/* The hierarchies of contents, in their current state. */
typedef struct KnownHierarchies
{
	const Dataset *dataset;
	const Population *population;
	MemoryContext context;
	List	   *others;			/* of other data sets: KnownHierarchy */
} KnownHierarchies;

/*
 * Starts with those of a population that was read for a data set; others are
 * read on demand.
 */
extern KnownHierarchies *known_hierarchies_create(const Dataset *dataset, const Population *population);

/*
 * Views attribute i of a content and attribute j of another, both of the same
 * column, by groups of values that both show together; returns false if the
 * values of their labels are unknown.
 */
extern bool view_by_values(KnownHierarchies *hierarchies, const PlacedContent *a, const PlacedContent *b, int i, int j,
						   ContentView *view_a, ContentView *view_b);

#endif
