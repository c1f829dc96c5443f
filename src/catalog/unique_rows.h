/*
 * unique_rows.h
 *	  Whether a column tells a relation's rows apart.
 */
#ifndef ANONOPT_UNIQUE_ROWS_H
#define ANONOPT_UNIQUE_ROWS_H

#include "base/compat.h"

/* Whether a relation's indexes let no two rows have the same value, nor one none. */
extern bool column_is_unique(Oid relation, const char *column);

/* Fails with an SQLSTATE where two rows have one name; SPI is connected. */
extern void require_unique(Oid relation, const char *column, int sqlstate, const char *hint);

#endif
