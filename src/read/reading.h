/*
 * reading.h
 *	  A relation that is being read: the interface for readers, then what the
 *	  steps of a reading have in common.
 */
#ifndef ANONOPT_READING_H
#define ANONOPT_READING_H

#include "base/key_counter.h"
#include "catalog/dataset.h"
#include "engine/outside.h"
#include "engine/population.h"
#include "read/encoder.h"
#include "read/hierarchy_read.h"
#include "store/store.h"

#include "utils/relcache.h"

/* The most values without a leaf that a message lists. */
#define MAX_MISSES 5

typedef struct Miss
{
	int			encoder;
	char	   *value;
} Miss;

/*
 * Distinct tuples; columns without a hierarchy have a dictionary of the values
 * read.
 */
typedef struct Tuples
{
	MemoryContext context;
	EncoderSet *set;			/* encodes its rows; NULL for tuples of other
								 * processes */
	int			ncolumns;
	KeyCounter *counter;
	Dictionary **dictionaries;	/* by column; NULL if there is a hierarchy */
	KeyField   *fields;			/* by column; only for those with a dictionary */
	int			nmisses;
	Miss		misses[MAX_MISSES];
} Tuples;

/* A column to read, in one of its roles. */
typedef struct ReadColumn
{
	const Declared *declared;
	AttrNumber	number;			/* of the relation's column */
	Oid			type;			/* its base type */
	bool		by_bytes;		/* its collation does not compare texts by
								 * their bytes, as we do */
	LoadedHierarchy *loaded;	/* or NULL */
	Oid			loaded_for;		/* the type it was loaded for */
	const char *form;			/* in which it is read; see type_match.h */
	int			values_column;	/* the column that holds a sensitive one's
								 * values */
	struct Buckets *buckets;	/* in which another server places its values;
								 * NULL if they come unchanged */
	uint32	   *population_codes;	/* the population's code of each code
									 * read, or NULL */
} ReadColumn;

typedef struct Reading
{
	const Dataset *dataset;
	MemoryContext context;
	Relation	relation;		/* open until the reading ends */
	Oid			role;			/* reads it */
	List	   *hierarchies;	/* so are these */
	int			ncolumns;
	ReadColumn *columns;		/* quasi-identifiers, sensitive columns, class
								 * label, columns as is, shown ones, person */
	ReadColumn *person;			/* NULL if nobody has several rows */
	EncoderSet	set;
	bool		admits_misses;	/* values may lack a leaf */
	bool		leaves_out;		/* rows with such values, without a word */
	List	   *shown;			/* names of further columns to tell apart */
	const int  *levels;			/* by quasi-identifier: leaves with the same
								 * label at this level are not distinguished,
								 * unless losses count those that occur; or
								 * NULL */
	int			memory_times;	/* its use takes this many times the memory of
								 * a search; 0 means 1 */
	bool		keeps_ties;		/* its use may keep several nodes a tuple,
								 * those with equal risk */
	bool		may_use_store;	/* only distinct tuples are needed */

	/* how it is read; see read_plan.c */
	bool		grouped;		/* where its rows are stored, not by our
								 * aggregate */
	char	   *statement;
	StoreRead  *store;			/* read instead of the relation, or NULL */
	int		   *places;			/* by column: its position in the store's
								 * table, if rows are encoded without a
								 * statement; or NULL */
	List	   *leaves;			/* partitions read instead of the parent */

	/* what was read */
	MemoryContext row;			/* reset after each tuple of a store */
	uint32	   *tuple_of;		/* by tuple read: the population's tuple, if
								 * requested */
	uint32	   *value_of;		/* likewise the population's value of the
								 * first sensitive column */
	Tuples	   *tuples;			/* as they were read; later only their
								 * dictionaries */
	MemoryContext caller;		/* current outside the reading */
	int			settings;		/* to be restored at its end */
} Reading;

/*
 * Begins a reading in a memory context, which becomes the current one, and in
 * the data set's time zone.
 */
extern Reading *reading_begin(const Dataset *dataset, MemoryContext context);

/*
 * Opens the relations, loads the hierarchies, and only then finds the columns
 * and their types.
 */
extern void reading_prepare(Reading *reading);

/* Ends a reading, but keeps the locks. */
extern void reading_close(Reading *reading);

/* Creates the encoders, or recreates them after they have numbered values. */
extern void reading_make_encoders(Reading *reading);

/* The current name of a column, quoted. */
extern const char *reading_column_name(const Reading *reading, int i);

/*
 * Reads a population and remains able to encode the relation's rows again,
 * unless a tuple store was read.
 */
extern Population *reading_population(const Dataset *dataset, bool may_use_store, bool keeps_ties, Reading **reading);

/*
 * Reads a relation with such columns as a dictionary, in which values may lack
 * a leaf: they get the population's leaf of such values if it has one and that
 * is requested, and none otherwise.
 */
/*
 * Makes errors name the promise whose population is read, until
 * error_context_stack is what it was.
 */
extern void begin_telling_promise(const DeclaredPromise *promise, ErrorContextCallback *callback);

extern Outsiders *read_outsiders(const Dataset *dataset, Oid relation, const Population *population, bool shows_unknown);

/* The columns as a statement selects them from r, each after a comma; and the count. */
extern void append_read_columns(const Reading *reading, StringInfo sql);

/* -------------------------------------------------- distinct tuples of codes */

/* Stores a value without a leaf, as text. */
extern void tuples_add_miss(Tuples *tuples, int encoder, const char *value);

/* The code of a value without a leaf; stores the value if it is an error. */
extern uint32 tuples_miss(Tuples *tuples, int encoder, Datum value);

/* Creates an empty set of tuples for the encoders' columns. */
extern Tuples *tuples_begin(MemoryContext parent, EncoderSet *set);

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

/* Measures leaves within the extent of a column, whose name is quoted and which is read in a form. */
extern void leaf_widths_measure(Oid relation, const char *column, const char *form, LoadedHierarchy *loaded);

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
	bool		as_stored;		/* values are compared without a cast */
} Buckets;

/*
 * Turns buckets of local times into those of the moments that they are in a
 * zone, whose thresholds are instants; returns false if it cannot.
 */
extern bool place_moments(Buckets *buckets, const char *zone, char ***instants);

/* Plans a reading whose columns are prepared. */
extern void plan_read(Reading *reading);

/*
 * Whether grouping a distributed relation's rows where they are stored is faster
 * than the statement that returns the rows themselves, of some types.
 */
extern bool grouping_pays_off(const Reading *reading, const char *rows, const Oid *types);

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

/*
 * Makes errors name the servers that are read, until error_context_stack is
 * reset to the callback's previous.
 */
extern void begin_telling_servers(const Reading *reading, ErrorContextCallback *callback);

/* Fails if a shard would treat different texts as equal. */
extern void check_shard_collations(const Reading *reading);

/* Fails if rows of a distributed relation would come as texts that other settings change. */
extern void require_exact_values(const Reading *reading);

/* Fails if partitions were attached or detached since. */
extern void check_leaves(const Reading *reading);

#endif
