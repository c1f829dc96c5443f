/*
 * record_search.h
 *	  Searches for a generalization per record, by risk and utility.
 */
#ifndef ANONOPT_RECORD_SEARCH_H
#define ANONOPT_RECORD_SEARCH_H

#include "record/matches.h"
#include "record/record_model.h"

typedef enum RecordGoal
{
	GOAL_LEAST_RISK,			/* with utility at least the bound */
	GOAL_MOST_UTILITY,			/* with risk at most the bound */
	GOAL_BALANCE				/* least risk - bound * utility */
} RecordGoal;

/* The answer for a tuple's records. */
typedef struct RecordAnswer
{
	bool		found;
	double		risk;
	double		utility;
	int64		visited;		/* nodes whose risk was computed */
	uint16		levels[FLEXIBLE_ARRAY_MEMBER];
} RecordAnswer;

/* A dictionary that an attacker may hold. */
typedef struct HeldDictionary
{
	const Outsiders *entries;	/* NULL: the population itself */
	double		share;			/* weight of its risk; all add up to 1 */
} HeldDictionary;

typedef struct RecordSearch
{
	Population *population;
	const RecordModel *model;
	int			ndictionaries;	/* 0: the population itself */
	const HeldDictionary *dictionaries;
	double		similarity;		/* or 0 */
	RecordGoal	goal;
	double		bound;
	bool		general_first;	/* visited is that of a search from the top */
	int64		deadline;		/* a timestamp, or 0 */

	Size		answer_size;
	char	   *answers;		/* by tuple */
	int64		evaluated;		/* nodes whose classes were computed */
	bool		in_time;
} RecordSearch;

extern void record_search(RecordSearch *search);

static inline RecordAnswer *
answer_of(const RecordSearch *search, uint32 tuple)
{
	return (RecordAnswer *) (search->answers + search->answer_size * tuple);
}

static inline void
answer_levels(const RecordSearch *search, uint32 tuple, int *levels)
{
	for (int a = 0; a < search->population->nattrs; a++)
		levels[a] = answer_of(search, tuple)->levels[a];
}

#endif
