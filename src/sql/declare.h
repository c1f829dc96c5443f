/*
 * declare.h
 *	  Declarations that other functions make.
 */
#ifndef ANONOPT_DECLARE_H
#define ANONOPT_DECLARE_H

#include "catalog/dataset.h"

extern void declare_dataset(const char *name, Oid relation, double max_suppression,
							const char *person, const char *count_column, const char *timezone);

/* Fails where a relation lacks a column, 42703, or the caller may not read it, 42501. */
extern void require_readable_column(Oid relation, const char *column);

/* The row type of a relation that is there. */
extern Oid	row_type(Oid relation);

/* Fails unless a relation is there and can be a data set's, a hierarchy, a table of weights or a population. */
extern void require_rows(Oid relation);

/* Deletes what a data set promises: of a model and a column, where they are not NULL. */
extern uint64 delete_promises(const Dataset *dataset, const char *model, const char *column);

/* Declares a quasi-identifier, once its hierarchy is found sound and fitting. */
extern void declare_quasi_identifier(Dataset *dataset, Declared *declared);

#endif
