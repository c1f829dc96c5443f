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

/* Puts what the definition reads now into the key beside a view of a cut or of places. */
extern void rewrite_key(Release *release, const ReleaseEntry *entry);

/* New rows for a release, in a heap of their own; swaps them in, which keeps readers out until the end. */
extern Oid	release_fresh_rows(Release *release, Oid relation);
extern void release_swap_rows(Oid relation, Oid fresh);

/* Marks a materialized view as one that shows rows. */
extern void release_mark_filled(Oid relation);

/* Gives a materialized view another definition with the same columns. */
extern void release_replace_definition(Oid view, const char *definition);

/* Makes the relation show fresh rows and, where there is one, another definition. */
extern void release_show(const Release *release, Oid relation, Oid fresh, const char *definition);

/* The entry of the caller's very own release, which is locked against other refreshes. */
extern ReleaseEntry *release_lock_entry(Oid relation);

/* Fails where the release would have other columns. */
extern void check_same_columns(const Release *release, const ReleaseEntry *entry, Oid relation);

/* The function that a live view reads through, without its parentheses; NULL for none. */
extern char *rows_function(Oid view);

/* Lets a live view read by another definition with the same columns. */
extern void release_replace_live(const Release *release, Oid view);

/* Fills the key beside a view with what the view's statement reads it by now. */
extern void refill_key(Release *release, const ReleaseEntry *entry);

#endif
