/*
 * reading.h
 *	  A relation that is being read: the interface for readers.
 */
#ifndef ANONOPT_READING_H
#define ANONOPT_READING_H

#include "catalog/dataset.h"
#include "engine/outside.h"
#include "engine/population.h"
#include "read/hierarchy_read.h"
#include "read/tuples.h"

#include "utils/relcache.h"

/* A column to read, in one of its roles. */
typedef struct ReadColumn
{
	const Declared *declared;
	AttrNumber	number;			/* of the relation's column */
	Oid			type;			/* its base type */
	bool		by_bytes;		/* its collation does not compare texts by
								 * their bytes, as we do */
	LoadedHierarchy *loaded;	/* or NULL */
	const char *form;			/* in which it is read; see type_match.h */
	bool		as_is;			/* read without its hierarchy */
	int			values_column;	/* the column that holds a sensitive one's
								 * values */
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
								 * label at this level are not distinguished;
								 * or NULL */
	int			memory_times;	/* its use takes this many times the memory of
								 * a search; 0 means 1 */
	bool		keeps_ties;		/* its use may keep several nodes a tuple,
								 * those with equal risk */
	bool		may_use_store;	/* only distinct tuples are needed */
	Oid			opaque_type;
	uint32	   *tuple_of;		/* by tuple read: the population's tuple, if
								 * requested */
	Tuples	   *tuples;			/* as they were read; later only their
								 * dictionaries */
} Reading;

/*
 * Opens the relations, loads the hierarchies, and only then finds the columns
 * and their types; SPI is connected.  Closing keeps the locks.
 */
extern void reading_prepare(Reading *reading);
extern void reading_close(Reading *reading);

/* Creates the encoders, or recreates them after they have numbered values. */
extern void reading_make_encoders(Reading *reading);

/* The current name of a column, quoted. */
extern const char *reading_column_name(const Reading *reading, int i);

/*
 * Reads a population and remains able to encode the relation's rows again,
 * unless a tuple store was read.  With levels, the population serves only
 * nodes that are nowhere below them: each label's first leaf represents all
 * its leaves, which makes tuples fewer.
 */
extern Population *reading_population(const Dataset *dataset, const int *levels, bool may_use_store, bool keeps_ties, Reading **reading);

/*
 * Reads a relation with such columns as a dictionary, in which values may lack
 * a leaf: they get the population's leaf of such values if it has one and that
 * is requested, and none otherwise.
 */
extern EntryTable *reading_entries(const Dataset *dataset, Oid relation, const Population *population, bool shows_unknown);

/*
 * The columns from first on, as a statement selects them from r, each after a
 * comma; and the count.
 */
extern void append_read_columns(const Reading *reading, int ncolumns, StringInfo sql);

#endif
