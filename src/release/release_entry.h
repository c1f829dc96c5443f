/*
 * release_entry.h
 *	  The entries of releases, in anonopt.published.
 */
#ifndef ANONOPT_RELEASE_ENTRY_H
#define ANONOPT_RELEASE_ENTRY_H

#include "catalog/dataset.h"
#include "engine/population.h"
#include "promise/differential_privacy.h"
#include "record/record_model.h"
#include "search/recoding.h"
#include "utils/timestamp.h"

typedef enum ReleaseForm
{
	RELEASE_TABLE,
	RELEASE_MATERIALIZED_VIEW,
	RELEASE_LIVE_VIEW
} ReleaseForm;

/* What a column shows that is not generalized, unless it shows labels of a level. */
#define AS_IT_IS (-1)
#define AS_PSEUDONYM (-2)

/* What wrote its rows; the last is nothing, of a live view. */
typedef enum FilledBy
{
	FILLED_BY_PUBLISHING,
	FILLED_BY_REFRESH,
	FILLED_BY_RESTORE,
	FILLED_BY_NOTHING
} FilledBy;

/*
 * The frequency of each sensitive value among all people, in the order used by
 * the distance.
 */
typedef struct Distribution
{
	char	   *column;
	Distance	distance;
	Oid			hierarchy;		/* or InvalidOid */
	int64		place;			/* of it among the entry's, from 1; or 0 */
	bool		is_labelled;	/* the column is shown at a level of it, and */
	int64		level;			/* values are its labels */
	int			nvalues;
	char	  **values;			/* as texts, NULL for null */
	int			nleaves;
	char	  **leaves;			/* of the hierarchy, for the hierarchical
								 * distance; else NULL */
	int			npeople;
	int64	   *people;
} Distribution;

/* The options of a release by records. */
typedef struct RecordOptions
{
	bool		are_given;
	double		min_utility;
	char	   *key;
	RiskModel	risk;
	UtilityModel utility;
} RecordOptions;

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
	int			nlevels;
	int		   *levels;			/* by generalized column */
	int			ncuts;
	Datum	   *cuts;			/* the same: bit strings */
	int			ncut_labels;
	char	  **cut_labels;		/* that they part, of one column after another */
	Oid			recoding;		/* InvalidOid if it is gone */
	char	   *recoding_name;
	RecodingLabels labels;		/* of a recoding */
	RecordOptions records;
} Generalization;

/*
 * What the labels of a quasi-identifier cover, if no level of its hierarchy
 * says so: runs of leaves, and the labels of values without a leaf.
 */
typedef struct LabelCover
{
	int			n;
	char	  **labels;			/* NULL for null */
	int			nfirsts;		/* equal to n, as is */
	char	  **firsts;			/* leaves; NULL for NULL's */
	int			nlasts;
	char	  **lasts;
	int			nunknown;
	char	  **unknown;
} LabelCover;

typedef struct ReleaseEntry
{
	char	   *id;				/* a uuid */
	Oid			relation;
	ReleaseForm form;
	char	   *name;
	char	   *dataset;
	char	   *person;			/* the column of persons, or NULL */
	Oid			source;			/* the relation of the data set */
	char	   *source_name;
	Generalization by;
	int			ncolumns;
	char	  **columns;		/* that were named */
	bool		star;			/* classes that break a promise are stars */
	bool		permuted;		/* it shows true values, permuted */
	int			nforms;			/* 0 if all are text */
	char	  **forms;			/* of generalized columns: see ColumnsAs */
	int			nothers;
	int		   *others_as;		/* of the other columns: AS_IT_IS,
								 * AS_PSEUDONYM, or a level */
	int			nclass_columns;
	char	  **class_columns;	/* that tell classes apart, as read */
	bool		is_filled;
	TimestampTz filled_at;		/* if it has rows of its own */
	int64		held_back;		/* people who are not shown as they are, and */
	bool		is_held_back;
	TimestampTz held_since;		/* since when */
	FilledBy	filled_by;
	bool		is_restored;	/* the relation is not the one that the entry
								 * was written for */
	int			ngeneralized;
	char	  **generalized;
	int			nsensitive;
	char	  **sensitive;
	int			nhierarchies;
	Oid		   *hierarchies;	/* of the generalized columns, then of
								 * sensitive ones; InvalidOid if it is gone */
	int			nhierarchy_names;
	char	  **hierarchy_names;
	int			ndigests;
	Datum	   *digests;		/* of each hierarchy's rows */
	char	   *measures;		/* as json */
	bool		has_people_k;
	int64		people_k;		/* people in its smallest class, if rows
								 * belong to people */
	int			ndistributions;
	Distribution *distributions;
	int			npromises;
	DeclaredPromise *promises;	/* a missing population is InvalidOid */
	int			ngeneral;		/* the first of them: k, and about every
								 * sensitive column */
	PrivacyParameters privacy;	/* without k, which is promised; and */
	bool		is_private;		/* whether there are any */
	bool		has_delta;
	bool		has_beta;
	bool		trusted;		/* hierarchies are what the publisher says */
	int			ncovers;		/* to be written: by quasi-identifier */
	LabelCover *covers;
} ReleaseEntry;

