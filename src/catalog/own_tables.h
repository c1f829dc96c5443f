/*
 * own_tables.h
 *	  The extension's private tables, which only their owner may access.
 */
#ifndef ANONOPT_OWN_TABLES_H
#define ANONOPT_OWN_TABLES_H

#include "base/compat.h"

/*
 * Runs a statement that writes as the owner of the catalogs; returns the
 * number of rows.
 */
extern uint64 write_catalog(const char *statement, int nargs, Oid *types, Datum *values, const char *nulls);

/* Runs a query as that owner; SPI, which is connected, holds its rows. */
extern void read_catalog_rows(const char *statement, int nargs, Oid *types, Datum *values);

/* The text in the first row of such a query; NULL if it has no rows. */
extern Datum read_catalog(const char *statement, int nargs, Oid *types, Datum *values, bool *isnull);

#endif
