/*
 * recoding.h
 *	  Local recodings: tuples put into classes, each shown as what covers it.
 */
#ifndef ANONOPT_RECODING_H
#define ANONOPT_RECODING_H

#include "engine/measure.h"
#include "search/objective.h"

/* How a class is shown. */
typedef enum RecodingLabels
{
	LABELS_HIERARCHY,			/* the lowest label that covers it */
	LABELS_RANGE				/* the tightest run of the domain's order */
} RecodingLabels;

/* Its name, and back; -1 for none. */
extern const char *recoding_labels_name(RecodingLabels labels);
extern int	recoding_labels_by_name(const char *name);

/* What is to be found. */
typedef struct RecodingOrder
{
	Population *population;
	Promise		promise;
	Objective	loss;			/* glm, nwp, dcn or cm */
	RecodingLabels labels;
	uint64		seed;
	int			effort;			/* hundredths of the usual; 0: the first
								 * answer */
} RecodingOrder;

/* What a search found. */
typedef struct RecodingResult
{
	bool		feasible;		/* else nothing keeps the promise, and there
								 * are no classes */
	uint32	   *class_of;		/* by tuple of the population, or NO_CLASS */
	uint32		nclasses;
	int			helped;			/* workers that took part */
} RecodingResult;

/* Whether a search must end; asked now and then. */
typedef bool (*RecodingDeadline) (void *state);

/* Called with every better answer's loss, in [0,1] a person and attribute. */
typedef struct RecodingWatch
{
	RecodingDeadline over;		/* or NULL */
	void		(*tell) (void *state, double loss); /* or NULL */
	void	   *state;
} RecodingWatch;

static inline bool
recoding_is_over(const RecodingWatch *watch)
{
	return watch != NULL && watch->over != NULL && watch->over(watch->state);
}

/* Searches a recoding. */
extern RecodingResult *recoding_search(const RecodingOrder *order, const RecodingWatch *watch, int workers);

/*
 * Takes in tuples that came since, moving as few of the people who were there
 * as it can; classes that no longer keep the promise are put right.  Tells
 * how many people's class changed.
 */
extern RecodingResult *recoding_extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved);

/* Strict Mondrian, for comparison: boxes halved at the median of the widest attribute; k alone. */
extern RecodingResult *recoding_mondrian(const RecodingOrder *order);

/*
 * Classes as they are shown.  Those that look alike are one, numbered by
 * their first tuples.
 */
typedef struct RecodedClasses
{
	uint32		nclasses;
	uint32	   *class_of;		/* by tuple of the population, or NO_CLASS */
	int64	   *people;
	uint32	   *ntuples;
	int64		suppressed;		/* people in no class */
	/* by class and attribute */
	uint32	   *first_leaf;		/* under what is shown */
	uint32	   *leaves;
	int16	   *level;			/* of the label, or -1: a range that is no
								 * label of min_level */
	int64	   *above_max;		/* by attribute: people shown above max_level */

	/* where a class has tuples that no label covers */
	bool		faulty;
	uint32		faulty_tuple;	/* with the first tuple of its class */
	uint32		other_tuple;
	int			faulty_attr;
} RecodedClasses;

/* Shows a recoding: numbers of classes may be any, below so many. */
extern RecodedClasses *recoding_show(const Population *population, const uint32 *class_of, uint32 nclasses,
									 RecodingLabels labels, MemoryContext context);

/* How many different people are in each class that is shown. */
extern int64 *recoding_people(const Population *population, const RecodedClasses *shown);

/* What a person in a class loses: the mean over the attributes, as GLM counts it. */
extern double shown_class_loss(const Population *population, const RecodedClasses *shown, uint32 class);

/* So many classes of tuples as a table without keys; their histograms are to be released as population_mark() has it. */
extern TupleTable *recoding_class_table(const Population *population, const uint32 *class_of, uint32 nclasses);

/* Measures a recoding. */
extern void recoding_measure(const Population *population, const Promise *promise, const RecodedClasses *shown,
							 Measures *result);

#endif
