/*
 * recoding_argument.h
 *	  Recodings as arguments of SQL-callable functions.
 */
#ifndef ANONOPT_RECODING_ARGUMENT_H
#define ANONOPT_RECODING_ARGUMENT_H

#include "catalog/dataset.h"
#include "release/recoding_rows.h"

/* A declared data set whose relation the caller may read. */
extern Dataset *readable_dataset_argument(FunctionCallInfo fcinfo, int argument);

/* The kind of labels, by name. */
extern RecodingLabels labels_argument(FunctionCallInfo fcinfo, int argument);

/* The loss to minimize, by name. */
extern Objective recoding_loss_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset);

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

#endif
