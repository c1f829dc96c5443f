/*
 * release_covers.h
 *	  What the labels of a release cover, where no level of a hierarchy says so.
 */
#ifndef ANONOPT_RELEASE_COVERS_H
#define ANONOPT_RELEASE_COVERS_H

#include "release/release.h"

/* A label, and a run of leaves that have it, or values without a leaf. */
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

/* Those of a release that has been read, to be written down; "null" where nobody will ask. */
extern char *covers_json(const Release *release);

/* Those that were written down. */
extern LabelCovers *covers_of_entry(const ReleaseEntry *entry);

#endif
