/*
 * nsga2.h
 *	  NSGA-II over cuts: the nearest to a preference, at least k-anonymous.
 *
 * A cut's classes smaller than k are suppressed where that keeps the limit
 * and somebody remains.  Where it does not, the cut is not feasible and is
 * measured with nobody suppressed, so that its k tells.
 */
#ifndef ANONOPT_NSGA2_H
#define ANONOPT_NSGA2_H

#include "engine/cuts.h"
#include "engine/measure.h"
#include "search/achievement.h"

/* A cut that was evaluated; what it is does not depend on the preference. */
typedef struct Solution
{
	int64		k;
	double		necd;
	double		nwp;
	double		ach;			/* under the preference that now holds */
	double		deviation;
} Solution;

typedef struct Nsga2 Nsga2;

typedef struct Nsga2Settings
{
	Population *population;
	int64		k;
	Promise		promise;		/* k among it, and the limit */
	int			size;			/* solutions a generation */
	double		crossover;
	double		mutation;
	uint64		seed;
	bool		taxonomy;		/* cuts follow the hierarchies' trees */
	bool		unseeded;		/* a generation begins with any cuts */
	bool		copies;			/* a generation may hold one twice */
	int			evaluations;	/* in all, to judge whether workers are worth
								 * it */
	int			workers;
} Nsga2Settings;

extern Nsga2 *nsga2_begin(const Nsga2Settings *settings);

/* Searches under a preference, for so many evaluations; what was evaluated before is remembered. */
extern void nsga2_search(Nsga2 *search, const Preference *preference, int evaluations);

/* Sends workers home; returns how many there were. */
extern int	nsga2_end(Nsga2 *search);

/* What there is: solutions by number, their cuts. */
extern uint32 nsga2_size(const Nsga2 *search);
extern const Solution *nsga2_solution(const Nsga2 *search, uint32 number);
extern const uint64 *nsga2_cut(const Nsga2 *search, uint32 number);
extern const CutSpace *nsga2_space(const Nsga2 *search);

#define NO_SOLUTION PG_UINT32_MAX

/* The feasible solution that is nearest to the preference, or NO_SOLUTION. */
extern uint32 nsga2_chosen(const Nsga2 *search);

/* The solutions that none beats in both ach and k, nearest first; returns their number. */
extern uint32 nsga2_front(const Nsga2 *search, uint32 **numbers);

#endif
