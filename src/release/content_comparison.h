/*
 * content_comparison.h
 *	  What two contents tell together.
 */
#ifndef ANONOPT_CONTENT_COMPARISON_H
#define ANONOPT_CONTENT_COMPARISON_H

#include "release/value_view.h"

/* People in the smallest group by which two contents differ; 0 for none. */
extern int64 contents_difference(const PlacedContent *a, const PlacedContent *b, KnownHierarchies *hierarchies);

#endif
