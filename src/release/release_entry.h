/*
 * release_entry.h
 *	  The entries of releases, in anonopt.published.
 */
#ifndef ANONOPT_RELEASE_ENTRY_H
#define ANONOPT_RELEASE_ENTRY_H

#include "catalog/dataset.h"
#include "search/recoding.h"
#include "utils/timestamp.h"

typedef enum ReleaseForm
{
	RELEASE_TABLE,
	RELEASE_MATERIALIZED_VIEW,
	RELEASE_LIVE_VIEW
} ReleaseForm;

/*
 * The frequency of each sensitive value among all people, in the order used by
 * the distance.
 */
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

/*
 * How a release generalizes its columns; an entry that says it in two ways is
 * not sound.
 */
typedef enum GeneralizationKind
{
	BY_RECORDS,					/* each record by itself */
	BY_LEVELS,
	BY_CUTS,
	BY_RECODING
} GeneralizationKind;

typedef struct Generalization
{
	GeneralizationKind kind;
	union
	{
		int		   *levels;		/* by generalized column */
		struct
		{
			Datum	   *bits;	/* the same: bit strings */
			int			nlabels;
			char	  **labels; /* that they part, of one column after another */
		}			cuts;
		struct
		{
			Oid			table;	/* InvalidOid if it is gone */
			char	   *name;
			RecodingLabels labels;
		}			recoding;
	};
} Generalization;

typedef struct ReleaseEntry
{
	char	   *id;				/* a uuid */
	Oid			relation;
	ReleaseForm form;
	char	   *name;
	char	   *dataset;
	Oid			source;			/* the relation of the data set */
	Generalization by;
	int64		k;
	bool		has_l;
	int64		l;
	bool		has_t;
	double		t;
	int			ncolumns;
	char	  **columns;		/* that were named */
	bool		star;
	bool		is_filled;
	TimestampTz filled_at;		/* if it has rows of its own */
	int			ngeneralized;
	char	  **generalized;
	int			nsensitive;
	char	  **sensitive;
	int			nhierarchies;
	Oid		   *hierarchies;	/* InvalidOid if it is gone */
	char	  **hierarchy_names;
	Datum	   *digests;		/* bytea, of each hierarchy's rows */
	char	   *measures;		/* as json */
	int			ndistributions;
	Distribution *distributions;
	int			npromises;		/* beside k */
	DeclaredPromise *promises;	/* a missing population is InvalidOid */
	char	   *promises_json;	/* to be written */
	char	   *covers_json;	/* to be written: release_verify.h */
} ReleaseEntry;

extern const char *release_form_name(ReleaseForm form);

/* The relation of a release, by the id of its entry. */
extern Oid	release_by_id(Datum id);

/* The entry of a relation, or NULL. */
extern ReleaseEntry *release_entry_find(Oid relation);

/*
 * The same; fails with 42704 if there is none, and with 23514 if the relation
 * is of another kind.
 */
extern ReleaseEntry *release_entry_require(Oid relation);

/*
 * The columns of its relation that were not published, for a message; NULL if
 * there are none.
 */
extern char *release_entry_added_columns(const ReleaseEntry *entry);

/*
 * Writes an entry of the caller, or the changes of an entry by a refresh; it
 * stays published by whom and when it was if it shows the same rows.
 */
extern void release_entry_insert(const ReleaseEntry *entry);
extern void release_entry_update(const ReleaseEntry *entry, bool same_rows);

/* Replaces an entry by one with another generalization or promise. */
extern void release_entry_replace(const ReleaseEntry *entry);

#endif
