/*
 * population.h
 *	  The data read from a relation: attributes, distinct tuples, and the
 *	  values counted beside them.  The engine works only on these.
 */
#ifndef ANONOPT_POPULATION_H
#define ANONOPT_POPULATION_H

#include "base/names.h"
#include "base/packed_key.h"
#include "engine/hierarchy.h"
#include "engine/histogram.h"

/* The kinds of leaves of a hierarchy. */
typedef enum LeafKind
{
	LEAVES_CATEGORIES,
	LEAVES_NUMBERS,				/* or ranges of them */
	LEAVES_MOMENTS				/* days or times */
} LeafKind;

/* A quasi-identifier. */
typedef struct Attribute
{
	const char *name;
	Hierarchy  *hierarchy;
	double		weight;
	int			min_level;
	int			max_level;
	LeafKind	leaves;
	uint32		unknown_leaf;	/* of values without a leaf, or NO_LEAF */
	KeyField	field;			/* position of its code in a key */
} Attribute;

/* Tuples that look the same, one entry each, sorted by key or not. */
typedef struct TupleTable
{
	uint32		ntuples;
	uint64	   *keys;			/* ntuples * the population's nwords */
	int64	   *counts;
	uint32	  **slices;			/* by column and tuple: its histogram */
	uint32	   *people;			/* different people, if they have been
								 * counted; otherwise NULL, and the persons'
								 * slices have the numbers */
} TupleTable;

/* Promises that the classes of a release must keep together. */
#define MAX_LIMITS 8

/* People of another relation, by the leaves of their values. */
typedef struct Outsiders
{
	uint32		ntuples;
	uint64	   *keys;			/* as the population lays them out */
	uint64	   *unknown;		/* by tuple, one bit per attribute: its value
								 * has no leaf; NULL if all have */
	int64	   *counts;
} Outsiders;

/* A promise about them, and the bounds that it sets a class's figure. */
typedef struct OutsidePromise
{
	bool		given;
	PromiseModel model;
	double		least;
	double		most;
	Outsiders	people;
	struct OutsideBoxes *boxes; /* of them, once a search has made it */
} OutsidePromise;

/* A promise against people who know only some of the columns. */
typedef struct ColumnsKnown
{
	int			columns;
	PromiseModel model;
	int			column;			/* sensitive, or -1: people */
	double		threshold;
} ColumnsKnown;

#define MAX_COLUMNS_KNOWN 32

/* A promise against people who know several rows of a person: k people have any so many. */
typedef struct RowsKnown
{
	int			rows;
	int64		k;
} RowsKnown;

#define MAX_ROWS_KNOWN 32

/* Whose rows there are, if something is promised against people who know several: an entry for rows that are equal. */
typedef struct PersonRows
{
	uint32		npersons;		/* a bound of their numbers */
	uint32		n;
	uint32	   *tuple;			/* by entry, ascending */
	uint32	   *person;
	int64	   *count;
	uint32	  **values;			/* by column without the persons, and entry */
	uint32	   *group;			/* the number of the entry as it was read */
} PersonRows;

typedef struct Population
{
	MemoryContext context;
	int			nattrs;
	Attribute  *attrs;
	int			nwords;			/* words per packed key */
	int			ncolumns;		/* counted columns: sensitive ones, then the
								 * class label, then the persons */
	Histograms **columns;
	int			nsensitive;
	bool		has_label;
	bool		has_persons;	/* a person may have several rows */
	int64		people;			/* rows, or what the count column adds up to */
	int64		persons;		/* different people; the same number unless
								 * they have several rows */
	TupleTable *tuples;			/* the data as read, sorted by key */
	bool		has_conditions; /* for some sensitive column */
	uint32		models;			/* whose measures are promised or requested */
	bool		asks_spread;	/* how unlike classes' sizes are is requested */
	int			nlimits;
	Condition	limits[MAX_LIMITS];
	OutsidePromise outside[OTHERS_MODELS];	/* by place of the model */
	int			nknown;
	ColumnsKnown known[MAX_COLUMNS_KNOWN];
	int			nrows_known;
	RowsKnown	rows_known[MAX_ROWS_KNOWN];
	PersonRows *rows;			/* NULL if there are no such promises, or
								 * everybody has one row */
	int64		possible;		/* tuples that each class with several under
								 * its labels must leave; 0: any number */
	struct KnownSets *sets;		/* of such columns, once a search has counted
								 * them */
} Population;

/* The leaf of a tuple of other people, or NO_LEAF. */
static inline uint32
outsider_leaf(const Population *population, const Outsiders *outsiders, uint32 tuple, int a)
{
	if (outsiders->unknown != NULL && (outsiders->unknown[tuple] >> a & 1) != 0)
		return NO_LEAF;
	return key_get(outsiders->keys + (Size) tuple * population->nwords, &population->attrs[a].field);
}

