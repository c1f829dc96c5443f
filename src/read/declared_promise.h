/*
 * declared_promise.h
 *	  Converts declared promises to the engine's form.
 */
#ifndef ANONOPT_DECLARED_PROMISE_H
#define ANONOPT_DECLARED_PROMISE_H

#include "catalog/dataset.h"
#include "engine/measure.h"

/*
 * Promises something of every sensitive column, for this call; whether every
 * one is promised a model, and the weakest threshold of them.
 */
extern void promise_of_all(Dataset *dataset, PromiseModel model, double threshold);
extern bool promised_of_all(const Dataset *dataset, PromiseModel model, double *threshold);

/* Merges declared promises of k; the stricter applies. */
extern void promise_add_declared(Promise *promise, const Dataset *dataset);

/* Whether anything is promised, by arguments or declaration. */
extern bool promises_anything(const Promise *promise, const Dataset *dataset);

/*
 * Attaches the promises about columns, and about all classes together, to a
 * population.
 */
extern void population_add_declared(Population *population, const Dataset *dataset);

/* Reads the people of other relations that promises refer to. */
extern void population_read_outside(Population *population, const Dataset *dataset);

/*
 * Fails if presence is promised, which the named feature cannot keep because
 * the labels of its classes overlap.
 */
extern void require_no_presence(const Dataset *dataset, const char *what);

/*
 * Replaces promises about all classes together, for a search for a recoding,
 * by a k that implies them.
 */
extern void promise_imply_limits(Promise *promise, const Dataset *dataset);

#endif
