/*
 * declare.h
 *	  Declarations that other functions make.
 */
#ifndef ANONOPT_DECLARE_H
#define ANONOPT_DECLARE_H

#include "catalog/dataset.h"

extern void declare_dataset(const char *name, Oid relation, double max_suppression,
							const char *person, const char *count_column);

/* Declares a quasi-identifier, once its hierarchy is found sound and fitting. */
extern void declare_quasi_identifier(Dataset *dataset, Declared *declared);

/* Loads a declaration as this statement has left it. */
extern Dataset *dataset_load_latest(const char *name);

/* The same, for a caller who may change it; else fails with 42501. */
extern Dataset *dataset_load_owned(const char *name);

/* The same two, without the columns: for what drops. */
extern Dataset *dataset_load_latest_entry(const char *name);
extern Dataset *dataset_load_owned_entry(const char *name);

#endif
