/*
 * recoding.h
 *	  Searches for local recodings: tuples assigned to classes, each shown by
 *	  labels that cover it.
 */
#ifndef ANONOPT_RECODING_H
#define ANONOPT_RECODING_H

#include "base/progress.h"
#include "engine/classes.h"
#include "search/objective.h"

/* What the caller of a search is told. */
typedef struct RecodingWatch
{
	bool		cut;			/* the deadline left something undone */
	bool		late;			/* it had passed before there was an answer */
	int64		answers;		/* number of better answers so far */
} RecodingWatch;

/* What to search for. */
typedef struct RecodingOrder
{
	Population *population;
	Promise		promise;
	Objective	loss;			/* glm, nwp, dcn or cm */
	RecodingLabels labels;
	uint64		seed;
	double		effort;			/* 1 by default; 0: the first answer */
	int64		deadline;		/* a timestamp, or 0 */
	bool		or_none;		/* once it has passed, no answer is wanted */
	RecodingWatch *watch;		/* or NULL */
} RecodingOrder;

/* The result of a search. */
typedef struct RecodingResult
{
	bool		feasible;		/* if not, nothing keeps the promise and there
								 * are no classes */
	uint32	   *class_of;		/* by tuple of the population, or NO_CLASS */
	uint32		nclasses;
	bool		cut;			/* the deadline has passed, and then no answer
								 * was wanted */
	int			helped;			/* workers that helped */
	TimestampTz ended;			/* when the search did */
} RecodingResult;

/* A result without classes yet. */
extern RecodingResult *recoding_result_create(const Population *population);

/* The worker-pool task that improves the classes of a block of tuples. */
extern const struct PoolWork recode_block_work;

/*
 * Searches for a recoding.  At the deadline it ends with what it has; if that
 * is nothing yet, it takes the time that a first answer needs.
 */
extern RecodingResult *recoding_search(const RecodingOrder *order, int workers);

/*
 * A proven lower bound of what recodings that keep the promise lose, in the
 * units of glm or nwp; it gets better until the order's deadline.
 */
extern double recoding_bound(const RecodingOrder *order, bool *short_of_memory);

/*
 * Adds new tuples, moving as few of the existing people as possible, and
 * repairs classes that no longer keep the promise.  Returns how many people
 * changed class.
 */
extern RecodingResult *recoding_extend(const RecodingOrder *order, const uint32 *class_of, int64 *moved);

#endif
