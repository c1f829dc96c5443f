/*
 * front.h
 *	  A set of cost vectors that do not cover each other, each with data.
 *
 * Less is always better.  A vector covers another if it is nowhere worse, and
 * dominates it if it is also somewhere better.
 */
#ifndef ANONOPT_FRONT_H
#define ANONOPT_FRONT_H

#include "postgres.h"

typedef struct Front
{
	MemoryContext context;
	int			ncosts;			/* a member */
	Size		member_size;
	void		(*drop) (void *member); /* frees a member's memory, or NULL */
	int			nmembers;
	Size		capacity;
	double	   *costs;
	char	   *members;
} Front;

/* A member is a number of bytes that the front keeps for its owner. */
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

/*
 * Whether a vector is nowhere worse than another; sets equal if it is also
 * nowhere better.
 */
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

/* A member that covers a vector, or -1; if one is equal, it is the only one. */
extern int	front_find(const Front *front, const double *costs, bool *equal);

/* Adds a vector that no member covers and drops those that it covers; returns the new member. */
extern void *front_add(Front *front, const double *costs);

#endif
