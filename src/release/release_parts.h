/*
 * release_parts.h
 *	  What making, refreshing and dropping releases share.
 */
#ifndef ANONOPT_RELEASE_PARTS_H
#define ANONOPT_RELEASE_PARTS_H

#include "release/release.h"

/* The columns that are generalized, that a promise is about, and the others. */
typedef struct ColumnNames
{
	int			n[3];
	char	  **names[3];
} ColumnNames;

enum
{
	NAMES_GENERALIZED, NAMES_SENSITIVE, NAMES_UNCOVERED
};

extern ColumnNames column_names(const Release *release);

/* The entry of a release that has been read and now is a relation. */
extern ReleaseEntry *entry_of_release(const Release *release, const char *id, Oid relation, const char *statement);

/* What a release promises of which columns, for its comment. */
extern char *release_comment(const Release *release, const char *id);

/* Fails: what was written down cannot be made again. */
extern void refuse_changed(const Release *release);

/*
 * Runs a statement that writes; what it reads, it reads under the snapshot
 * that the release was measured under.
 */
extern void release_run(const char *statement);

/* The statement that a view is known by; a recoding, which may grow, stands in it by its name. */
extern char *statement_to_keep(const Release *release);

/* A table beside a view, for what its definition must not tell. */
extern void create_key(Release *release, const char *id);

/* The tables of keys of a release, of its owner's. */
extern List *key_tables(const ReleaseEntry *entry);

/* Fills the key beside a view with what the view's statement reads it by now. */
extern void refill_key(Release *release, const ReleaseEntry *entry);

/* Fails where a view shows other rows than were measured. */
extern void check_rows(const Release *release, Oid relation);

#endif
