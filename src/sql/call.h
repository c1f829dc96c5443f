/*
 * call.h
 *	  Arguments and result rows of SQL-callable functions, by name.
 *
 * A function is described once, by its CREATE FUNCTION: its code gets arguments
 * and puts columns by the names there.  A name that is not there, or that has
 * another type, is an error in this code.
 */
#ifndef ANONOPT_CALL_H
#define ANONOPT_CALL_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "engine/measure.h"
#include "engine/population.h"
#include "fmgr.h"
#include "funcapi.h"
#include "label/recoding_rows.h"
#include "record/record_model.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

/* ------------------------------------------------------------------ arguments */

/* Whether the running function is declared with an argument. */
extern bool takes_argument(FunctionCallInfo fcinfo, const char *name);

/* The declared type of an argument. */
extern Oid	argument_type(FunctionCallInfo fcinfo, const char *name);

/* Whether an argument is not null. */
extern bool is_given(FunctionCallInfo fcinfo, const char *name);

/* An argument of a type; fails with 22023 if it is null. */
extern Datum get_argument(FunctionCallInfo fcinfo, const char *name, Oid type);

/* Fails with 22023 if an argument is null. */
extern void require_argument(FunctionCallInfo fcinfo, const char *name);

/* A text or name, as a string; or NULL for a null. */
extern char *name_argument(FunctionCallInfo fcinfo, const char *name);
extern char *name_if_given(FunctionCallInfo fcinfo, const char *name);

/* A relation, or a string constant that names one; or InvalidOid for a null. */
extern Oid	relation_argument(FunctionCallInfo fcinfo, const char *name);
extern Oid	relation_if_given(FunctionCallInfo fcinfo, const char *name);

/* A number; one in [0,1]; an integer within bounds; true or false; an array of a type. */
extern double number_argument(FunctionCallInfo fcinfo, const char *name);
extern double probability_argument(FunctionCallInfo fcinfo, const char *name);
extern int	integer_argument(FunctionCallInfo fcinfo, const char *name, int least, int most);
extern bool boolean_argument(FunctionCallInfo fcinfo, const char *name);
extern ArrayType *array_argument(FunctionCallInfo fcinfo, const char *name, Oid type);

/* A value of an argument, which must be finite. */
extern double require_finite(const char *name, double value);

/* A value that must be a share of 1, which rounding may have lifted to most. */
extern double require_share(const char *name, double value, double most);

/* The elements of such an array, which has one dimension and no nulls; sets their number. */
extern const void *elements_argument(FunctionCallInfo fcinfo, const char *name, Oid type, int *n);

/* "seed"; a new one for NULL. */
extern int64 seed_argument(FunctionCallInfo fcinfo);

/* "dataset": a declared data set, sound and with a quasi-identifier. */
extern Dataset *dataset_argument(FunctionCallInfo fcinfo);

/* Gets it for a function that measures nodes one by one, and so keeps promises about several rows of a person. */
extern Dataset *node_dataset_argument(FunctionCallInfo fcinfo);

/* Reads it; NULL if it has no rows. */
extern Population *population_argument(const Dataset *dataset);

/* A number that is at least 1; 0 if there is no such argument or it is null. */
extern int	count_if_given(FunctionCallInfo fcinfo, const char *name);

/*
 * "k", "l" and "t": l and t are added to what the data set promises.  The limit
 * is set once the number of people is known.
 */
extern Promise promise_arguments(FunctionCallInfo fcinfo, Dataset *dataset);

/* One of some names, as its value; see require_choice. */
extern int	choice_argument(FunctionCallInfo fcinfo, const char *name, const char *plural, const char *const *names, int n,
							const char *last);

/* "risk" and "utility": models of them, by name, for records. */
extern RiskModel risk_argument(FunctionCallInfo fcinfo);
extern UtilityModel utility_argument(FunctionCallInfo fcinfo);

/*
 * The nodes in an array of levels with one or two dimensions, or in a string
 * constant that is one; sets *nnodes.
 */
extern int **levels_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset, int *nnodes);

/* The single node of such an array. */
extern int *node_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset);

/* "key", the column that identifies rows, or NULL. */
extern char *key_argument(FunctionCallInfo fcinfo, const Dataset *dataset);

/* Names of columns, not too many to be what they shall be. */
extern char **names_argument(FunctionCallInfo fcinfo, const char *name, const char *what, int *n);

/* Columns of a relation, each of which exists and is named once. */
extern char **columns_argument(FunctionCallInfo fcinfo, const char *name, Oid relation, int *ncolumns);

/* Fails if the hierarchical distance has no hierarchy. */
extern void require_distance_hierarchy(Distance distance, Oid hierarchy);

/*
 * The bit strings in an array, one per quasi-identifier and partition; returns
 * the number of partitions.
 */
extern Datum *cuts_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset, int *nnodes);

/* Those of a single partition, which errors call so. */
extern Datum *one_cuts_argument(FunctionCallInfo fcinfo, const char *name, const Dataset *dataset, const char *what);

/* "dataset": a declared data set whose relation the caller may read. */
extern Dataset *readable_dataset_argument(FunctionCallInfo fcinfo);

/* "labels": their kind, by name. */
extern RecodingLabels labels_argument(FunctionCallInfo fcinfo);

/* -------------------------------------------------------------------- results */

/* A row of the result, while its columns are put; the others are null. */
typedef struct ResultRow
{
	TupleDesc	desc;
	Tuplestorestate *rows;		/* of a function that returns a set */
	Datum	   *values;
	bool	   *nulls;
	int			next;			/* the column after the last one put */
} ResultRow;

/* Begins the result of a function that returns rows or a row. */
extern ResultRow *result_begin(FunctionCallInfo fcinfo);

/* Puts a column; a number is a float8, a count an integer of the column's size. */
extern void put_datum(ResultRow *row, const char *name, Oid type, Datum value);
extern void put_number(ResultRow *row, const char *name, double value);
extern void put_count(ResultRow *row, const char *name, int64 value);
extern void put_bool(ResultRow *row, const char *name, bool value);

/* Puts a text or name; NULL is null. */
extern void put_string(ResultRow *row, const char *name, const char *value);

/* Adds the row to a set, and begins the next one. */
extern void row_add(ResultRow *row);

/* The row as the value of a function that returns one. */
extern Datum row_datum(ResultRow *row);

#endif
