/*
 * archive.h
 *	  A bounded set of representatives, by box-dominance with one per box.
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
