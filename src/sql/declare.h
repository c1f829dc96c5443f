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

/*
 * Deletes rows of a data set from anonopt.attribute or promise, of a column
 * unless it is NULL, and with a role or model unless that is NULL; returns
 * their number.
 */
extern uint64 delete_declared(const Dataset *dataset, const char *table, const char *column, const char *kind, const char *name);

/*
 * The comment on a hierarchy that auto_dataset made for a column, which only
 * the hierarchy's owner can write.
 */
extern char *made_comment(const char *dataset, const char *column);

#endif
