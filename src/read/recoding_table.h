/*
 * recoding_table.h
 *	  A recoding as a table, which assigns each tuple of a population to a
 *	  class.
 */
#ifndef ANONOPT_RECODING_TABLE_H
#define ANONOPT_RECODING_TABLE_H

#include "read/reading.h"

#include "storage/itemptr.h"

/* The contents of a recoding table, for a population. */
typedef struct TableRecoding
{
	uint32	   *class_of;		/* by tuple of the population; NO_CLASS if
								 * suppressed, NEW_TUPLE if it has no row */
	uint32		nclasses;		/* of tuples that are in the data */
	int64	   *numbers;		/* by class: its number in the table */
	int64		last_number;	/* the largest in any row, at least 0 */
	int64		greatest;		/* that the table's class can hold */
} TableRecoding;

/*
 * Receives a row: its ctid, its values, the population's tuple (NEW_TUPLE if
 * not in the data), and its class.
 */
typedef void (*TableRowVisitor) (void *arg, ItemPointer place, const Datum *values, const bool *nulls, uint32 tuple);

/* Opens a recoding, which must be a plain table, before the relation is read. */
extern Relation recoding_table_open(Oid table);

/*
 * Reads one for a population that was just read.  Fails if it is not sound.
 * The visitor, which may be NULL, receives the table's original values, in the
 * order of the quasi-identifiers.
 */
extern TableRecoding *recoding_table_read(const Reading *reading, const Population *population, Relation table,
										  TableRowVisitor visit, void *arg);

/* Fails if tuples of the population have no row. */
extern void recoding_table_require_all(const Reading *reading, const Population *population, Relation table,
									   const TableRecoding *recoding);

/*
 * How many tuples each class of several leaves possible is promised by a
 * comment, which is copied with the table; adds the promise to a data set's.
 */
extern void recoding_table_promise(Oid table, int64 possible);
extern void recoding_table_add_promise(Oid table, Dataset *dataset);

/* The name of a recoding's last column. */
#define CLASS_COLUMN "class"

#endif
