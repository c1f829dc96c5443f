/*
 * front.h
 *	  Fronts of costs that no other cost dominates: of vectors, nodes, and boxes.
 *
 * Less is always better.  A vector covers another if it is nowhere worse, and
 * dominates it if it is also somewhere better.
 */
#ifndef ANONOPT_FRONT_H
#define ANONOPT_FRONT_H

#include "postgres.h"

#include "search/objective.h"

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

/* Whether a vector is nowhere worse than another; equal if it is also nowhere better. */
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

/* ------------------ the nodes that no other node beats, one per cost vector */

typedef struct NodeFront
{
	Front	   *front;			/* of measured nodes */
	Objectives	objectives;
	int			nattrs;
} NodeFront;

extern NodeFront *node_front_create(MemoryContext context, const Objectives *objectives, int nattrs);

static inline int
node_front_size(const NodeFront *front)
{
	return front->front->nmembers;
}

static inline MeasuredNode *
node_front_nodes(const NodeFront *front)
{
	return (MeasuredNode *) front->front->members;
}

/* Offers a measured node; members that it beats are dropped. */
extern void node_front_offer(NodeFront *front, const int *levels, const Measures *measures);

/*
 * Whether a member beats all nodes with these lower bounds of costs: it is
 * better, or equal and comes first, given the least levels of those nodes.
 */
extern bool node_front_beats(const NodeFront *front, const double *costs, const int *levels);

/* Sorts the members, after the last one was offered. */
extern void node_front_sort(NodeFront *front);

/* Sorts nodes by the first objective, best first. */
extern void sort_nodes(MeasuredNode *nodes, int n, const Objectives *objectives, int nattrs);

/* ------------------- a bounded set of representatives, one box-dominant each */

typedef struct ArchiveMember
{
	uint32		item;			/* the caller's name for it */
	double		costs[MAX_OBJECTIVES];
} ArchiveMember;

typedef struct Archive
{
	Front	   *boxes;			/* the data of a box is its member */
	double		epsilon[MAX_OBJECTIVES];
} Archive;

extern Archive *archive_create(MemoryContext context, int nobjectives, const double *epsilon);

static inline int
archive_size(const Archive *archive)
{
	return archive->boxes->nmembers;
}

static inline const ArchiveMember *
archive_member(const Archive *archive, int i)
{
	return front_member(archive->boxes, i);
}

/* Offers a candidate; returns whether it became a member. */
extern bool archive_offer(Archive *archive, uint32 item, const double *costs);

/* Whether neither it nor any vector that is nowhere better would become one. */
extern bool archive_refuses(const Archive *archive, const double *costs);

/* The member in the box of a vector of costs, or -1. */
extern int	archive_find_box(const Archive *archive, const double *costs);

#endif
