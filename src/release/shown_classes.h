/*
 * shown_classes.h
 *	  The classes that a release shows, in the order of their labels.
 */
#ifndef ANONOPT_SHOWN_CLASSES_H
#define ANONOPT_SHOWN_CLASSES_H

#include "base/key_counter.h"
#include "engine/measure.h"
#include "record/record_model.h"
#include "search/recoding.h"

/* --------------------------------------- the labels of a recoding's classes */

/*
 * By attribute, the labels that classes show, and their numbers; equal labels
 * have the same number.
 */
typedef struct RecodedLabels
{
	int			nattrs;
	uint32	   *codes;			/* by class and attribute */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
} RecodedLabels;

extern RecodedLabels *recoded_labels(const Population *population, const RecodedClasses *shown, RecodingLabels labels);

#define NOT_SHOWN PG_UINT32_MAX

typedef struct ShownClasses
{
	int			nattrs;
	uint32		n;
	uint32	   *codes;			/* by position and attribute: code of its
								 * label */
	int64	   *people;			/* by position */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
	int64		starred_people; /* 0 if nobody is starred */
	uint32	   *place_of;		/* by tuple: position of its class, n if it is
								 * starred, or NOT_SHOWN */
	LeafBoxes	boxes;			/* for a recoding or records: the leaves under
								 * each class's labels, with the positions of
								 * their classes, or NOT_SHOWN */
} ShownClasses;

/* The classes of a node that keep the promise; others are starred if allowed. */
extern ShownClasses *shown_classes_of_node(const Population *population, Recodings node, const char *const *const *labels,
										   const Promise *promise, bool star, const int *order, int norder);

/* The same for a recoding. */
extern ShownClasses *shown_classes_of_recoding(const Population *population, const RecodedClasses *classes,
											   const RecodedLabels *labels, const Promise *promise, bool star,
											   const int *order, int norder);

/* Tuples that are generalized one by one. */
typedef struct RecordLevels
{
	const uint16 *const *levels;	/* by tuple; NULL if none has enough
									 * utility */
	const RecordModel *model;
	double		min_utility;
} RecordLevels;

/*
 * Their classes of at least k people.  A tuple in a smaller class joins the
 * largest such class that it can reach by a node with enough utility.
 */
extern ShownClasses *shown_classes_of_records(const Population *population, const RecordLevels *records, int64 k,
											  const int *order, int norder);

/* -------------- code shared by all ways to build the classes that a release */

extern ShownClasses *shown_create(int nattrs);

/* The rank of each label, NULL last. */
extern uint32 *label_places(const char *const *labels, uint32 nlabels);

/* The ranks of all labels of every class, class by class. */
extern uint32 *codes_of_keys(const KeyCounter *counter, int nattrs);

/*
 * Sorts the classes that are kept, with their codes and people; classes
 * receives them by position.
 */
extern void place_classes(ShownClasses *shown, const uint32 *codes, const int64 *people, uint32 *classes, const int *order, int norder);

/*
 * Computes each tuple's position from its class; others is the position for
 * classes that are not kept.
 */
extern void place_tuples(ShownClasses *shown, uint32 *class_of, uint32 ntuples, const uint32 *classes, uint32 nclasses, uint32 others);

#endif
