/*
 * relation_rows.h
 *	  The rows of a relation, each with its tuple in the population.
 */
#ifndef ANONOPT_RELATION_ROWS_H
#define ANONOPT_RELATION_ROWS_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "read/reading.h"

typedef struct RelationRows RelationRows;

/*
 * Reads a population whose rows can be visited.  A row is identified by a
 * column or, if that is NULL, by its position in a table.
 */
extern RelationRows *relation_rows_begin(const Dataset *dataset, const char *key, bool keeps_ties);

/* State for encoding such rows again. */
extern const Reading *relation_rows_reading(const RelationRows *records);

/* Also passes on the values of numeric columns, after the name. */
extern void relation_rows_add_numbers(RelationRows *records, int ncolumns, const char *const *columns);

/* The number of people the current row stands for. */
extern int64 relation_rows_people(const RelationRows *records);

/* NULL if there are no rows. */
extern Population *relation_rows_population(const RelationRows *records);

/*
 * A row: its name as a text datum, or columns; its tuple, and its value of the
 * first sensitive column.
 */
typedef void (*RowVisitor) (void *arg, const Datum *shown, const bool *nulls, uint32 tuple, uint32 value);

/*
 * Visits every row that stands for at least one person, in the order of
 * reading.
 */
extern void relation_rows_visit(RelationRows *records, RowVisitor visit, void *arg);

#endif
