/*
 * row_count.h
 *	  Invalid values of a count column.
 */
#ifndef ANONOPT_ROW_COUNT_H
#define ANONOPT_ROW_COUNT_H

#include "base/compat.h"

#include "catalog/dataset.h"

/* Why a value is refused; statements return these numbers. */
typedef enum RowCountFault
{
	ROW_COUNT_NOT_FINITE = -4,
	ROW_COUNT_FRACTION = -3,
	ROW_COUNT_NEGATIVE = -2,
	ROW_COUNT_NULL = -1
} RowCountFault;

pg_noreturn extern void refuse_row_count(RowCountFault fault);

/*
 * An expression for the number of people in a group of rows: a bigint, or the
 * least RowCountFault among the rows.  It uses only PostgreSQL's own
 * functions, so a server without the extension can compute it.
 */
extern char *group_count_sql(const Dataset *dataset, const char *alias);

#endif
