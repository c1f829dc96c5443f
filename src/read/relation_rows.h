/*
 * relation_rows.h
 *	  The rows of a relation beside its population: whose tuple each is.
 */
#ifndef ANONOPT_RELATION_ROWS_H
#define ANONOPT_RELATION_ROWS_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "read/reading.h"

typedef struct RelationRows RelationRows;

/*
 * Reads a population whose rows can be asked for.  A row is named by a
 * column, or by its place in a table if that is NULL.
 */
extern RelationRows *relation_rows_begin(const Dataset *dataset, const char *key);

/* What encodes such rows again. */
extern const Reading *relation_rows_reading(const RelationRows *records);

/* NULL where there are no rows. */
extern Population *relation_rows_population(const RelationRows *records);

/* A row: its name as a text datum, or columns; its tuple, its value of the first sensitive column. */
typedef void (*RowVisitor) (void *arg, const Datum *shown, const bool *nulls, uint32 tuple, uint32 value);

/* Visits every row that stands for somebody, in the order they are read. */
extern void relation_rows_visit(RelationRows *records, RowVisitor visit, void *arg);

#endif
