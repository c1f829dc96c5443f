/*
 * recoding_rows.h
 *	  Writes the rows of a recoding, from the rows of a relation.
 */
#ifndef ANONOPT_RECODING_ROWS_H
#define ANONOPT_RECODING_ROWS_H

#include "read/recoding_table.h"
#include "read/row_spool.h"
#include "search/recoding.h"

/*
 * Reads a recoding for a population; every tuple must have a row, and every
 * class labels that cover it.
 */
extern Classes *recoding_table_classes(const Reading *reading, const Population *population, Relation table,
									   RecodingLabels labels, TableRecoding **recoding);

/* The recodings that a call measures, and the population that was read for all of them. */
typedef struct RecodingTables
{
	int			n;
	Relation   *tables;
	Reading    *reading;
	Population *population;		/* NULL if there are no rows */
} RecodingTables;

/* Opens recodings, then reads the relation once. */
extern void recoding_tables_read(RecodingTables *tables, const Dataset *dataset, int n, const Oid *oids);

extern void recoding_tables_close(RecodingTables *tables);

/* Fails if a search found that nothing keeps the promise. */
extern void recoding_refuse_infeasible(const Dataset *dataset, const RecodingOrder *order);

/* Lets a reading spool the quasi-identifiers, too; they come last. */
extern void recoding_spool_begin(RowSpool *spool, const Dataset *dataset);

/* Writes the distinct tuples that were spooled to an empty table. */
extern void recoding_rows_write(RowSpool *spool, Relation table, const RecodingResult *result);

/* Opens a recoding, locking out other writers; the calling role itself must own it. */
extern Relation recoding_open_own(Oid oid);

/* What extending a recoding has changed. */
typedef struct RecodingExtension
{
	int64		moved;			/* people who changed class */
	int64		added;			/* rows */
	int64	   *numbers;		/* in the table, by class */
} RecodingExtension;

/*
 * Searches an extension of a recoding by the tuples that were spooled, and
 * writes it; fails if none keeps the promise.
 */
extern RecodingResult *recoding_extend_table(RowSpool *spool, Relation table, const Dataset *dataset, const RecodingOrder *order,
											 RecodingExtension *extension);

/* Reports how many people changed class, if any did. */
extern void recoding_tell_moved(int64 moved);

/* Adds the tuples that a release has read to its recoding; returns the classes. */
extern Classes *recoding_extended_classes(RowSpool *spool, Relation table, const Dataset *dataset, const Promise *promise,
										  RecodingLabels labels);

#endif
