/*
 * recoding_rows.h
 *	  The rows of a recoding, from the rows of a relation.
 */
#ifndef ANONOPT_RECODING_ROWS_H
#define ANONOPT_RECODING_ROWS_H

#include "read/recoding_table.h"
#include "read/row_spool.h"
#include "search/recoding.h"

/* Reads one for a population; every tuple must have a row, every class what covers it. */
extern RecodedClasses *recoding_table_show(const Reading *reading, const Population *population, Relation table,
										   RecodingLabels labels, TableRecoding **recoding);

/* Fails where a search found that nothing keeps the promise. */
extern void recoding_refuse_infeasible(const Dataset *dataset, const RecodingOrder *order);

/* Keeps the quasi-identifiers when a relation is read. */
extern void recoding_spool_begin(RowSpool *spool, const Dataset *dataset);

/* Writes the distinct tuples that were kept into an empty table; SPI is connected. */
extern void recoding_rows_write(RowSpool *spool, Relation table, const RecodingResult *result);

/* Opens a recoding against all other writers; it must be the caller's very own. */
extern Relation recoding_open_own(Oid oid);

/* A recoding that takes in tuples, once they have been read. */
typedef struct RecodingExtension RecodingExtension;

extern RecodingExtension *recoding_extension_begin(RowSpool *spool, Relation table, RecodingLabels labels);

/* The classes as they are, by tuple: what recoding_extend() begins with. */
extern const uint32 *recoding_extension_classes(const RecodingExtension *extension);

/* Says how many people's class changed, if any's did. */
extern void recoding_tell_moved(int64 moved);

/* Fails where it came to nothing: whoever is suppressed stays so, even where one class of all would keep the promise. */
extern void recoding_extension_refuse(const RecodingExtension *extension, const Dataset *dataset, const RecodingOrder *order);

/* Writes what it came to; returns how many rows were added. */
extern int64 recoding_extension_write(RecodingExtension *extension, const RecodingResult *result);

#endif
