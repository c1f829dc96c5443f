/*
 * histogram.h
 *	  How often each value of a column occurs in each class, and the persons
 *	  with rows in it.
 */
#ifndef ANONOPT_HISTOGRAM_H
#define ANONOPT_HISTOGRAM_H

#include "base/names.h"
#include "engine/hierarchy.h"
#include "promise/model.h"

typedef enum ColumnRole
{
	COLUMN_SENSITIVE,
	COLUMN_CLASS_LABEL,
	COLUMN_PERSON				/* the person of a row; see persons.c */
} ColumnRole;

/* One histogram, and its properties, computed once. */
typedef struct ClassHistogram
{
	Size		start;			/* of its entries, in the order of the values */
	uint32		length;			/* distinct values */
	uint32		breaks;			/* models whose conditions it breaks */
	int64		most;			/* the largest count */
	int64		least_suppressed;	/* if it breaks one: least number of rows
									 * suppressed at every node below */
	int128		squares;		/* sum of the squared counts */
	double		entropy;		/* in nats */
	double		distance;		/* from the distribution over all people */
} ClassHistogram;

/* The persons with rows in a class, instead of a histogram. */
typedef struct PersonClass
{
	Size		start;			/* of the listed persons */
	uint32		length;			/* different people */
	uint32		alone;			/* persons not listed */
} PersonClass;

/* All histograms of one column, as a stack, so that a walk can drop its own. */
typedef struct Histograms
{
	MemoryContext context;
	const char *name;
	ColumnRole	role;
	Distance	metric;
	uint32		nvalues;		/* distinct values of the data, numbered in
								 * order */
	Hierarchy  *tree;			/* of the hierarchical distance */
	uint32	   *leaf_of;		/* the tree's leaf of each value */
	int			nconditions;
	Condition	conditions[MAX_CONDITIONS];
	uint32		models;			/* promised for the column, or requested */
	int			nkept;			/* models whose figures are kept */
	const Model *kept[KEPT_FIGURES];
	bool		lenient;		/* only present values count */
	uint32		values;			/* distinct values that somebody has */
	double	   *surprise;		/* by value: -ln of its share, for beta */
	int64		people;
	int64	   *total;			/* people by value */

	ValueCount *entries;
	Size		nentries;
	Size		entry_capacity;
	uint32	   *listed;			/* instead of entries: persons */
	PersonClass *classes;		/* instead of slices */
	ClassHistogram *slices;
	Size		nslices;
	Size		slice_capacity;

	/*
	 * further properties by slice, only if requested; they are kept apart,
	 * because walks merge histograms at random, and a slice takes as much as
	 * a line of the cache
	 */
	double		(*figures)[KEPT_FIGURES];
	Size		figure_capacity;

	int64	   *sum;			/* by value: the current histogram */
	uint64	   *present;		/* bit by value: whether sum is not zero */
	double	   *logs;			/* ln of small counts */
	struct DistanceTables *tables;	/* of the distance; see distance.c */
	uint32	   *stamps;			/* by person: the last merged class with them */
	uint32		stamp;			/* of the current class */
	uint32		nopen;			/* persons in it so far */
} Histograms;

/* A height of the stack to return to. */
typedef struct HistogramMark
{
	Size		nentries;
	Size		nslices;
} HistogramMark;

/*
 * Prepares to count a column.  nvalues values, numbered in their order; the
 * tree and leaf_of only for the hierarchical distance.
 */
extern Histograms *histograms_create(MemoryContext context, const char *name, ColumnRole role,
									 uint32 nvalues);
extern void histograms_set_distance(Histograms *histograms, Distance metric,
									const Hierarchy *tree, uint32 *leaf_of);

/* Adds a condition on the column, before histograms are finished. */
extern void histograms_add_condition(Histograms *histograms, const Condition *condition);

/* Requests a model's measure, too; may be called at any time. */
extern void histograms_ask(Histograms *histograms, PromiseModel model);

/*
 * Called when the histograms of all tuples exist, so that people by value are
 * known.
 */
extern void histograms_finish(Histograms *histograms);

/*
 * Takes over a copy of another process's histograms, whose arrays by value are
 * shared, instead of histograms_finish.
 */
extern void histograms_resume(Histograms *histograms, MemoryContext context);

/* Adds people with a value to the current histogram. */
static inline void
histograms_count(Histograms *histograms, uint32 value, int64 count)
{
	histograms->sum[value] += count;
	histograms->present[value / 64] |= UINT64CONST(1) << (value % 64);
}

/* Ends the current histogram; returns its number. */
extern uint32 histograms_close(Histograms *histograms);

/* The merged histogram of two or more classes. */
extern uint32 histograms_join(Histograms *histograms, const uint32 *slices, uint32 nslices);

