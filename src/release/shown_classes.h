/*
 * shown_classes.h
 *	  The classes that a release shows, in the order of their labels.
 */
#ifndef ANONOPT_SHOWN_CLASSES_H
#define ANONOPT_SHOWN_CLASSES_H

#include "engine/measure.h"
#include "record/record_model.h"
#include "release/recoded_labels.h"

#define NOT_SHOWN PG_UINT32_MAX

typedef struct ShownClasses
{
	int			nattrs;
	uint32		n;
	uint32	   *codes;			/* by place and attribute: of its label */
	int64	   *people;			/* by place */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
	bool		starred;		/* some people are */
	uint32	   *place_of;		/* by tuple: of its class, n if it is starred,
								 * or NOT_SHOWN */
} ShownClasses;

/* The classes of a node that keep the promise; what does not is starred where it may be. */
extern ShownClasses *shown_classes_of_node(const Population *population, Recodings node, const char *const *const *labels,
										   const Promise *promise, bool star, const int *order, int norder);

/*
 * The classes of a recoding likewise.  Without a promise all classes are
 * kept.
 */
extern ShownClasses *shown_classes_of_recoding(const Population *population, const RecodedClasses *classes,
											   const RecodedLabels *labels, const Promise *promise, bool star,
											   const int *order, int norder);

/* What is known of tuples that are generalized one by one. */
typedef struct RecordLevels
{
	const uint16 *const *levels;	/* by tuple; NULL where none keeps the
									 * utility */
	const RecordModel *model;
	double		min_utility;
} RecordLevels;

/*
 * Their classes of at least k people.  A tuple that fewer look like joins the
 * largest such class that one of its nodes of enough utility puts it in.
 */
extern ShownClasses *shown_classes_of_records(const Population *population, const RecordLevels *records, int64 k,
											  const int *order, int norder);

#endif
