/*
 * shown_classes.h
 *	  The classes that a release shows, in the order of their labels.
 */
#ifndef ANONOPT_SHOWN_CLASSES_H
#define ANONOPT_SHOWN_CLASSES_H

#include "engine/measure.h"

#define NOT_SHOWN PG_UINT32_MAX

typedef struct ShownClasses
{
	int			nattrs;
	uint32		n;
	uint32	   *codes;			/* by place and attribute: of its label */
	int64	   *people;			/* by place */
	uint32	   *nlabels;		/* by attribute */
	const char ***labels;		/* by attribute and code; NULL for null */
	uint32	   *place_of;		/* by tuple: of its class, n if it is starred,
								 * or NOT_SHOWN */
} ShownClasses;

/* The classes of a node that keep the promise; what does not is starred where it may be. */
extern ShownClasses *shown_classes_of_node(const Population *population, Recodings node, const char *const *const *labels,
										   const Promise *promise, bool star, const int *order, int norder);

/* The classes of tuples generalized one by one, each to levels or not at all, of at least k people. */
extern ShownClasses *shown_classes_of_records(const Population *population, const uint16 *const *levels, int64 k,
											  const int *order, int norder);

#endif
