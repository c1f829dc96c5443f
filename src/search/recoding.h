/*
 * recoding.h
 *	  Searches for local recodings: tuples assigned to classes, each shown by
 *	  labels that cover it.
 */
#ifndef ANONOPT_RECODING_H
#define ANONOPT_RECODING_H

#include "engine/classes.h"
#include "search/objective.h"

/* What to search for. */
typedef struct RecodingOrder
{
	Population *population;
	Promise		promise;
	Objective	loss;			/* glm, nwp, dcn or cm */
	RecodingLabels labels;
	uint64		seed;
	int			effort;			/* percent of the default; 0: first answer */
} RecodingOrder;

/* The result of a search. */
typedef struct RecodingResult
{
	bool		feasible;		/* if not, nothing keeps the promise and there
								 * are no classes */
	uint32	   *class_of;		/* by tuple of the population, or NO_CLASS */
	uint32		nclasses;
	int			helped;			/* workers that helped */
} RecodingResult;

/* A result without classes yet. */
extern RecodingResult *recoding_result_create(const Population *population);

/*
 * Asked now and then whether a search must end, and told every better answer's
 * loss, in [0,1] per person and attribute.
 */
typedef struct RecodingWatch
{
	bool		(*over) (void *state);
	void		(*tell) (void *state, double loss);
	void	   *state;
} RecodingWatch;

static inline bool
recoding_is_over(const RecodingWatch *watch)
{
	return watch != NULL && watch->over(watch->state);
}

/* The worker-pool task that improves the classes of a block of tuples. */
extern const struct PoolWork recode_block_work;

/* Searches for a recoding. */
extern RecodingResult *recoding_search(const RecodingOrder *order, const RecodingWatch *watch, int workers);

/*
 * Adds new tuples, moving as few of the existing people as possible, and
 * repairs classes that no longer keep the promise.  Returns how many people
 * changed class.
 */
extern RecodingResult *recoding_extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved);

#endif
