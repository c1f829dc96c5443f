/*
 * recoded_labels.h
 *	  The labels of a recoding's classes.
 */
#ifndef ANONOPT_RECODED_LABELS_H
#define ANONOPT_RECODED_LABELS_H

#include "search/recoding.h"

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

#endif
