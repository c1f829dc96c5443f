/*
 * reading_parts.h
 *	  Declarations shared by the steps of reading a relation.
 */
#ifndef ANONOPT_READING_PARTS_H
#define ANONOPT_READING_PARTS_H

#include "base/compat.h"

#include "catalog/dataset.h"
#include "read/hierarchy_read.h"
#include "read/reading.h"

/* -------------------------------------------------- distinct tuples of codes */

/* Stores a value without a leaf, as text. */
extern void tuples_add_miss(Tuples *tuples, int encoder, const char *value);

/* The code of a value without a leaf; stores the value if it is an error. */
extern uint32 tuples_miss(Tuples *tuples, const EncoderSet *set, int encoder, Datum value);

/* Creates an empty set of tuples for the encoders' columns. */
extern Tuples *tuples_begin(MemoryContext parent, const EncoderSet *set);

/* The tuples in the aggregate's result, in a memory context of their own below one. */
extern Tuples *tuples_of_value(Datum value, MemoryContext context);

/* ----------------------------------------- invalid values of a count column */

/* Why a value is refused; statements return these numbers. */
typedef enum RowCountFault
{
	ROW_COUNT_NOT_FINITE = -4,
	ROW_COUNT_FRACTION = -3,
	ROW_COUNT_NEGATIVE = -2,
	ROW_COUNT_NULL = -1
} RowCountFault;

pg_noreturn extern void refuse_row_count(RowCountFault fault);

/* The number of people that a row stands for; fails if it is null or negative. */
extern int64 row_count(Datum count, bool isnull);

/*
 * An expression for the number of people in a group of rows: a bigint, or the
 * least RowCountFault among the rows.  It uses only PostgreSQL's own
 * functions, so a server without the extension can compute it.
 */
extern char *group_count_sql(const Dataset *dataset, const char *alias);

/* --------------------------------------- the width of leaves that are ranges */

/* Whether leaves of a type are ranges of numbers, days or times. */
extern bool leaves_have_width(Oid type);

/* Measures leaves within the extent of a column, whose name is quoted. */
extern void leaf_widths_measure(Oid relation, const char *column, LoadedHierarchy *loaded);

/* ---------------------------------------------------- how a relation is read */

/* A column grouped by the intervals of its leaves. */
typedef struct Buckets
{
	int			n;				/* thresholds; buckets are 0 to n */
	char	   *thresholds;		/* as an array of SQL */
	char	   *last;			/* the last one, if it belongs to the bucket
								 * before; or NULL */
	uint32	   *codes;			/* by bucket; NO_LEAF for a gap */
	char	  **names;			/* by threshold, for messages */
} Buckets;

/* Plans a reading whose columns are prepared. */
extern void plan_read(Reading *reading);

/* The statement over a store's rows, if they cannot be encoded without one. */
extern void plan_store_statement(Reading *reading);

/* The types as which the columns, and a count behind them, are decoded. */
extern Oid *reading_types(const Reading *reading);

extern void read_plan_define_settings(void);

/* Counts a row whose columns are encoded here; returns its group's number, or LEFT_OUT. */
#define LEFT_OUT PG_UINT32_MAX

extern uint32 count_codes(Reading *reading, const Datum *values, const bool *nulls, int64 count);

/* Fails if values without a leaf were read. */
extern void refuse_misses(const Reading *reading);

/* Runs the statement that reads the relation, once its columns are prepared. */
extern void run_read(Reading *reading);

/*
 * Estimates the memory of the reading, for the hint of an error: before it,
 * when the number of tuples is a guess, which is returned, and afterwards.
 */
extern double reading_expect_memory(const Reading *reading);
extern void reading_expect_tuples(const Reading *reading, double ntuples);

/* Builds the population from the tuples read. */
extern Population *make_population(Reading *reading);

/* The code read for a column of a tuple. */
static inline uint32
read_code(const Reading *reading, uint32 tuple, int column)
{
	const KeyCounter *counter = reading->tuples->counter;

	return key_get(counter->keys + (Size) tuple * counter->nwords, &reading->set.encoders[column].field);
}

/* ---------------------- foreign tables whose rows a reading groups remotely */

/* The partitions or children of a table that hold rows, in a fixed order. */
extern List *leaf_partitions(Oid relation);

/* Whether any of them is a foreign table. */
extern bool has_foreign_leaf(Oid relation);

/*
 * Makes errors name the servers that are read, until error_context_stack is
 * reset to the callback's previous.
 */
extern void begin_telling_servers(const Reading *reading, ErrorContextCallback *callback);

/* Fails if a shard would treat different texts as equal. */
extern void check_shard_collations(const Reading *reading);

/* Fails if partitions were attached or detached since. */
extern void check_leaves(const Reading *reading);

#endif
