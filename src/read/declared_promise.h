/*
 * declared_promise.h
 *	  Promises that were declared, as the engine takes them.
 */
#ifndef ANONOPT_DECLARED_PROMISE_H
#define ANONOPT_DECLARED_PROMISE_H

#include "catalog/dataset.h"
#include "engine/measure.h"

/* Adds what is declared of k, and of l and t where all sensitive columns have them; the stricter wins. */
extern void promise_add_declared(Promise *promise, const Dataset *dataset);

/* Whether anything is promised, in arguments or declared. */
extern bool promises_anything(const Promise *promise, const Dataset *dataset);

/* Tells a population what is declared of its columns and of all classes. */
extern void population_add_declared(Population *population, const Dataset *dataset);

/* Reads the people of other relations that something is promised of. */
extern void population_read_outside(Population *population, const Dataset *dataset);

/* Fails where people of another relation are promised something, which cannot be kept by what is named. */
extern void require_no_population(const Dataset *dataset, const char *what);

/* What a search for a recoding promises instead of what is about all classes together: a k that implies it. */
extern void promise_imply_limits(Promise *promise, const Dataset *dataset);

#endif
