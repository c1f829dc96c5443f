/*
 * recoding_table.h
 *	  A recoding as a table: which class each tuple of a population is in.
 */
#ifndef ANONOPT_RECODING_TABLE_H
#define ANONOPT_RECODING_TABLE_H

#include "read/reading.h"

#include "storage/itemptr.h"

/* What a recoding table says of a population. */
typedef struct TableRecoding
{
	uint32	   *class_of;		/* by tuple of the population; NO_CLASS, or
								 * NEW_TUPLE where it has no row */
	uint32		nclasses;		/* of tuples that are in the data */
	int64	   *numbers;		/* by class: what the table calls it */
	int64		last_number;	/* the greatest of all rows, at least 0 */
} TableRecoding;

/*
 * Takes a row: where it stands, its values, the population's tuple (or
 * NEW_TUPLE: not in the data), and its class.
 */
typedef void (*TableRowVisitor) (void *arg, ItemPointer place, const Datum *values, const bool *nulls, uint32 tuple);

/* Opens a recoding, which must be a plain table, before the relation is read. */
extern Relation recoding_table_open(Oid table);

/*
 * Reads one for a population that was just read.  Refuses what is not
 * sound; the visitor, which may be NULL, sees rows as the table has them, in
 * the order of the quasi-identifiers.
 */
extern TableRecoding *recoding_table_read(const Reading *reading, const Population *population, Relation table,
										  TableRowVisitor visit, void *arg);

/* Fails where tuples of the population have no row. */
extern void recoding_table_require_all(const Reading *reading, const Population *population, Relation table,
									   const TableRecoding *recoding);

/* A tuple for a message: its leaves in parentheses. */
extern char *tuple_text(const Population *population, uint32 tuple);

/* The name of a recoding's last column. */
#define CLASS_COLUMN "class"

#endif