/* The promise about people outside of which classes may have too few for good, or NULL. */
static inline OutsidePromise *
population_least_outside(Population *population)
{
	for (int i = 0; i < OTHERS_MODELS; i++)
		if (population->outside[i].given && models[population->outside[i].model]->stays_too_small)
			return &population->outside[i];
	return NULL;
}

/* Whether anything is promised about people outside. */
static inline bool
population_asks_outside(const Population *population)
{
	bool		asks = false;

	for (int i = 0; i < OTHERS_MODELS; i++)
		asks = asks || population->outside[i].given;
	return asks;
}

/* Instead of a tuple's class: it is suppressed, or not assigned yet. */
#define NO_CLASS PG_UINT32_MAX
#define NEW_TUPLE (PG_UINT32_MAX - 1)

/* The recoding of each attribute of a node. */
typedef const Recoding *const *Recodings;

/* The persons of the classes, if persons may have several rows. */
static inline Histograms *
population_persons(const Population *population)
{
	return population->columns[population->ncolumns - 1];
}

/* The number of different people in a class; counts has the number of rows. */
static inline int64
class_people(const Population *population, const TupleTable *classes, uint32 class)
{
	if (!population->has_persons)
		return classes->counts[class];
	if (classes->people != NULL)
		return classes->people[class];
	return persons_size(population_persons(population), classes->slices[population->ncolumns - 1][class]);
}

/* An array in the current context, within the budget of the call that the population is read for. */
extern void *population_alloc(const Population *population, Size element, Size n);

/* Lays out the attributes' codes in words, first attribute highest. */
extern void population_lay_out(Population *population);

/*
 * Adds a condition on a sensitive column's values, before its histograms are
 * finished.
 */
extern void population_promise(Population *population, int column, const Condition *condition);

/*
 * Requests a model's measure, for the columns with that promise or, if there
 * are none, for all.
 */
extern void population_ask(Population *population, PromiseModel model);

/* Counts people under every label, for the loss of each recoding. */
extern void population_weigh(Population *population);

/* The recoding that merges runs of a finer one's labels, as recoding_cut does, with its loss. */
extern Recoding *weighed_cut(const Population *population, int a, const Recoding *finer, const bool *keep);

/* Histograms built after a mark, one per column, can be dropped together. */
extern void population_mark(const Population *population, HistogramMark *marks);
extern void population_release(const Population *population, const HistogramMark *marks);

/* The recodings of a node given by levels. */
extern const Recoding **node_of_levels(const Population *population, const int *levels);

/* The order of equally good nodes: by the sum of levels, then lexicographically. */
extern int	compare_levels(const int *a, const int *b, int nattrs);

/* Creates a table without tuples, with room for some. */
extern TupleTable *tuple_table_create(const Population *population, MemoryContext context, uint32 room);

extern void tuple_table_free(const Population *population, TupleTable *table);

/*
 * Computes the classes of a node from the table of a finer one and, if
 * requested, the class of each of its tuples.
 */
extern TupleTable *tuple_table_recode(const Population *population, const TupleTable *finer,
									  Recodings from, Recodings to, MemoryContext context,
									  uint32 **class_of);

/*
 * Creates classes, without keys, from the class of every tuple; none may be
 * empty.
 */
extern TupleTable *tuple_table_group(const Population *population, const TupleTable *finer, const uint32 *class_of,
									 uint32 nclasses, MemoryContext context);

/*
 * Sorts the numbers of items, or their values, by their classes: start[c] is
 * where class c's begin.
 */
extern void group_by_class(const uint32 *class_of, uint32 n, uint32 nclasses, const uint32 *values, uint32 *start, uint32 *grouped);

/*
 * Counts the persons of each class, given the class of each item and its
 * persons; start and together are work space.
 */
extern void count_class_persons(const Population *population, const uint32 *class_of, const uint32 *persons, uint32 n, uint32 nclasses,
								uint32 *start, uint32 *together, int64 *people);

/* The classes of any node, from the original tuples. */
extern TupleTable *population_classes(const Population *population, Recodings node, MemoryContext context);

/* ------------------------------------------------- copies of a population */

/* The population without sensitive and class columns, unless something is promised of values; it is searched much faster. */
extern Population *population_narrow(const Population *population);

/* Writes a population; returns the bytes that it takes, even if there is no place for them. */
extern Size shared_population_write(const Population *population, char *bytes);

/* The population in such bytes, which must stay allocated; names are not shared. */
extern Population *shared_population_read(char *bytes, MemoryContext context);

#endif
