/*
 * release_entry.h
 *	  Releases as they were written down: anonopt.published.
 */
#ifndef ANONOPT_RELEASE_ENTRY_H
#define ANONOPT_RELEASE_ENTRY_H

#include "catalog/dataset.h"
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
	Datum	   *digests;		/* bytea, of each hierarchy's rows */
	char	   *measures;		/* as json */
	int			ndistributions;
	Distribution *distributions;
	int			npromises;		/* beside k */
	DeclaredPromise *promises;	/* a population that is gone is InvalidOid */
	char	   *promises_json;	/* to be written */
} ReleaseEntry;

extern const char *release_form_name(ReleaseForm form);

/* The entry of a relation, or NULL. */
extern ReleaseEntry *release_entry_find(Oid relation);

/* The same; fails with 42704 where there is none, with 23514 where the relation is another kind. */
extern ReleaseEntry *release_entry_require(Oid relation);

/* The columns of its relation that were not published, for a message; NULL for none. */
extern char *release_entry_added_columns(const ReleaseEntry *entry);

/* Writes an entry of the caller's, or what a refresh changes of one. */
extern void release_entry_insert(const ReleaseEntry *entry);
extern void release_entry_update(const ReleaseEntry *entry);

/* Writes an entry in place of one that generalized or promised in another way. */
extern void release_entry_replace(const ReleaseEntry *entry);

#endif
