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

/* Declares a quasi-identifier, once its hierarchy is found sound and fitting. */
extern void declare_quasi_identifier(Dataset *dataset, Declared *declared);

#endif
