/*
 * row_spool_parts.h
 *	  What reading and keeping rows share.
 */
#ifndef ANONOPT_ROW_SPOOL_PARTS_H
#define ANONOPT_ROW_SPOOL_PARTS_H

#include "read/row_spool.h"
#include "utils/relcache.h"

/* Prepares for rows that begin with such columns of a relation. */
extern void spool_begin_rows(RowSpool *spool, Relation relation, const AttrNumber *numbers);

/* Keeps a row of a group: the columns stand from the second place on, the first is free. */
extern void spool_put(RowSpool *spool, MemoryContext context, uint32 group, Datum *values, bool *nulls);

#endif
