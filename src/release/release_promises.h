/*
 * release_promises.h
 *	  The promises of a release other than k, l, and t for all columns.
 */
#ifndef ANONOPT_RELEASE_PROMISES_H
#define ANONOPT_RELEASE_PROMISES_H

#include "catalog/dataset.h"
#include "lib/stringinfo.h"

/* Whether and how far a promise was kept. */
typedef struct PromiseVerdict
{
	bool		is_null;		/* not measured */
	double		measured;
	bool		ok;
	bool		untold;			/* it cannot be measured, and may be kept or
								 * not */
} PromiseVerdict;

/* A data set's promises as json, except for k. */
extern char *promises_json(const Dataset *dataset);

/* The same for a release, by model, each with its verdict. */
extern char *verdicts_json(int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts);

/* Appends the promises other than k, l and t to a comment. */
extern void append_promises(StringInfo text, const Dataset *dataset);

#endif
