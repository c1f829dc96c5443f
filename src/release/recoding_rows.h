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

/*
 * The recodings that a call measures, and the population that was read for all
 * of them.
 */
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

/*
 * Opens a recoding, locking out other writers; the calling role itself must
 * own it.
 */
extern Relation recoding_open_own(Oid oid);

/* Prepares a recoding to be extended, once the tuples have been read. */
typedef struct RecodingExtension RecodingExtension;

extern RecodingExtension *recoding_extension_begin(RowSpool *spool, Relation table, RecodingLabels labels);

/* The current classes by tuple, the input of recoding_extend(). */
extern const uint32 *recoding_extension_classes(const RecodingExtension *extension);

/* Reports how many people changed class, if any did. */
extern void recoding_tell_moved(int64 moved);

/*
 * Fails if the search found nothing: suppressed people stay suppressed, even
 * if a single class of all people would keep the promise.
 */
extern void recoding_extension_refuse(const RecodingExtension *extension, const Dataset *dataset, const RecodingOrder *order);

/* Writes the result; returns the number of rows added. */
extern int64 recoding_extension_write(RecodingExtension *extension, const RecodingResult *result);

/* Adds the tuples that a release has read to its recoding; returns the classes. */
extern Classes *recoding_extended_classes(RowSpool *spool, Relation table, const Dataset *dataset, const Promise *promise,
										  RecodingLabels labels);

#endif
