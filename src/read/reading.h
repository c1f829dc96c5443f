/*
 * reading.h
 *	  A relation that is being read, as those who read it see it.
 */
#ifndef ANONOPT_READING_H
#define ANONOPT_READING_H

#include "catalog/dataset.h"
#include "engine/entry_table.h"
#include "engine/population.h"
#include "read/hierarchy_read.h"
#include "read/tuples.h"

#include "utils/relcache.h"

/* A column that is read, in one of its roles. */
typedef struct ReadColumn
{
	const Declared *declared;
	AttrNumber	number;			/* of the relation's column */
	Oid			type;			/* its base type */
	bool		by_bytes;		/* its collation does not tell texts apart by
								 * their bytes, as we do */
	LoadedHierarchy *loaded;	/* or NULL */
	const char *form;			/* in which it is read, see type_match.h */
	bool		as_is;			/* read without the hierarchy it has */
	int			values_column;	/* the column that holds a sensitive one's
								 * values */
	uint32	   *population_codes;	/* the population's code of each code that
									 * was read, or NULL */
} ReadColumn;

typedef struct Reading
{
	const Dataset *dataset;
	MemoryContext context;
	Relation	relation;		/* open until all is read */
	List	   *hierarchies;	/* so are these */
	int			ncolumns;
	ReadColumn *columns;		/* quasi-identifiers, sensitive columns, class
								 * label, columns as is, person */
	ReadColumn *person;			/* NULL where every row is a person's only one */
	EncoderSet	set;
	bool		admits_misses;	/* values may lack a leaf */
	const int  *levels;			/* by quasi-identifier: leaves are told apart
								 * no further than by their label there; or
								 * NULL */
	int			memory_times;	/* what is done with it takes so many times
								 * the memory of a search; 0 is 1 */
	bool		may_use_store;	/* only distinct tuples are wanted */
	Oid			opaque_type;
	uint32	   *tuple_of;		/* by number of a tuple that was read: the
								 * population's, if that is wanted */
	Tuples	   *tuples;			/* as they were read; later only their
								 * dictionaries */
} Reading;

/*
 * Opens what is read, loads the hierarchies, and only then finds the columns
 * and their types; SPI is connected.  Closing keeps the locks.
 */
extern void reading_prepare(Reading *reading);
extern void reading_close(Reading *reading);

/* Makes the encoders, or makes them again after they have numbered values. */
extern void reading_make_encoders(Reading *reading);

/* The name that a column has now, quoted. */
extern const char *reading_column_name(const Reading *reading, int i);

/*
 * Reads a population and stays able to encode the relation's rows again, if
 * they are what was read and not a tuple store.  With levels, for nodes that
 * are nowhere below them: each label's first leaf stands for all of its
 * leaves, so that tuples are fewer.
 */
extern Population *reading_population(const Dataset *dataset, const int *levels, bool may_use_store, Reading **reading);

/* Reads a relation with such columns as a dictionary: values may lack a leaf. */
extern EntryTable *reading_entries(const Dataset *dataset, Oid relation, const Population *population);

/* The first of the columns that are read, as a statement selects them from r, behind commas; and the count. */
extern void append_read_columns(const Reading *reading, int ncolumns, StringInfo sql);

#endif
