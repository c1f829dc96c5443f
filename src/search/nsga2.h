/*
 * nsga2.h
 *	  NSGA-II over cuts: finds the closest to a preference that is k-anonymous.
 *
 * A cut's classes smaller than k are suppressed if that stays within the limit
 * and somebody remains.  Otherwise the cut is not feasible and is measured
 * without suppression, so that its k shows how far it is from k.
 */
#ifndef ANONOPT_NSGA2_H
#define ANONOPT_NSGA2_H

#include "engine/cuts.h"
#include "engine/measure.h"
#include "search/preference.h"

/* An evaluated cut; its measures do not depend on the preference. */
typedef struct Solution
{
	int64		k;
	double		necd;
	double		nwp;
	double		ach;			/* under the current preference */
	double		deviation;
} Solution;

typedef struct Nsga2 Nsga2;

typedef struct Nsga2Settings
{
	Population *population;
	int64		k;
	Promise		promise;		/* including k and the limit */
	int			size;			/* solutions per generation */
	double		crossover;
	double		mutation;
	uint64		seed;
	bool		taxonomy;		/* cuts follow the hierarchies' trees */
	bool		unseeded;		/* a generation begins with any cuts */
	bool		copies;			/* a generation may hold one twice */
	Preference	preference;		/* its measures are the same for every
								 * preference */
	int			evaluations;	/* in all, to judge whether workers are worth
								 * it */
	int			workers;
} Nsga2Settings;

extern Nsga2 *nsga2_begin(const Nsga2Settings *settings);

/*
 * Searches under a preference, for a number of evaluations; earlier
 * evaluations are reused.
 */
extern void nsga2_search(Nsga2 *search, const Preference *preference, int evaluations);

/* Stops the workers; returns their number. */
extern int	nsga2_end(Nsga2 *search);

/* The solutions by number, and their cuts. */
extern uint32 nsga2_size(const Nsga2 *search);
extern const Solution *nsga2_solution(const Nsga2 *search, uint32 number);

/* The costs of a solution for the preference's measures other than bias and loss. */
extern const double *nsga2_further(const Nsga2 *search, uint32 number);
extern const uint64 *nsga2_cut(const Nsga2 *search, uint32 number);
extern const CutSpace *nsga2_space(const Nsga2 *search);

#define NO_SOLUTION PG_UINT32_MAX

/* The feasible solution closest to the preference, or NO_SOLUTION. */
extern uint32 nsga2_chosen(const Nsga2 *search);

/*
 * The solutions that no other beats in both ach and k, closest first; returns
 * their number.
 */
extern uint32 nsga2_front(const Nsga2 *search, uint32 **numbers);

#endif
