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

#endif
