/*
 * recoding.h
 *	  Local recodings: tuples assigned to classes, each shown by labels that
 *	  cover it.
 */
#ifndef ANONOPT_RECODING_H
#define ANONOPT_RECODING_H

#include "engine/measure.h"
#include "search/objective.h"

/* How a class is shown. */
typedef enum RecodingLabels
{
	LABELS_HIERARCHY,			/* the lowest label that covers it */
	LABELS_RANGE				/* the tightest range of the domain's order */
} RecodingLabels;

/* Converts it to its name and back; -1 for an unknown name. */
extern const char *recoding_labels_name(RecodingLabels labels);
extern int	recoding_labels_by_name(const char *name);

/* What to search for. */
typedef struct RecodingOrder
{
	Population *population;
	Promise		promise;
	Objective	loss;			/* glm, nwp, dcn or cm */
	RecodingLabels labels;
	uint64		seed;
	int			effort;			/* hundredths of the default; 0: the first
								 * answer */
} RecodingOrder;

/* The result of a search. */
typedef struct RecodingResult
{
	bool		feasible;		/* if not, nothing keeps the promise and there
								 * are no classes */
	uint32	   *class_of;		/* by tuple of the population, or NO_CLASS */
	uint32		nclasses;
	int			helped;			/* workers that helped */
} RecodingResult;

/* Whether a search must end; called now and then. */
typedef bool (*RecodingDeadline) (void *state);

/* Called with every better answer's loss, in [0,1] per person and attribute. */
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

/* Searches for a recoding. */
extern RecodingResult *recoding_search(const RecodingOrder *order, const RecodingWatch *watch, int workers);

/*
 * Adds new tuples, moving as few of the existing people as possible, and
 * repairs classes that no longer keep the promise.  Returns how many people
 * changed class.
 */
extern RecodingResult *recoding_extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved);

/*
 * Strict Mondrian, for comparison: halves boxes at the median of the widest
 * attribute; supports only k.
 */
extern RecodingResult *recoding_mondrian(const RecodingOrder *order);

/*
 * Classes as they are shown.  Those with the same labels are one, numbered by
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
	uint32	   *first_leaf;		/* under the label or range */
	uint32	   *leaves;
	int16	   *level;			/* of the label, or -1: a range that is no
								 * label of min_level */
	int64	   *above_max;		/* by attribute: people whose label is above
								 * max_level */

	/* if a class has tuples that no label covers */
	bool		faulty;
	uint32		faulty_tuple;	/* together with the first tuple of its class */
	uint32		other_tuple;
	int			faulty_attr;
} RecodedClasses;

/* Computes the labels of a recoding; class numbers may be any below a bound. */
extern RecodedClasses *recoding_show(const Population *population, const uint32 *class_of, uint32 nclasses,
									 RecodingLabels labels, MemoryContext context);

/* The number of different people in each class shown. */
extern int64 *recoding_people(const Population *population, const RecodedClasses *shown);

/* The leaves under each class's labels. */
extern LeafBoxes recoding_boxes(const RecodedClasses *shown);

/*
 * The loss of a person in a class: the mean over the attributes, as GLM counts
 * it.
 */
extern double shown_class_loss(const Population *population, const RecodedClasses *shown, uint32 class);

/*
 * Builds a table of classes without keys; the caller releases their histograms
 * by a mark taken with population_mark().
 */
extern TupleTable *recoding_class_table(const Population *population, const uint32 *class_of, uint32 nclasses);

/* Measures a recoding. */
extern void recoding_measure(const Population *population, const Promise *promise, const RecodedClasses *shown,
							 Measures *result);

#endif