/* The histogram of one or more classes. */
static inline uint32
histograms_merge(Histograms *histograms, const uint32 *slices, uint32 nslices)
{
	return nslices == 1 ? slices[0] : histograms_join(histograms, slices, nslices);
}

/* How often a value occurs in a histogram. */
extern int64 histograms_count_of(const Histograms *histograms, uint32 slice, uint32 value);

/* Drops histograms built after a mark. */
static inline HistogramMark
histograms_mark(const Histograms *histograms)
{
	HistogramMark mark = {histograms->nentries, histograms->nslices};

	return mark;
}

static inline void
histograms_release(Histograms *histograms, HistogramMark mark)
{
	histograms->nentries = mark.nentries;
	histograms->nslices = mark.nslices;
}

/* A histogram of a number of rows, as models see it. */
static inline ClassValues
class_values(const Histograms *h, const ClassHistogram *slice, const ValueCount *entries, int64 size)
{
	ClassValues values = {size, slice->length, entries, slice->most, slice->entropy, slice->distance, h->people, h->total, h->values,
	h->surprise, h->lenient};

	return values;
}

/* -------------- the distance of a class's distribution of a sensitive value */

/* Prepares data shared by the distances of all classes. */
extern struct DistanceTables *distance_prepare(const Histograms *histograms);

/* The distance of one histogram, in [0,1]. */
extern double distance_of(const Histograms *histograms, const ValueCount *entries, uint32 length, int64 size);

/* ------------------------------------------ the persons with rows in each class */

/* Prepares to count persons, given a bound of their numbers. */
extern Histograms *persons_create(MemoryContext context, const char *name, uint32 npersons);

/* Adds a row of a person to the current class. */
extern void persons_count(Histograms *persons, uint32 person);

/* Ends the current class; returns its number. */
extern uint32 persons_close(Histograms *persons);

/*
 * Called when all tuples exist, each a class with such a number: keeps only
 * persons with rows in several classes listed, and renumbers the classes.
 * Returns the number of persons.
 */
extern int64 persons_finish(Histograms *persons, uint32 *numbers, uint32 ntuples);

/* Frees who is in each class. */
extern void persons_forget(Histograms *persons);

/* Takes over a copy of another process's persons, instead of persons_finish. */
extern void persons_resume(Histograms *persons, MemoryContext context);

/*
 * The number of a class with a single listed person identifies that person.
 * Most classes of a fine node are such classes.
 */
#define SINGLE_PERSON ((uint32) 1 << 31)

/* The number of persons in a class. */
static inline int64
persons_size(const Histograms *persons, uint32 number)
{
	return number & SINGLE_PERSON ? 1 : persons->classes[number].length;
}

/* The listed persons of a class, and their end. */
static inline const uint32 *
persons_listed(const Histograms *h, uint32 number, uint32 *single, const uint32 **persons)
{
	const PersonClass *class;

	if (number & SINGLE_PERSON)
	{
		*single = number & ~SINGLE_PERSON;
		*persons = single;
		return single + 1;
	}
	class = &h->classes[number];
	*persons = h->listed + class->start;
	return *persons + (class->length - class->alone);
}

/* Classes to prefetch ahead, because their lists are scattered in memory. */
#define PERSONS_AHEAD 8

/* Prefetches data of the next classes: their records, lists and stamps. */
static inline void
persons_look_ahead(const Histograms *h, const uint32 *numbers, uint32 i, uint32 n)
{
	uint32		single;
	const uint32 *person;
	const uint32 *end;

	if (n - i <= 3 * PERSONS_AHEAD)
		return;
	if (!(numbers[i + 3 * PERSONS_AHEAD] & SINGLE_PERSON))
		__builtin_prefetch(&h->classes[numbers[i + 3 * PERSONS_AHEAD]]);
	if (!(numbers[i + 2 * PERSONS_AHEAD] & SINGLE_PERSON))
		__builtin_prefetch(&h->listed[h->classes[numbers[i + 2 * PERSONS_AHEAD]].start]);
	end = persons_listed(h, numbers[i + PERSONS_AHEAD], &single, &person);
	for (end = Min(end, person + PERSONS_AHEAD); person < end; person++)
		__builtin_prefetch(&h->stamps[*person]);
}

/* The merged persons of two or more classes. */
extern uint32 persons_join(Histograms *persons, const uint32 *slices, uint32 nslices);

/* The number of persons in several classes, or any number from enough on. */
extern int64 persons_together(Histograms *persons, const uint32 *slices, uint32 nslices, int64 enough);

/* Number of levels whose runs are counted together. */
#define PERSON_LEVELS 8

/*
 * Counts the persons in each run of classes, for several levels at once.  For
 * each class, the number of levels, from the first on, whose runs begin there
 * is given.  All begin at the first class.
 */
extern void persons_count_runs(Histograms *persons, const uint32 *numbers, uint32 n, const uint8 * begun, int nlevels,
							   uint32 *const *people);

#endif
