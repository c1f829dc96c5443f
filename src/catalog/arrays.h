/*
 * arrays.h
 *	  Arrays of one dimension, as values of a statement or a result.
 */
#ifndef ANONOPT_ARRAYS_H
#define ANONOPT_ARRAYS_H

#include "base/compat.h"

#include "nodes/pg_list.h"

/* NULL stands for NULL. */
extern Datum texts_datum(const char *const *texts, int n);

extern Datum names_datum(char *const *names, int n);
extern Datum integers_datum(const int *integers, int n);
extern Datum doubles_datum(const double *doubles, int n);

/* type is oid or an alias of it. */
extern Datum oids_datum(const List *oids, Oid type);

/* OIDs as bigint, which a dump keeps as they are. */
extern Datum numbers_datum(const Oid *oids, int n);

#endif
