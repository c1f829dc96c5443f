/*
 * promises.h
 *	  Promises declared with a data set.
 */
#ifndef ANONOPT_PROMISES_H
#define ANONOPT_PROMISES_H

#include "base/compat.h"
#include "base/promise_model.h"

/* Of one data set, or of one release. */
#define MAX_PROMISES 256

typedef struct DeclaredPromise
{
	PromiseModel model;
	char	   *column;			/* or NULL */
	double		threshold;
	bool		has_c;
	double		c;
	Oid			population;		/* or InvalidOid */
	Oid			population_type;	/* its row type then */
} DeclaredPromise;

extern const char *model_name(PromiseModel model);

/* The model with a name, or -1; all names, for a hint. */
extern int	model_by_name(const char *name);
extern char *model_names(void);

/*
 * Whether a model is about the values of one column, or about people of
 * another relation.
 */
extern bool model_needs_column(PromiseModel model);
extern bool model_needs_population(PromiseModel model);

/* Whether it limits a figure of all classes together. */
extern bool model_limits_all_classes(PromiseModel model);

/* What is wrong with a promise by itself, as a sentence; NULL if nothing is. */
extern char *promise_problem(const DeclaredPromise *promise);

/*
 * Whether one promise is at least as strict as another of the same model and
 * column.
 */
extern bool promise_is_stricter(const DeclaredPromise *promise, const DeclaredPromise *other);

/* A promise in words: "alpha <= 0.5". */
extern char *promise_text(const DeclaredPromise *promise);

/* The condition it sets on its column. */
extern Condition promise_condition(const DeclaredPromise *promise);

#endif
