/*
 * front.h
 *	  Vectors of costs that no other covers, and what goes with each.
 *
 * Less is better, always.  A vector covers another if it is nowhere worse,
 * and dominates it if it is better somewhere, too.
 */
#ifndef ANONOPT_FRONT_H
#define ANONOPT_FRONT_H

#include "postgres.h"

typedef struct Front
{
	MemoryContext context;
	int			ncosts;			/* a member */
	Size		member_size;
	void		(*drop) (void *member); /* frees what a member holds; or NULL */
	int			nmembers;
	Size		capacity;
	double	   *costs;
	char	   *members;
} Front;

/* Members are so many bytes that the front keeps for its owner. */
extern Front *front_create(MemoryContext context, int ncosts, Size member_size);

static inline double *
front_costs(const Front *front, int i)
{
	return front->costs + (Size) i * front->ncosts;
}

static inline void *
front_member(const Front *front, int i)
{
	return front->members + (Size) i * front->member_size;
}

/* Whether a vector is nowhere worse than another; equal says whether it is nowhere better. */
static inline bool
covers(const double *a, const double *b, int n, bool *equal)
{
	*equal = true;
	for (int i = 0; i < n; i++)
	{
		if (a[i] > b[i])
			return false;
		if (a[i] < b[i])
			*equal = false;
	}
	return true;
}

static inline bool
dominates(const double *a, const double *b, int n)
{
	bool		equal;

	return covers(a, b, n, &equal) && !equal;
}

/* The member that covers a vector, or -1: if one is equal, there is no other. */
extern int	front_find(const Front *front, const double *costs, bool *equal);

/* Adds a vector that no member covers and drops those that it covers; returns the new member. */
extern void *front_add(Front *front, const double *costs);

#endif
