/*
 * release_covers.h
 *	  The leaves under the labels of a release that are not those of a level.
 */
#ifndef ANONOPT_RELEASE_COVERS_H
#define ANONOPT_RELEASE_COVERS_H

#include "release/release.h"

/* A label, and a run of leaves with it, or values without a leaf. */
typedef struct LabelCover
{
	char	   *label;			/* or NULL */
	bool		unknown;		/* values without a leaf; else */
	char	   *first;			/* leaves; NULL for NULL's */
	char	   *last;
} LabelCover;

/* By quasi-identifier. */
typedef struct LabelCovers
{
	int			n[MAX_ATTRIBUTES];
	LabelCover *covers[MAX_ATTRIBUTES];
} LabelCovers;

/*
 * Those of a release that has been read, to be stored; "null" if they are not
 * needed.
 */
extern char *covers_json(const Release *release);

/* The stored ones. */
extern LabelCovers *covers_of_entry(const ReleaseEntry *entry);

#endif