/* A content of a release: what it showed, once. */
typedef struct KnownContent
{
	ReleaseEntry release;		/* as far as contents need it */
	int64		k;
	bool		is_known;		/* false: the release has no contents */
	int64		version;
	bool		has_difference;
	int64		difference;		/* people in the smallest difference to
								 * earlier ones */
	double		epsilon;		/* that it spends, and */
	bool		is_sample;		/* whether it is private */
	double		delta;
	int64		same_rows;		/* 1 if it may have been made from rows that
								 * are read now */
	int64		is_others;		/* 1 if the caller is not told of its release */
	struct Content *content;	/* if it is loaded */
	int			attr_of[MAX_ATTRIBUTES];	/* once it is placed, by attribute
											 * of the content: that of a
											 * population, or -1 */
	bool		is_placed;		/* and all have its labels */
} KnownContent;

/*
 * Lists, in order and without loading them, all contents of releases that have
 * shown people whom a relation shows (see releases_of_people in the script),
 * and those of one release whatever it showed, unless the id is NULL.  The
 * column of persons, if there is one, says which rows may be the same.
 */
extern KnownContent *known_contents(Oid source, const char *person, const char *id, int *n);

/* Tells of relations whose releases are not compared, because their people are declared to be others. */
extern void tell_other_people(Oid source);

/* The last one of a release among some contents, or -1; also if the id is NULL. */
extern int	last_content(const char *id, const KnownContent *contents, int n);

/* The relation of a release, by the id of its entry. */
extern Oid	release_by_id(Datum id);

/*
 * The entry of a relation; fails with 42704 if there is none, and with 23514 if the relation
 * is of another kind.
 */
extern ReleaseEntry *release_entry_require(Oid relation);

/*
 * The columns of its relation that were not published, for a message; NULL if
 * there are none.
 */
extern char *release_entry_added_columns(const ReleaseEntry *entry);

/* Whether a sensitive column is shown unchanged, so that its values can be counted. */
extern bool release_entry_shows(const ReleaseEntry *entry, const char *column);

/* Its general promise of a model, or NULL; k is always promised. */
extern const DeclaredPromise *general_promise(const ReleaseEntry *entry, PromiseModel model);

/* The covers of one, by quasi-identifier. */
extern LabelCover *release_entry_covers(const ReleaseEntry *entry);

/*
 * Writes an entry of the caller, or the changes of an entry by a refresh; it
 * stays published by whom and when it was if it shows the same rows.
 */
extern void release_entry_insert(const ReleaseEntry *entry);
extern void release_entry_update(const ReleaseEntry *entry, bool same_rows);

/* Replaces an entry by one with another generalization or promise. */
extern void release_entry_replace(const ReleaseEntry *entry);

/*
 * Records what verify found, as json, and whether all is kept, if that is known; nothing while somebody else
 * writes the entry.
 */
extern void release_entry_verified(const ReleaseEntry *entry, bool ok, bool is_known, const char *found);

/* Leaves an entry without its relation, which another takes over. */
extern void release_entry_retire(const char *id);

/* Whether all that an entry records was recorded by this transaction; deletes it all. */
extern bool release_entry_is_new(const char *id);
extern void release_entry_forget(const char *id);

/*
 * Notes through whom others could read a release that is being dropped or
 * replaced, NULL for nobody; forgets one that is gone, if that was nobody.
 */
extern void release_entry_note_readers(const char *id, const char *readers);
extern void release_entry_forget_dropped(Datum id);

/* The word for what filled a release, or NULL. */
extern const char *filled_name(FilledBy by);

#endif
