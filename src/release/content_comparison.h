/*
 * content_comparison.h
 *	  What two contents reveal together.
 */
#ifndef ANONOPT_CONTENT_COMPARISON_H
#define ANONOPT_CONTENT_COMPARISON_H

#include "release/value_view.h"

/* The number of people in the smallest group by which two contents differ, or 0. */
extern int64 contents_difference(const PlacedContent *a, const PlacedContent *b, KnownHierarchies *hierarchies, const char **unseen);

/* Whether both, if they are by recodings, show the same tuples, in the same classes. */
extern bool content_has_tuples_of(const Content *a, const Content *b);

#endif
