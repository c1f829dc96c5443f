/*
 * arguments.h
 *	  Gets and checks the arguments of SQL-callable functions.
 */
#ifndef ANONOPT_ARGUMENTS_H
#define ANONOPT_ARGUMENTS_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "engine/measure.h"
#include "engine/population.h"
#include "record/record_model.h"
#include "release/recoding_rows.h"
#include "utils/array.h"

/* Fails with 22023 if an argument is null. */
extern void require_argument(FunctionCallInfo fcinfo, int argument, const char *name);

extern char *name_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* A number in [0,1]; the default for NULL. */
extern double probability_argument(FunctionCallInfo fcinfo, int argument, const char *name, double otherwise);

/* An integer within bounds. */
extern int	integer_argument(FunctionCallInfo fcinfo, int argument, const char *name, int least, int most);

/* True or false. */
extern bool boolean_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* A seed; a new one for NULL. */
extern int64 seed_argument(FunctionCallInfo fcinfo, int argument);

/* A declared data set, sound and with a quasi-identifier. */
extern Dataset *dataset_argument(FunctionCallInfo fcinfo, int argument);

/* Reads it; NULL if it has no rows. */
extern Population *population_argument(const Dataset *dataset);

/*
 * k, l and t, starting at an argument: l and t are added to what the data set
 * promises.  The limit is set once the number of people is known.
 */
extern Promise promise_arguments(FunctionCallInfo fcinfo, int first, Dataset *dataset);

/* The same, each at a given position. */
extern Promise promise_at(FunctionCallInfo fcinfo, int k, int l, int t, Dataset *dataset);

/* Models of risk and utility, by name, for records. */
extern RiskModel risk_argument(FunctionCallInfo fcinfo, int argument);
extern UtilityModel utility_argument(FunctionCallInfo fcinfo, int argument);

/*
 * An array with one element per quasi-identifier, or of such arrays: one node
 * each; sets *nnodes.
 */
extern ArrayType *attributes_argument(FunctionCallInfo fcinfo, int argument, const char *name, const char *element,
									  const Dataset *dataset, int *nnodes);

/* The nodes in an array of levels with one or two dimensions; sets *nnodes. */
extern int **levels_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes);

/* The single node of such an array. */
extern int *node_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset);

/* The column that identifies rows, or NULL. */
extern char *key_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset);

/* Columns of a relation, each of which exists and is named once. */
extern char **columns_argument(FunctionCallInfo fcinfo, int argument, Oid relation, int *ncolumns);

/* Fails if the hierarchical distance has no hierarchy. */
extern void require_distance_hierarchy(Distance distance, Oid hierarchy);

/* ------------------ partitions of ordered domains as arguments: bit strings */

/*
 * The bit strings in an array, one per quasi-identifier and partition; returns
 * the number of partitions.
 */
extern Datum *cuts_argument(FunctionCallInfo fcinfo, int argument, const Dataset *dataset, int *nnodes);

/* ------------------------- recodings as arguments of SQL-callable functions */

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

/* --------------------------------- declaring data sets, for other functions */

extern void declare_dataset(const char *name, Oid relation, double max_suppression,
							const char *person, const char *count_column, const char *timezone);

/*
 * Fails with 42703 if a relation lacks a column, and with 42501 if the caller
 * may not read it.
 */
extern void require_readable_column(Oid relation, const char *column);

/* The row type of an existing relation. */
extern Oid	row_type(Oid relation);

/*
 * Fails unless a relation exists and can be a data set's, a hierarchy, a table
 * of weights or a population.
 */
extern void require_rows(Oid relation);

/*
 * Deletes promises of a data set, restricted to a model and a column if these
 * are not NULL.
 */
extern uint64 delete_promises(const Dataset *dataset, const char *model, const char *column);

/* Declares a quasi-identifier, after its hierarchy was found sound and matching. */
extern void declare_quasi_identifier(Dataset *dataset, Declared *declared);

#endif
