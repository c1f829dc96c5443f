/*
 * own_tables.h
 *	  Tables of ours, which nobody but their owner may touch.
 */
#ifndef ANONOPT_OWN_TABLES_H
#define ANONOPT_OWN_TABLES_H

#include "base/compat.h"

/* Runs a writing statement as the owner of the catalogs; returns the number of rows. */
extern uint64 write_catalog(const char *statement, int nargs, Oid *types, Datum *values, const char *nulls);

/* Runs a reading statement as that owner; SPI, which is connected, holds its rows. */
extern void read_catalog_rows(const char *statement, int nargs, Oid *types, Datum *values);

/* The text that a statement's first row is, read in the same way; NULL without one. */
extern Datum read_catalog(const char *statement, int nargs, Oid *types, Datum *values, bool *isnull);

#endif
