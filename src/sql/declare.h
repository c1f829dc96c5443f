/*
 * declare.h
 *	  Declares data sets, for several SQL functions.
 */
#ifndef ANONOPT_DECLARE_H
#define ANONOPT_DECLARE_H

#include "catalog/dataset.h"

extern void declare_dataset(const char *name, Oid relation, double max_suppression,
							const char *person, const char *count_column, const char *timezone);

/* Declares a quasi-identifier, after its hierarchy was found sound and matching. */
extern void declare_quasi_identifier(Dataset *dataset, Declared *declared);

/* Declares a sensitive column, whose hierarchy and level, if any, match. */
extern void declare_sensitive(const Dataset *dataset, const Declared *declared);

/*
 * The comment on a hierarchy that auto_dataset made for a column, which only
 * the hierarchy's owner can write.
 */
extern char *made_comment(const char *dataset, const char *column);

#endif
