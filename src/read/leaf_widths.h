/*
 * leaf_widths.h
 *	  The width of leaves that are ranges, for losses that count it.
 */
#ifndef ANONOPT_LEAF_WIDTHS_H
#define ANONOPT_LEAF_WIDTHS_H

#include "base/compat.h"

#include "read/hierarchy_read.h"

/* Whether leaves of a type are ranges of numbers, days or times. */
extern bool leaves_have_width(Oid type);

/*
 * Measures leaves within the extent of a column, whose name is quoted; SPI is
 * connected.
 */
extern void leaf_widths_measure(Oid relation, const char *column, LoadedHierarchy *loaded);

#endif
