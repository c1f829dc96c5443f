/*
 * known_content.h
 *	  What releases showed, as stored in anonopt.published_content.
 */
#ifndef ANONOPT_KNOWN_CONTENT_H
#define ANONOPT_KNOWN_CONTENT_H

#include "release/content.h"
#include "release/release_entry.h"

/* A stored content, and its release. */
typedef struct KnownContent
{
	char	   *id;				/* of the release */
	int			version;		/* -1: the release has no contents */
	Oid			relation;
	char	   *name;
	char	   *dataset;
	int64		k;
	Generalization by;
	int			nattrs;
	char	  **generalized;
	Oid		   *hierarchies;	/* by attribute */
	int64		difference;		/* -1: not known */
} KnownContent;

/* Lists all contents of releases of a relation, in order, without loading them. */
extern KnownContent *known_contents(Oid source, int *n);

/* Loads one of them into a memory context. */
extern Content *known_content_load(const KnownContent *known, MemoryContext context);

/*
 * Stores what a release shows now, and the smallest difference to what was
 * shown before.
 */
extern void release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference);

#endif
