/*
 * tuple_estimate.h
 *	  Whether nearly every row of a distributed relation is a tuple of its own.
 */
#ifndef ANONOPT_TUPLE_ESTIMATE_H
#define ANONOPT_TUPLE_ESTIMATE_H

#include "base/compat.h"

/*
 * Samples rows by a statement that returns the columns read and a count; names
 * are a list of as many names for the columns.
 */
extern bool rows_are_tuples(const char *rows, Oid relation, const char *names);

#endif
