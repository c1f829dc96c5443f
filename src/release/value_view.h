/*
 * value_view.h
 *	  Labels of two contents, as coarsely as both can be seen.
 */
#ifndef ANONOPT_VALUE_VIEW_H
#define ANONOPT_VALUE_VIEW_H

#include "release/placed_content.h"

/* The hierarchies that contents were made of, as they are now. */
typedef struct KnownHierarchies
{
	const Dataset *dataset;
	const Population *population;
	MemoryContext context;
	List	   *others;			/* of other data sets: KnownHierarchy */
} KnownHierarchies;

/* Those of a population that was read for a data set; others are read as they are asked for. */
extern KnownHierarchies *known_hierarchies_create(const Dataset *dataset, const Population *population);

/*
 * Sees attribute i of a content and attribute j of another, of one column, by
 * runs of values that both keep together; false where nobody knows which
 * values their labels stand for.
 */
extern bool view_by_values(KnownHierarchies *hierarchies, const PlacedContent *a, const PlacedContent *b, int i, int j,
						   ContentView *view_a, ContentView *view_b);

#endif
