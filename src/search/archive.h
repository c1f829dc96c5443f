/*
 * archive.h
 *	  A bounded set of representatives: box-dominance, one a box.
 */
#ifndef ANONOPT_ARCHIVE_H
#define ANONOPT_ARCHIVE_H

#include "search/front.h"
#include "search/objective.h"

typedef struct ArchiveMember
{
	uint32		item;			/* the caller's name for it */
	double		costs[MAX_OBJECTIVES];
} ArchiveMember;

typedef struct Archive
{
	Front	   *boxes;			/* what goes with a box is its member */
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

/* Offers a candidate; returns whether it is a member now. */
extern bool archive_offer(Archive *archive, uint32 item, const double *costs);

/* Whether it would not become one, nor would any vector that is nowhere better. */
extern bool archive_refuses(const Archive *archive, const double *costs);

/* The member in the box of a vector of costs, or -1. */
extern int	archive_find_box(const Archive *archive, const double *costs);

#endif
