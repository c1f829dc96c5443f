/*
 * archive.h
 *	  A bounded set of representatives: box-dominance, one a box.
 */
#ifndef ANONOPT_ARCHIVE_H
#define ANONOPT_ARCHIVE_H

#include "search/objective.h"

typedef struct ArchiveMember
{
	uint32		item;			/* the caller's name for it */
	double		values[MAX_OBJECTIVES]; /* more is better, none negative */
	double		boxes[MAX_OBJECTIVES];
} ArchiveMember;

typedef struct Archive
{
	MemoryContext context;
	int			nobjectives;
	double		epsilon[MAX_OBJECTIVES];
	int			nmembers;
	Size		capacity;
	ArchiveMember *members;
} Archive;

extern Archive *archive_create(MemoryContext context, int nobjectives, const double *epsilon);

/* Offers a candidate; returns whether it is a member now. */
extern bool archive_offer(Archive *archive, uint32 item, const double *values);

/* The box of a vector of values. */
extern void archive_boxes(const Archive *archive, const double *values, double *boxes);

/* Whether a vector is nowhere worse than another and somewhere better. */
extern bool dominates(const double *a, const double *b, int n);

#endif
