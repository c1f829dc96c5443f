/*
 * records.h
 *	  The rows of a relation beside its population: whose tuple each is.
 */
#ifndef ANONOPT_RECORDS_H
#define ANONOPT_RECORDS_H

#include "dataset.h"
#include "population.h"

typedef struct Records Records;

/*
 * Reads a population whose rows can be asked for.  A row is named by a
 * column, or by its place in a table if that is NULL.
 */
extern Records *records_begin(const Dataset *dataset, const char *key);

/*
 * The same where rows are wanted with columns as they are, and nothing else
 * but their tuples; for nodes that are nowhere below these levels.
 */
extern Records *records_with_columns(const Dataset *dataset, const int *levels, const char *const *columns,
									 int ncolumns);

/* NULL where there are no rows. */
extern Population *records_population(const Records *records);

/* The base types of what is handed on: columns may have changed since they were chosen. */
extern const Oid *records_shown_types(const Records *records);

/* A row: its name as a text datum, or columns; its tuple, its value of the first sensitive column. */
typedef void (*RecordVisitor) (void *arg, const Datum *shown, const bool *nulls, uint32 tuple, uint32 value);

/* Visits every row that stands for somebody, in the order they are read. */
extern void records_visit(Records *records, RecordVisitor visit, void *arg);

#endif
