/*
 * declare.h
 *	  Declaring data sets, for other functions.
 */
#ifndef ANONOPT_DECLARE_H
#define ANONOPT_DECLARE_H

#include "catalog/dataset.h"

extern void declare_dataset(const char *name, Oid relation, double max_suppression,
							const char *person, const char *count_column, const char *timezone);

/*
 * Fails with 42703 if a relation lacks a column, and with 42501 if the caller
 * may not read it.
 */
extern void require_readable_column(Oid relation, const char *column);

/* The row type of an existing relation. */
extern Oid	row_type(Oid relation);

/*
 * Fails unless a relation exists and can be a data set's, a hierarchy, a table
 * of weights or a population.
 */
extern void require_rows(Oid relation);

/*
 * Deletes promises of a data set, restricted to a model and a column if these
 * are not NULL.
 */
extern uint64 delete_promises(const Dataset *dataset, const char *model, const char *column);

/* Declares a quasi-identifier, after its hierarchy was found sound and matching. */
extern void declare_quasi_identifier(Dataset *dataset, Declared *declared);

#endif
