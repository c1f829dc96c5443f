/*
 * release_promises.h
 *	  What a release promises beside k, l and t for all columns.
 */
#ifndef ANONOPT_RELEASE_PROMISES_H
#define ANONOPT_RELEASE_PROMISES_H

#include "catalog/dataset.h"
#include "lib/stringinfo.h"

/* How a promise was kept. */
typedef struct PromiseVerdict
{
	bool		is_null;		/* not measured */
	double		measured;
	bool		ok;
} PromiseVerdict;

/* A data set's promises as json, but for k. */
extern char *promises_json(const Dataset *dataset);

/* The same of a release, model by model, each with its verdict. */
extern char *verdicts_json(int npromises, const DeclaredPromise *promises, const PromiseVerdict *verdicts);

/* Adds to a comment what is promised beside k, l and t. */
extern void append_promises(StringInfo text, const Dataset *dataset);

#endif
