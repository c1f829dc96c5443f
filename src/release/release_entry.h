/*
 * release_entry.h
 *	  Releases as they were written down: anonopt.published and its contents.
 *
 * Whoever owns the database may write these tables, so everything that is
 * read from them is checked as if a stranger had typed it.
 */
#ifndef ANONOPT_RELEASE_ENTRY_H
#define ANONOPT_RELEASE_ENTRY_H

#include "catalog/dataset.h"
#include "release/content.h"
#include "search/recoding.h"

typedef enum ReleaseForm
{
	RELEASE_TABLE,
	RELEASE_MATERIALIZED_VIEW,
	RELEASE_LIVE_VIEW
} ReleaseForm;

/* How often each sensitive value occurs among all people, in the order of its distance. */
typedef struct Distribution
{
	char	   *column;
	char	   *distance;
	Oid			hierarchy;		/* or InvalidOid */
	int			nvalues;
	char	  **values;			/* as texts, NULL for null */
	char	  **leaves;			/* of the hierarchy, for the hierarchical
								 * distance; else NULL */
	int64	   *people;
} Distribution;

typedef struct ReleaseEntry
{
	char	   *id;				/* a uuid */
	Oid			relation;
	ReleaseForm form;
	char	   *name;
	char	   *dataset;
	Oid			source;			/* the relation of the data set */
	int			nlevels;		/* 0: not a node */
	int		   *levels;
	int			ncuts;
	Datum	   *cuts;
	bool		has_recoding;
	Oid			recoding;		/* InvalidOid where it is gone */
	char	   *recoding_name;
	RecodingLabels labels;
	int64		k;
	bool		has_l;
	int64		l;
	bool		has_t;
	double		t;
	int			ncolumns;
	char	  **columns;		/* that were named */
	bool		star;
	char	   *statement;		/* of a view */
	int			ngeneralized;
	char	  **generalized;
	int			nsensitive;
	char	  **sensitive;
	int			nhierarchies;
	Oid		   *hierarchies;	/* InvalidOid where there is none any more */
	char	  **hierarchy_names;
	char	  **digests;
	char	   *measures;		/* as json */
	int			ndistributions;
	Distribution *distributions;
} ReleaseEntry;

extern const char *release_form_name(ReleaseForm form);

/* The entry of a relation, or NULL. */
extern ReleaseEntry *release_entry_find(Oid relation);

/* The same; fails with 42704 where there is none, with 23514 where the relation is another kind. */
extern ReleaseEntry *release_entry_require(Oid relation);

/* Writes an entry of the caller's, or what a refresh changes of one. */
extern void release_entry_insert(const ReleaseEntry *entry);
extern void release_entry_update(const ReleaseEntry *entry);

/* Writes down what a release shows now, and the smallest difference to what was shown before. */
extern void release_content_insert(const ReleaseEntry *entry, const Content *content, int64 difference);

/* A content that was written down, and of which release. */
typedef struct KnownContent
{
	char	   *id;				/* of the release */
	int			version;		/* -1: the release has no contents */
	Oid			relation;
	char	   *name;
	char	   *dataset;
	int64		k;
	int			nlevels;
	int		   *levels;
	int			ncuts;
	Datum	   *cuts;
	char	   *recoding;		/* its name, or NULL */
	char	   *labels;			/* of a recoding */
	int			nattrs;
	char	  **generalized;
	Oid		   *hierarchies;	/* by attribute */
	int64		difference;		/* -1: not known */
} KnownContent;

/* What is known of all releases of a relation, in the order they were made, without the contents themselves. */
extern KnownContent *known_contents(Oid source, int *n);

/* One of them, in a memory context. */
extern Content *known_content_load(const KnownContent *known, MemoryContext context);

#endif
