/*
 * release.h
 *	  A release: what it is to show, and what came of reading for it.
 *
 * The same steps make a release and make it anew: it is specified, from a
 * call's arguments or from what was written down; checked against the
 * catalogs; read once, which measures it; checked against the data and
 * against earlier releases; and only then written.
 */
#ifndef ANONOPT_RELEASE_H
#define ANONOPT_RELEASE_H

#include "read/row_spool.h"
#include "record/record_model.h"
#include "release/known_content.h"
#include "release/recoding_rows.h"
#include "release/release_entry.h"
#include "release/specification.h"
#include "release/shown_classes.h"

/* How records are generalized one by one. */
typedef struct RecordOptions
{
	double		min_utility;
	char	   *key;
	RiskModel	risk;
	UtilityModel utility;
} RecordOptions;

/* A recoding, and what reading it comes to. */
typedef struct ReleaseRecoding
{
	Oid			table;
	RecodingLabels labels;
	Relation	opened;
	RecodedClasses *classes;
	RecodedLabels *texts;
} ReleaseRecoding;

typedef struct Release
{
	/* specified */
	Specification spec;
	bool		again;			/* it has been made before */
	ReleaseForm form;
	int		   *levels;			/* of a node; or */
	Datum	   *cuts;			/* bit strings; or */
	ReleaseRecoding *recoding;	/* or */
	RecordOptions *records;
	char	  **named;			/* columns to be shown as they are */
	int			nnamed;
	Oid			schema;
	char	   *name;
	char	   *sql_name;		/* qualified and quoted */
	char	   *key_name;		/* of the table beside a view, or NULL */

	/* read */
	List	   *opened;			/* relations, so that nobody changes them
								 * meanwhile */
	RowSpool	spool;
	Recodings	node;			/* of a node or cuts */
	Measures	measures;
	ShownClasses *shown;
	Content    *content;		/* not of a live view */
	List	   *pseudonyms;		/* of columns shown as such */
	List	   *linked;			/* whom they link */
	int64		difference;		/* people in the smallest difference to an
								 * earlier content; 0 for none, -1 where it
								 * was not looked for */
} Release;

/* Sets what a release must not depend on: search_path, styles of output, memory; and back. */
extern int	release_settings_begin(void);
extern void release_settings_end(int level);

/* Where it is to be; the name must be free and the caller able to create there. */
extern void release_name(Release *release, const char *name);

/* Chooses what is shown, once data set, promise and generalization are known. */
extern void release_choose(Release *release);

/* Fails unless the caller may read all that would be read of a data set's relation. */
extern void release_check_reading(const Dataset *dataset);

/*
 * What the catalogs say: rights, hierarchies, identifiers, the source.  All
 * that is read stays open until release_close.
 */
extern void release_check(Release *release);
extern void release_close(Release *release);

/*
 * Reads and measures; k becomes the node's own where none was given.  Keeps
 * rows for a table.
 */
extern void release_read(Release *release);

/* Chooses the classes that are shown, and tells what that comes to. */
extern void release_choose_classes(Release *release);

/* Gives back the memory of people and classes, once nothing but a statement is wanted. */
extern void release_forget_people(Release *release);

/* Makes it; makes an existing one anew; drops it. */
extern Oid	release_create(Release *release);
extern void release_refresh(Oid relation);
extern void release_drop(Oid relation);

/* A release that is there, locked, whose specification may be changed; then lets it show that. */
extern Release *release_republish_begin(Oid relation, ReleaseEntry **entry);
extern void release_republish(Release *release, const ReleaseEntry *entry);

/* The specification that was written down. */
extern Release *release_of_entry(const ReleaseEntry *entry);

/* The rows of a table, into a relation of the right columns. */
extern void release_write_rows(Release *release, Oid relation, bool frozen);

/* A live view of a definition. */
extern void release_create_live(const Release *release, const char *definition);

/* Fails with 23514 unless a hierarchy is a plain table of the caller's own that can hold no leaf twice. */
extern void require_own_hierarchy(Oid hierarchy, const char *column);

/* Only its very owner: what a relation of another's holds, triggers and all, must not run as somebody mightier. */
extern void require_release_owner(Oid relation);

/* Whether it is a plain table of a role. */
extern bool is_plain_table_of(Oid relation, Oid owner);

/* Digests of a table's rows, in their own order; the table is locked against changes of its columns. */
extern bytea *hierarchy_digests(Oid hierarchy);

/* Whether a table still has all rows whose digests these are; it may have more. */
extern bool hierarchy_keeps(Oid hierarchy, const bytea *digests);

/* Whether a release needs to know how often values occur among all. */
extern bool tells_values(const Dataset *dataset, const Promise *promise);

/* The hierarchies that a release rests on: of quasi-identifiers, and of sensitive columns where t is promised. */
extern List *release_hierarchies(const Dataset *dataset, const Promise *promise);

#endif
