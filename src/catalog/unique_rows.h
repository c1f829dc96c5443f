/*
 * unique_rows.h
 *	  Whether a column's values are unique.
 */
#ifndef ANONOPT_UNIQUE_ROWS_H
#define ANONOPT_UNIQUE_ROWS_H

#include "base/compat.h"

#include "utils/relcache.h"

/*
 * Whether an index on a column alone is unique, valid, not partial and not
 * deferrable, and takes for equal what the column does; NULLs may repeat.
 */
extern bool index_keeps_unique(Relation relation, AttrNumber attnum);

/* Whether a relation's indexes guarantee that a column is unique and not null. */
extern bool column_is_unique(Oid relation, const char *column);

/* Fails with an SQLSTATE if two rows have the same value; SPI is connected. */
extern void require_unique(Oid relation, const char *column, int sqlstate, const char *hint);

#endif
