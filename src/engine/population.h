/*
 * population.h
 *	  What was read from a relation: attributes, distinct tuples, and the
 *	  values counted beside them.  The engine works on this alone.
 */
#ifndef ANONOPT_POPULATION_H
#define ANONOPT_POPULATION_H

#include "base/limits.h"
#include "base/packed_key.h"
#include "engine/hierarchy.h"
#include "engine/persons.h"

/* What the leaves of a hierarchy are. */
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
	KeyField	field;			/* where its code stands in a key */
} Attribute;

/* Tuples that look the same, a row each, in the order of their keys or not. */
typedef struct TupleTable
{
	uint32		ntuples;
	uint64	   *keys;			/* ntuples times the population's nwords */
	int64	   *counts;
	uint32	  **slices;			/* by column and tuple: its histogram */
} TupleTable;

/* What the classes that a release shows must keep together. */
typedef struct ReleaseLimits
{
	bool		has_average_risk;
	bool		has_share_above;
	double		average_risk;	/* classes a person, at most */
	double		share_above;	/* of the people, whose risk is above */
	double		risk;			/* this, at most */
} ReleaseLimits;

/* People of another relation, by the leaves of their values. */
typedef struct Outsiders
{
	uint32		ntuples;
	uint64	   *keys;			/* as the population lays them out */
	uint64	   *unknown;		/* by tuple, bit by attribute: its value has
								 * no leaf; NULL where all have */
	int64	   *counts;
} Outsiders;

/* What a class promises of them. */
typedef enum OutsideModel
{
	OUTSIDE_K_MAP,				/* so many have its labels */
	OUTSIDE_PRESENCE,			/* such a share of them is in the class */
	OUTSIDES
} OutsideModel;

typedef struct OutsidePromise
{
	bool		given;
	double		least;
	double		most;
	Outsiders	people;
} OutsidePromise;

typedef struct Population
{
	MemoryContext context;
	int			nattrs;
	Attribute  *attrs;
	int			nwords;			/* words a packed key */
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
	bool		has_conditions; /* of some sensitive column */
	uint32		models;			/* whose measures are promised or asked for */
	ReleaseLimits limits;
	OutsidePromise outside[OUTSIDES];
} Population;

/* In place of the number of a tuple's class: it is in none, or nobody has said. */
#define NO_CLASS PG_UINT32_MAX
#define NEW_TUPLE (PG_UINT32_MAX - 1)

/* How every attribute of a node is shown. */
typedef const Recoding *const *Recodings;

/* Who has rows in the classes, where persons may have several. */
static inline Histograms *
population_persons(const Population *population)
{
	return population->columns[population->ncolumns - 1];
}

/* How many different people are in a class; counts says how many rows. */
static inline int64
class_people(const Population *population, const TupleTable *classes, uint32 class)
{
	if (!population->has_persons)
		return classes->counts[class];
	return persons_size(population_persons(population), classes->slices[population->ncolumns - 1][class]);
}

/* Lays the attributes' codes out in words, first attribute highest. */
extern void population_lay_out(Population *population);

/* What classes must keep of a sensitive column's values, before its histograms are finished. */
extern void population_promise(Population *population, int column, const Condition *condition);

/* Asks for a model's measure, of the columns that promise it or else of all. */
extern void population_ask(Population *population, PromiseModel model);

/* Counts people under every label: what each recoding loses. */
extern void population_weigh(Population *population);
extern void recoding_weigh(const Population *population, int attr, Recoding *recoding);

/* Histograms made after a mark, one a column, can be dropped together. */
extern void population_mark(const Population *population, HistogramMark *marks);
extern void population_release(const Population *population, const HistogramMark *marks);

/* The recodings of a node given by levels. */
extern const Recoding **node_of_levels(const Population *population, const int *levels);

/* The order of equal nodes: the least sum of levels, then the lexicographically least. */
extern int	compare_levels(const int *a, const int *b, int nattrs);

/* A table without tuples, with room for some. */
extern TupleTable *tuple_table_create(const Population *population, MemoryContext context, uint32 room);

extern void tuple_table_free(const Population *population, TupleTable *table);

/*
 * The classes of a node, from the table of a finer one; which class each of
 * its tuples falls in, if that is wanted.
 */
extern TupleTable *tuple_table_recode(const Population *population, const TupleTable *finer,
									  Recodings from, Recodings to, MemoryContext context,
									  uint32 **class_of);

/* Classes given by the class of every tuple, none empty: without keys. */
extern TupleTable *tuple_table_group(const Population *population, const TupleTable *finer, const uint32 *class_of,
									 uint32 nclasses, MemoryContext context);

/* The classes of any node, from the tuples as they were read. */
extern TupleTable *population_classes(const Population *population, Recodings node, MemoryContext context);

#endif
